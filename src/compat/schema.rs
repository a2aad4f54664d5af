//! Judges what differs between the schemas of one version in two releases, with an object that proves it where one is found.
use serde_json::{Map, Value};

use super::{
    Finding,
    candidates::Focus,
    isolate, kept,
    rules::{Level, Rule},
    updates, values,
    witness::{self, Side},
};
use crate::{
    evolution::{self, Change, Class},
    path::SchemaPath,
};

/// Keywords that say nothing about values.
pub(super) const DESCRIPTIONS: [&str; 5] =
    ["description", "title", "example", "externalDocs", "id"];

/// Keywords that the comparison of schemas knows.
const COMPARED: [&str; 32] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "type",
    "uniqueItems",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

/// Compares the schemas of a version that both releases have.
pub(super) fn compare(before: &Side<'_>, after: &Side<'_>, version: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let (old, new) = (&*before.definition, &*after.definition);
    if old == new {
        return found;
    }
    let changes = evolution::diff_releases(old, new);
    for change in &changes {
        found.push(judge(before, after, change));
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
            &at(before, &path)[&keyword],
            &at(after, &path)[&keyword],
        );
        let only = isolate::keywords(before, after, &focus);
        let search = witness::refused(before, after, only.as_ref(), Some(&focus));
        found.push(Finding::new(Rule::KeywordChanged, &path, detail).searched(search));
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
    let is_broken = |it: &Finding| it.refuses() || it.rule.level() == Level::Breaking;
    if !found.iter().any(is_broken) {
        let search = witness::refused(before, after, None, None);
        if search.witness.is_some() {
            let finding = Finding::new(Rule::Refused, &SchemaPath::root(), String::new());
            found.push(finding.searched(search));
        }
    }
    for finding in &mut found {
        finding.version = Some(version.to_owned());
    }
    found
}

fn at<'s>(side: &'s Side<'_>, path: &SchemaPath) -> &'s Value {
    evolution::at(&side.definition, path).unwrap_or(&Value::Null)
}

/// Finds the rule of a change, and an object that proves it.
fn judge(before: &Side<'_>, after: &Side<'_>, change: &Change) -> Finding {
    let path = change.path();
    let (here, there) = (
        change.from.as_ref().unwrap_or(&path),
        change.to.as_ref().unwrap_or(&path),
    );
    let focus = Focus { here, there };
    let back = focus.back();
    let (Some(parent), Some(new_parent)) =
        (here.parent().or(Some(here)), there.parent().or(Some(there)))
    else {
        return Finding::new(Rule::KeywordChanged, &path, String::new());
    };
    let around = Focus {
        here: parent,
        there: new_parent,
    };
    let detail = change.details.join("; ");
    let finding = |rule| Finding::new(rule, &path, detail.clone());
    let refused = |rule, only: Option<Side<'_>>, focus: &Focus<'_>| {
        finding(rule).searched(witness::refused(before, after, only.as_ref(), Some(focus)))
    };
    let accepted = |rule, only: Option<Side<'_>>, focus: &Focus<'_>| {
        finding(rule).searched(witness::accepted(before, after, only.as_ref(), Some(focus)))
    };
    let whole = isolate::constraints;
    let dropped = |rule| finding(rule).searched(kept::dropped(before, after, &focus));
    match change.class {
        Class::Moved | Class::Renamed | Class::Declared => {
            let mut moved = dropped(Rule::FieldMoved);
            moved.to = change.to.as_ref().map(SchemaPath::to_string);
            moved
        }
        Class::Removed | Class::RemovedAround => dropped(Rule::FieldRemoved),
        Class::Pruned => dropped(Rule::Pruned),
        Class::Added | Class::AddedAround if change.details.iter().any(|it| it == "required") => {
            let only = isolate::field(before, after, &focus, true);
            refused(Rule::FieldRequired, only, &around)
        }
        Class::Added | Class::AddedAround => {
            let keeps = at(before, parent)["x-kubernetes-preserve-unknown-fields"] == true;
            let has_default = at(after, there).get("default").is_some();
            if keeps || has_default {
                let only = isolate::field(before, after, &focus, false);
                let narrowed = refused(Rule::Narrowed, only, &around);
                if narrowed.witness.is_some() {
                    return narrowed;
                }
            }
            finding(Rule::FieldAdded)
        }
        Class::NowRequired => {
            let only = isolate::field(before, after, &focus, true);
            refused(Rule::FieldRequired, only, &around)
        }
        Class::NowOptional => {
            let only = isolate::field(after, before, &back, true);
            accepted(Rule::FieldOptional, only, &around.back())
        }
        Class::Narrowed => refused(Rule::Narrowed, whole(before, after, &focus), &focus),
        // Each value of an enum can be tried.
        Class::Changed if includes_enum(before, after, &focus) => {
            accepted(Rule::Widened, whole(after, before, &back), &back)
        }
        Class::Changed => {
            let mut changed = refused(Rule::Changed, whole(before, after, &focus), &focus);
            // Only a search says which of two patterns accepts more.
            let is_searched =
                |it: &String| it.starts_with("pattern: ") || it.starts_with("format: ");
            if changed.witness.is_none() && change.details.iter().all(is_searched) {
                changed.rule = Rule::RulesChanged;
                changed.level = Rule::RulesChanged.level();
            }
            changed
        }
        Class::Retyped => refused(
            Rule::TypeChanged,
            isolate::node(before, after, &focus),
            &focus,
        ),
        Class::NotNullable => {
            let found = refused(Rule::NotNullable, whole(before, after, &focus), &focus);
            if found.witness.is_some() {
                return found;
            }
            // The API server drops null where a field may be absent.
            let mut dropped = found.searched(kept::stored(before, after, &focus));
            dropped.level = Level::Risk;
            dropped
        }
        Class::Widened => accepted(Rule::Widened, whole(after, before, &back), &back),
        Class::Nullable => accepted(Rule::Nullable, whole(after, before, &back), &back),
        Class::Preserved => finding(Rule::Preserved),
        Class::Default => {
            let only = isolate::default(before, after, &focus);
            let narrowed = refused(Rule::Narrowed, only, &around);
            if narrowed.witness.is_some() {
                return narrowed;
            }
            finding(Rule::DefaultChanged).searched(kept::stored(before, after, &focus))
        }
        Class::Rules => rules(before, after, &focus, &finding),
    }
}

