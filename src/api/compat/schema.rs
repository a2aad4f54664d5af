//! Judges what differs between the schemas of one version in two releases, with an object that proves it where one is found.
use serde_json::Value;

use super::{
    Finding, Meter,
    focus::Focus,
    isolate,
    judge::judge,
    kept,
    keywords::{COMPARED, DESCRIPTIONS},
    rules::{Level, Rule},
    side::Side,
    witness,
};
use crate::{
    input::{crd::Schema, path::SchemaPath},
    model::evolution::{self, Change},
};

const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// Lists the changes from one schema to another one.
pub(super) fn changes(before: &Side<'_>, after: &Side<'_>) -> Vec<Change> {
    let schema = |side: &Side<'_>| Schema::of(side.definition.clone().into_owned());
    evolution::diff_releases(&schema(before), &schema(after))
}

/// Compares the schemas of a version that both releases have.
pub(super) fn compare(
    before: &Side<'_>,
    after: &Side<'_>,
    version: &str,
    meter: &Meter<'_>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let (old, new) = (&*before.definition, &*after.definition);
    if old == new {
        return found;
    }
    let changes = changes(before, after);
    meter.add(changes.len());
    for side in [before, after] {
        side.limit(meter.values);
    }
    for change in &changes {
        found.push(judge(before, after, change));
        if before.is_spent() || after.is_spent() {
            meter.skip();
        }
        meter.step();
    }
    let mut rest = Rest::default();
    rest.walk(old, new, &SchemaPath::root());
    for (path, keyword) in rest.unknown {
        let focus = Focus {
            here: &path,
            there: &path,
        };
        let detail = evolution::differs(
            &keyword,
            &before.node(&path)[&keyword],
            &after.node(&path)[&keyword],
        );
        let only = if keyword == "properties" {
            isolate::node(before, after, &focus)
        } else {
            isolate::keywords(before, after, &focus)
        };
        let mut search = witness::rejected(before, after, only.as_ref(), Some(&focus));
        let mut rule = Rule::KeywordChanged;
        let is_removed = keyword == EMBEDDED && after.node(&path).get(EMBEDDED).is_none();
        if is_removed && search.witness.is_none() {
            // An object of a kind becomes any object; it loses what it does not declare.
            let what = kept::What::UnknownFields;
            search = kept::dropped(before, after, only.as_ref(), &focus, what);
            if search.witness.is_none() {
                rule = Rule::Widened;
            }
        }
        found.push(Finding::new(rule, &path, detail).searched(search));
    }
    if rest.descriptions > 0 {
        let detail = match rest.descriptions {
            1 => "1 description".to_owned(),
            more => format!("{more} descriptions"),
        };
        found.push(Finding::new(
            Rule::Descriptions,
            &SchemaPath::root(),
            detail,
        ));
    }
    // What none of the changes says.
    let is_broken = |it: &Finding| it.rejects() || it.rule.level() == Level::Breaking;
    if !found.iter().any(is_broken) {
        let search = witness::rejected(before, after, None, None);
        if search.witness.is_some() {
            let finding = Finding::new(Rule::Rejected, &SchemaPath::root(), String::new());
            found.push(finding.searched(search));
        }
    }
    for finding in &mut found {
        finding.version = Some(version.to_owned());
    }
    found
}

/// What differs in keywords that the comparison of schemas does not look at.
#[derive(Default)]
struct Rest {
    descriptions: usize,
    unknown: Vec<(SchemaPath, String)>,
}

impl Rest {
    fn walk(&mut self, from: &Value, to: &Value, path: &SchemaPath) {
        if from == to {
            return;
        }
        let (Some(old), Some(new)) = (from.as_object(), to.as_object()) else {
            return;
        };
        let added = new.keys().filter(|name| !old.contains_key(*name));
        for keyword in old.keys().chain(added) {
            let [a, b] = [old, new].map(|it| it.get(keyword).filter(|value| **value != false));
            if a == b {
                continue;
            }
            if DESCRIPTIONS.contains(&keyword.as_str()) {
                self.descriptions += 1;
            } else if !COMPARED.contains(&keyword.as_str()) {
                self.unknown.push((path.clone(), keyword.clone()));
            }
        }
        let undeclared = |schema: &Value, name: &Value| {
            let name = name.as_str().unwrap_or_default();
            schema["properties"].get(name).is_none()
        };
        let required = |schema: &Value| -> Vec<Value> {
            let names = schema["required"].as_array().into_iter().flatten();
            names
                .filter(|name| undeclared(schema, name))
                .cloned()
                .collect()
        };
        if required(from) != required(to) {
            self.unknown.push((path.clone(), "required".to_owned()));
        }
        for (name, inner) in from["properties"].as_object().into_iter().flatten() {
            // The comparison leaves out what all objects have; a CRD may restrict their metadata.
            let below = path.property(name);
            let other = &to["properties"][name];
            let is_metadata = path.last().is_none() && name == "metadata";
            if is_metadata && constraints(inner) != constraints(other) {
                self.unknown.push((below.clone(), "properties".to_owned()));
            }
            self.walk(inner, other, &below);
        }
        if path.last().is_none()
            && from["properties"].get("metadata").is_none()
            && !constraints(&to["properties"]["metadata"]).is_null()
        {
            self.unknown
                .push((path.property("metadata"), "properties".to_owned()));
        }
        for (keyword, segment) in [
            ("items", crate::input::path::Segment::Items),
            ("additionalProperties", crate::input::path::Segment::Values),
        ] {
            self.walk(&from[keyword], &to[keyword], &path.join(segment));
        }
    }
}

/// Returns what the schema of an object's metadata restricts: its name, or the way it is generated.
fn constraints(metadata: &Value) -> Value {
    metadata["properties"].clone()
}
