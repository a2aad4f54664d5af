//! The lists of groups and kinds, as templates see them.
use std::collections::BTreeMap;

use super::Format;
use crate::{
    input::crd::{self, Schema},
    model::{
        evolution::priority,
        ir::{Kind, Model, Scope},
    },
    output::emit,
};
use serde::Serialize;

/// A version of a kind, and the path of its page.
pub(super) struct KindPage<'m> {
    pub(super) kind: &'m Kind,
    /// Its index in the model.
    pub(super) index: usize,
    pub(super) path: String,
}

/// Returns the pages of a model.
pub(super) fn places(model: &Model, format: Format) -> Vec<KindPage<'_>> {
    let kinds = model.kinds.iter().enumerate();
    let places = kinds.map(|(index, kind)| {
        let (group, plural, version) = (&kind.group, &kind.plural, &kind.version);
        let path = format!("{group}/{plural}/{version}.{}", format.extension());
        KindPage { kind, index, path }
    });
    places.collect()
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
        }
    }
}

/// The lists of groups and kinds.
#[derive(Debug, Serialize)]
pub(super) struct Site {
    pub(super) title: String,
    pub(super) groups: Vec<Group>,
}

/// An API group.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) kinds: Vec<KindEntry>,
}

/// A kind in the list of its group.
#[derive(Clone, Debug, Serialize)]
pub(super) struct KindEntry {
    pub(super) kind: String,
    pub(super) plural: String,
    short_names: Vec<String>,
    scope: &'static str,
    /// The first paragraph of the description.
    about: Vec<String>,
    /// The page of its newest version.
    path: String,
    /// The newest first.
    pub(super) versions: Vec<VersionEntry>,
}

/// A version in the list of a kind.
#[derive(Clone, Debug, Serialize)]
pub(super) struct VersionEntry {
    name: String,
    path: String,
    storage: bool,
    deprecated: bool,
}

impl Site {
    pub(super) fn new(title: &str, places: &[KindPage<'_>]) -> Self {
        let mut groups: BTreeMap<&str, BTreeMap<(&str, &str), Vec<&KindPage<'_>>>> =
            BTreeMap::new();
        for place in places {
            let kinds = groups.entry(&place.kind.group).or_default();
            let key = (place.kind.kind.as_str(), place.kind.plural.as_str());
            kinds.entry(key).or_default().push(place);
        }
        let groups = groups.into_iter().map(|(name, kinds)| Group {
            name: name.to_owned(),
            kinds: kinds.into_values().filter_map(KindEntry::of).collect(),
        });
        Self {
            title: title.to_owned(),
            groups: groups.collect(),
        }
    }
}

impl KindEntry {
    fn of(mut versions: Vec<&KindPage<'_>>) -> Option<Self> {
        versions.sort_by_key(|place| priority::of(&place.kind.version));
        let newest = versions.first()?;
        let kind = newest.kind;
        let manifest = kind.definition();
        let schema = crd::schema_of(&manifest, &kind.version).unwrap_or_default();
        let description = described(&schema);
        Some(Self {
            kind: kind.kind.clone(),
            plural: kind.plural.clone(),
            short_names: kind.short_names.clone(),
            scope: scope(kind),
            about: description
                .into_iter()
                .take_while(|line| !line.is_empty())
                .collect(),
            path: newest.path.clone(),
            versions: versions
                .iter()
                .map(|place| VersionEntry {
                    name: place.kind.version.clone(),
                    path: place.path.clone(),
                    storage: place.kind.storage,
                    deprecated: place.kind.deprecated.is_some(),
                })
                .collect(),
        })
    }
}

pub(super) fn described(schema: &Schema) -> Vec<String> {
    let text = schema.description.as_deref();
    text.map(emit::description).unwrap_or_default()
}

pub(super) fn scope(kind: &Kind) -> &'static str {
    match kind.scope {
        Scope::Namespaced => "Namespaced",
        Scope::Cluster => "Cluster",
    }
}