/// Returns whether the second schema accepts each value of an enum.
fn includes_enum(before: &Side<'_>, after: &Side<'_>, focus: &Focus<'_>) -> bool {
    let (old, new) = (at(before, focus.here), at(after, focus.there));
    let parts = before.part(old).zip(after.part(new));
    parts.is_some_and(|(old, new)| values::includes_enum(&old, &new))
}

/// Judges rules, combinators and types of lists: what they refuse is found by search.
fn rules(
    before: &Side<'_>,
    after: &Side<'_>,
    focus: &Focus<'_>,
    finding: &dyn Fn(Rule) -> Finding,
) -> Finding {
    let (old, new) = (at(before, focus.here), at(after, focus.there));
    let only = isolate::keywords(before, after, focus);
    let mut narrowed = witness::refused(before, after, only.as_ref(), Some(focus));
    if narrowed.witness.is_some() {
        return finding(Rule::RulesNarrowed).searched(narrowed);
    }
    let about_updates = updates::differ(old, new);
    if about_updates {
        let refused = updates::refused(before, after, only.as_ref(), focus);
        narrowed.tries += refused.tries;
        if refused.witness.is_some() {
            return finding(Rule::RulesNarrowed).searched(refused);
        }
    }
    if only_fewer_rules(old, new) {
        let back = focus.back();
        let only = isolate::keywords(after, before, &back);
        let mut widened = witness::accepted(before, after, only.as_ref(), Some(&back));
        if widened.witness.is_none() && about_updates {
            widened = updates::accepted(before, after, only.as_ref(), &back);
        }
        return finding(Rule::RulesWidened).searched(widened);
    }
    finding(Rule::RulesChanged).searched(narrowed)
}

/// Returns whether nothing that restricts values differs but rules that the second schema does not have, or their messages.
fn only_fewer_rules(old: &Value, new: &Value) -> bool {
    const RULES: &str = "x-kubernetes-validations";
    let others = |schema: &Value| -> Map<String, Value> {
        let fields = schema.as_object().into_iter().flatten();
        let counted = fields.filter(|(name, _)| {
            let below = ["properties", "items", "additionalProperties", RULES];
            !DESCRIPTIONS.contains(&name.as_str()) && !below.contains(&name.as_str())
        });
        counted
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    let texts = |schema: &Value| -> Vec<(Value, Value)> {
        let rules = schema[RULES].as_array().into_iter().flatten();
        rules
            .map(|rule| (rule["rule"].clone(), rule["optionalOldSelf"].clone()))
            .collect()
    };
    let (old_rules, new_rules) = (texts(old), texts(new));
    others(old) == others(new) && new_rules.iter().all(|rule| old_rules.contains(rule))
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
            if old.get(keyword) == new.get(keyword) {
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
            ("items", crate::path::Segment::Items),
            ("additionalProperties", crate::path::Segment::Values),
        ] {
            self.walk(&from[keyword], &to[keyword], &path.join(segment));
        }
    }
}

/// Returns what the schema of an object's metadata restricts: its name, or the way it is generated.
fn constraints(metadata: &Value) -> Value {
    metadata["properties"].clone()
}
