//! Finds the objects that a schema has at several places: they get a section of their own, so that a page does not grow with each of them.
use std::collections::{HashMap, HashSet};

use crate::input::crd::Schema;

use super::{
    kubernetes,
    places::{At, innermost},
};

/// A smaller schema is repeated, in bytes without what belongs to its place.
const SMALLEST: usize = 700;

/// The objects with a section, by their schema without what belongs to a place.
#[derive(Default)]
pub(super) struct Shared {
    sections: HashMap<String, Named>,
}

/// An object with a section.
pub(super) struct Named {
    pub(super) name: String,
    /// Its path in k8s-openapi, if it is one of Kubernetes' own types.
    pub(super) known: Option<&'static str>,
}

impl Shared {
    /// Finds the objects of a schema.
    pub(super) fn of(schema: &Schema, root: &At<'_>) -> Self {
        let mut search = Search::default();
        search.walk(schema, root);
        // The name of an object without a section.
        let mut taken = HashSet::from(["Object".to_owned()]);
        let mut sections = HashMap::new();
        for (key, found) in search
            .order
            .into_iter()
            .filter_map(|key| search.found.remove_entry(&key))
        {
            if found.uses > 1 {
                let name = name(&found, &mut taken);
                let known = found.known;
                sections.insert(key, Named { name, known });
            }
        }
        Self { sections }
    }

    /// Returns the key of an object that may have a section.
    pub(super) fn key(node: &Schema) -> Option<String> {
        let properties = node.properties.as_ref().filter(|it| !it.is_empty())?;
        let key = serde_json::to_string(&(properties, &node.required)).ok()?;
        (key.len() >= SMALLEST).then_some(key)
    }

    /// Returns the section of an object.
    pub(super) fn section(&self, key: &str) -> Option<&Named> {
        self.sections.get(key)
    }
}

struct Found {
    uses: usize,
    names: Vec<String>,
    known: Option<&'static str>,
}

#[derive(Default)]
struct Search {
    found: HashMap<String, Found>,
    /// The keys in the order of their first place.
    order: Vec<String>,
}

impl Search {
    fn walk(&mut self, node: &Schema, at: &At<'_>) {
        let inner = innermost(node);
        if at.path.len() > 1
            && let Some(key) = Shared::key(inner)
        {
            if let Some(found) = self.found.get_mut(&key) {
                found.uses += 1;
                return;
            }
            let found = Found {
                uses: 1,
                names: at.path.clone(),
                known: at.known,
            };
            self.order.push(key.clone());
            self.found.insert(key, found);
        }
        for (name, field) in inner.fields() {
            self.walk(field, &at.field(name));
        }
    }
}

/// Names a section by its type in Kubernetes, or by the last fields of its first place.
fn name(found: &Found, taken: &mut HashSet<String>) -> String {
    let mut words: Vec<String> = found.names.iter().rev().map(|name| camel(name)).collect();
    if let Some(known) = found.known {
        words.insert(0, kubernetes::name(known).to_owned());
    }
    let mut name = String::new();
    for word in words.into_iter().filter(|word| !word.is_empty()) {
        name.insert_str(0, &word);
        if taken.insert(name.clone()) {
            return name;
        }
    }
    let mut numbered = (2..).map(|number| format!("{name}{number}"));
    numbered
        .find(|name| taken.insert(name.clone()))
        .unwrap_or(name)
}

fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|it| it.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    words.map(word).collect()
}
