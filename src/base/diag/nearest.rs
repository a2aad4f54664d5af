//! Suggests similar names for one that was not found.

/// The longest names that are compared, in bytes, and the most names: a comparison takes as long as the product of both lengths.
const LONGEST: usize = 100;
const MOST: usize = 1000;

/// Returns up to three names similar to the wanted one, the most similar first. Very long names are similar to none, and of very many names
/// the first ones are compared.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let mut near: Vec<(f64, &str)> = names
        .into_iter()
        .filter(|name| name.len() <= LONGEST)
        .take(MOST)
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(similarity, _)| *similarity > 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup();
    near.truncate(3);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_suggested() {
        let names = ["types", "client", "lister"];
        assert_eq!(nearest("type", names), ["types"]);
        assert_eq!(nearest("clients", names), ["client"]);
        assert!(nearest("zzz", names).is_empty());
        let long = "a".repeat(LONGEST + 1);
        assert!(nearest(&long, [&*long]).is_empty());
    }
}
