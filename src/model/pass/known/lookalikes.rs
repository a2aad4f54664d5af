//! Distinguishes k8s-openapi types with the same field names by the name or description of a property.
use super::types::Type;
use crate::base::options::Kubernetes;
use foldhash::{HashMap, HashMapExt};
use heck::ToSnakeCase;
use std::collections::BTreeMap;

/// The words of a type's name that its lookalikes do not share, in lower case.
struct Marks {
    own: String,
    others: Vec<String>,
}

/// The types that share their field names with others, by path.
pub(super) struct Lookalikes(HashMap<&'static str, Marks>);

impl Lookalikes {
    /// Finds the lookalikes among types that all Kubernetes versions from one on have.
    pub(super) fn of(types: impl Iterator<Item = &'static Type>, at: Kubernetes) -> Self {
        let mut groups: BTreeMap<Vec<&str>, Vec<&'static Type>> = BTreeMap::new();
        for known in types {
            let names = known.fields(at).map(|field| field.wire).collect();
            groups.entry(names).or_default().push(known);
        }
        let mut lookalikes = HashMap::new();
        for group in groups.values().filter(|group| group.len() > 1) {
            let marks = marks(group);
            for (at, known) in group.iter().enumerate() {
                let mut others = marks.clone();
                let own = others.remove(at);
                if !own.is_empty() && others.iter().all(|other| !other.is_empty()) {
                    lookalikes.insert(known.path, Marks { own, others });
                }
            }
        }
        Self(lookalikes)
    }

    /// Returns whether the property, or else its description, names the type and none of its lookalikes.
    pub(super) fn is_named(
        &self,
        known: &'static Type,
        property: Option<&str>,
        sentences: &[Option<String>],
    ) -> bool {
        let Some(marks) = self.0.get(known.path) else {
            return false;
        };
        let names_any = |text: &str| {
            let own = text.contains(&marks.own);
            let other = marks.others.iter().any(|mark| text.contains(mark.as_str()));
            (own, other)
        };
        let property = property.map(str::to_lowercase).unwrap_or_default();
        match names_any(&property) {
            (own, other) if own || other => own && !other,
            _ => {
                let sentences = sentences.iter().flatten();
                let mut sentences = sentences.map(|text| text.to_lowercase());
                sentences.any(|text| names_any(&text) == (true, false))
            }
        }
    }
}

/// Returns the names of types without the words that all share at the beginning and at the end.
fn marks(group: &[&'static Type]) -> Vec<String> {
    let names: Vec<String> = group.iter().map(|it| it.name().to_snake_case()).collect();
    let names: Vec<Vec<&str>> = names.iter().map(|name| name.split('_').collect()).collect();
    let shortest = names.iter().map(Vec::len).min().unwrap_or(0);
    let is_shared = |word: &dyn Fn(&[&str]) -> String| {
        names
            .windows(2)
            .all(|pair| word(&pair[0]) == word(&pair[1]))
    };
    let head = (0..shortest)
        .take_while(|at| is_shared(&|name| name[*at].to_owned()))
        .count();
    let tail = (0..shortest - head)
        .take_while(|at| is_shared(&|name| name[name.len() - 1 - *at].to_owned()))
        .count();
    let mark = |name: &Vec<&str>| name[head..name.len() - tail].concat();
    names.iter().map(mark).collect()
}
