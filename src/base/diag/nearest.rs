//! Suggests similar names for one that was not found.

/// Returns up to three names similar to the wanted one, the most similar first.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(f64, &str)> = names
        .into_iter()
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
    }
}
