//! A type that shares its fields' names with others comes in, whether a property or what is said of it names that one goes out.
use super::types::Type;
use crate::options::Kubernetes;
use std::collections::{BTreeMap, HashMap};

/// What tells a type from those with fields of the same names: what its name has and theirs have not, in small letters.
struct Twin {
    mark: String,
    others: Vec<String>,
}

/// The types that share their fields' names with others, by path.
pub(super) struct Twins(HashMap<&'static str, Twin>);

impl Twins {
    /// Those among types that all versions from this one on have.
    pub(super) fn of(types: impl Iterator<Item = &'static Type>, at: Kubernetes) -> Self {
        let mut groups: BTreeMap<Vec<&str>, Vec<&'static Type>> = BTreeMap::new();
        for known in types {
            let names = known.fields(at).map(|field| field.wire).collect();
            groups.entry(names).or_default().push(known);
        }
        let mut twins = HashMap::new();
        for group in groups.values().filter(|group| group.len() > 1) {
            let marks = marks(group);
            for (at, known) in group.iter().enumerate() {
                let mut others = marks.clone();
                let mark = others.remove(at);
                if !mark.is_empty() && others.iter().all(|other| !other.is_empty()) {
                    twins.insert(known.path, Twin { mark, others });
                }
            }
        }
        Self(twins)
    }

    /// Whether the property, or else what is said of it, names the type and none of its twins.
    pub(super) fn tell(
        &self,
        known: &'static Type,
        property: Option<&str>,
        sentences: &[Option<String>],
    ) -> bool {
        let Some(twin) = self.0.get(known.path) else {
            return false;
        };
        let names_any = |text: &str| {
            let own = text.contains(&twin.mark);
            let other = twin.others.iter().any(|mark| text.contains(mark.as_str()));
            (own, other)
        };
        let property = property.map(str::to_lowercase).unwrap_or_default();
        match names_any(&property) {
            (own, other) if own || other => own && !other,
            _ => {
                let mut said = sentences.iter().flatten().map(|text| text.to_lowercase());
                said.any(|text| names_any(&text) == (true, false))
            }
        }
    }
}

/// The names without the words that all have at their beginning and end.
fn marks(group: &[&'static Type]) -> Vec<String> {
    let names: Vec<Vec<&str>> = group.iter().map(|known| words(known.name())).collect();
    let shortest = names.iter().map(Vec::len).min().unwrap_or(0);
    let same = |at: &dyn Fn(&Vec<&'static str>) -> &'static str| {
        names.windows(2).all(|pair| at(&pair[0]) == at(&pair[1]))
    };
    let head = (0..shortest)
        .take_while(|at| same(&|name| name[*at]))
        .count();
    let tail = (0..shortest - head)
        .take_while(|at| same(&|name| name[name.len() - 1 - *at]))
        .count();
    let mark = |name: &Vec<&str>| name[head..name.len() - tail].concat().to_lowercase();
    names.iter().map(mark).collect()
}

/// `Secret`, `Key`, `Selector` of `SecretKeySelector`.
fn words(name: &'static str) -> Vec<&'static str> {
    let mut starts: Vec<usize> = name
        .char_indices()
        .filter(|(_, c)| c.is_ascii_uppercase())
        .map(|(at, _)| at)
        .collect();
    starts.push(name.len());
    starts
        .windows(2)
        .map(|pair| &name[pair[0]..pair[1]])
        .collect()
}
