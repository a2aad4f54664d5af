//! What differs between the versions of a kind, and how objects are converted.
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::{
    columns::{self, Present},
    fields::Link,
    places,
};
use crate::{
    input::crd,
    model::{
        evolution::{self, Change, Class, priority},
        ir::{Conversion, Decision, Kind, SchemaPath, Segment, Strategy},
    },
};

/// The differences between two versions.
#[derive(Debug, Serialize)]
pub(super) struct Differences {
    from: String,
    to: String,
    /// The page of the version that is not that of the page.
    other: Link,
    /// Whether a webhook converts objects.
    converted: bool,
    changes: Vec<Difference>,
}

/// A difference at one path.
#[derive(Debug, Serialize)]
pub(super) struct Difference {
    what: &'static str,
    /// The field in the first version.
    from: Option<Link>,
    /// The field in the second version.
    to: Option<Link>,
    details: Vec<String>,
    /// Who converts the value, and how.
    how: String,
}

/// The two versions of a conversion, with the pages and anchors of both.
pub(super) struct Pair<'a> {
    pub(super) conversion: &'a Conversion,
    pub(super) manifest: &'a Value,
    pub(super) spoke: Side<'a>,
    pub(super) hub: Side<'a>,
}

/// A version of a conversion.
pub(super) struct Side<'a> {
    pub(super) version: &'a str,
    /// The page; empty for the page that is made.
    pub(super) page: String,
    pub(super) present: &'a Present,
}

impl Pair<'_> {
    pub(super) fn differences(&self) -> Differences {
        let schema = |version| crd::schema_of(self.manifest, version).unwrap_or_default();
        let (from, to) = (schema(self.spoke.version), schema(self.hub.version));
        let declared = self
            .conversion
            .steps
            .iter()
            .filter(|step| step.change.class == Class::Declared);
        let declared =
            declared.filter_map(|step| Some((step.change.from.clone()?, step.change.to.clone()?)));
        let declared: Vec<_> = declared.collect();
        let converted = self.manifest["spec"]["conversion"]["strategy"] == "Webhook";
        let changes = evolution::diff(&from, &to, &declared);
        let other = if self.spoke.page.is_empty() {
            &self.hub
        } else {
            &self.spoke
        };
        Differences {
            from: self.spoke.version.to_owned(),
            to: self.hub.version.to_owned(),
            other: Link {
                text: other.version.to_owned(),
                href: other.page.clone(),
            },
            converted: converted || !declared.is_empty(),
            changes: changes
                .iter()
                .map(|change| self.difference(change))
                .collect(),
        }
    }

    fn difference(&self, change: &Change) -> Difference {
        let link = |path: &Option<SchemaPath>, side: &Side<'_>| {
            let path = path.as_ref()?;
            let text = if path.last().is_none() {
                "the whole object".to_owned()
            } else {
                path.to_string()
            };
            Some(columns::link(text, &names(path), &side.page, side.present))
        };
        let mut steps = self.conversion.steps.iter();
        let step =
            steps.find(|step| step.change.from == change.from && step.change.to == change.to);
        Difference {
            what: change.class.name(),
            from: link(&change.from, &self.spoke),
            to: link(&change.to, &self.hub),
            details: change.details.clone(),
            how: step.map_or_else(String::new, |step| how(&step.decision)),
        }
    }
}

/// Returns the names of the fields on a path; lists and maps have none.
pub(super) fn names(path: &SchemaPath) -> Vec<String> {
    let names = path
        .segments()
        .into_iter()
        .filter_map(|segment| match segment {
            Segment::Property(name) => Some(name.to_string()),
            Segment::Items | Segment::Values => None,
        });
    names.collect()
}

/// Says how a value is converted.
fn how(decision: &Decision) -> String {
    match decision {
        Decision::Method(_) => "by code of the operator".to_owned(),
        Decision::Automatic => "copied where both versions have it".to_owned(),
        Decision::Declared(strategy) => match strategy {
            Strategy::Copy => "copied".to_owned(),
            Strategy::Values(pairs) => {
                let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} ↔ {b}")).collect();
                pairs.join(", ")
            }
            Strategy::ListInHub => "the only item of the list in the second version".to_owned(),
            Strategy::ListInSpoke => "the only item of the list in the first version".to_owned(),
            Strategy::Multiplied(number) => format!("multiplied by {number}"),
            Strategy::Divided(number) => format!("divided by {number}"),
            Strategy::IfAbsent(Some(value)) => format!("{value} where it is absent"),
            Strategy::IfAbsent(None) => "left out where it is absent".to_owned(),
        },
    }
}

/// Returns the oldest version of each field that some older version lacks.
pub(super) fn since(kind: &Kind, served: &[&Kind], manifest: &Value) -> BTreeMap<String, String> {
    let mut versions: Vec<&str> = served.iter().map(|kind| kind.version.as_str()).collect();
    versions.sort_by_key(|version| std::cmp::Reverse(priority::of(version)));
    let older = versions
        .iter()
        .take_while(|version| **version != kind.version);
    let anchors = |version: &str| -> BTreeSet<String> {
        let schema = crd::schema_of(manifest, version).unwrap_or_default();
        places::anchors(&schema).into_iter().collect()
    };
    let older: Vec<(&str, BTreeSet<String>)> =
        older.map(|version| (*version, anchors(version))).collect();
    if older.is_empty() {
        return BTreeMap::new();
    }
    let own = anchors(&kind.version).into_iter();
    let since = own.filter_map(|anchor| {
        let missing = older.iter().rposition(|(_, has)| !has.contains(&anchor))?;
        let version = older
            .get(missing + 1)
            .map_or(kind.version.as_str(), |(version, _)| version);
        Some((anchor, version.to_owned()))
    });
    since.collect()
}
