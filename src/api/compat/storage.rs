//! Judges another storage version. Without a webhook, the API server changes nothing but `apiVersion` when it stores an object in another
//! version, and drops what that version does not declare: what the old storage version kept is lost at the next write.
use serde_json::Value;

use super::{
    Finding,
    focus::Focus,
    kept,
    rules::{Level, Rule},
    schema,
    side::Side,
    versions,
};
use crate::{input::path::SchemaPath, model::evolution::Class};

/// How many places the detail of a change names.
const NAMED: usize = 5;

/// Compares the storage versions of two releases.
pub(super) fn compare(old: &Value, new: &Value) -> Vec<Finding> {
    let (Some((a, before)), Some((b, after))) = (versions::stored(old), versions::stored(new))
    else {
        return Vec::new();
    };
    if a == b {
        return Vec::new();
    }
    let detail = format!("{a}, then {b}");
    let changed = |detail: String| Finding::at(Rule::StorageChanged, "", detail);
    let (Some(before), Some(after)) = (Side::new(old, before), Side::new(new, after)) else {
        return vec![changed(detail)];
    };
    // What the new release removes from the old storage version, too, is a change of that version.
    let remaining = versions::version(new, a).and_then(|it| Side::new(new, it));
    let lacking = lacking(&before, &after, remaining.as_ref());
    if versions::converts_by_webhook(new) {
        return vec![changed(match names(&lacking) {
            Some(names) => {
                format!("{detail}; the webhook decides what becomes of {names}, which {b} lacks")
            }
            None => detail,
        })];
    }
    if lacking.is_empty() {
        let mut finding = changed(format!("{detail}, which keeps all fields"));
        finding.level = Level::Compatible;
        return vec![finding];
    }
    let found = lacking.into_iter().map(|lacks| {
        let finding = Finding::new(Rule::StoragePruned, &lacks.here, detail.clone());
        searched(finding, a, &lacks, &before, &after, remaining.as_ref())
    });
    found.collect()
}

/// Returns what clients of other versions lose once the webhook is removed: fields that only their version declares are dropped when objects
/// are stored.
pub(super) fn unconverted(old: &Value, new: &Value) -> Vec<Finding> {
    let (Some((former, _)), Some((stored, after))) = (versions::stored(old), versions::stored(new))
    else {
        return Vec::new();
    };
    let Some(after) = Side::new(new, after) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, remaining) in versions::versions_of(new) {
        let before = versions::version(old, name).filter(|it| it["served"] == true);
        // What the former storage version kept is a matter of the storage.
        let (Some(before), true) = (before, remaining["served"] == true) else {
            continue;
        };
        if [former, stored].contains(&name) {
            continue;
        }
        let (Some(before), remaining) = (Side::new(old, before), Side::new(new, remaining)) else {
            continue;
        };
        for lacks in lacking(&before, &after, remaining.as_ref()) {
            let detail = format!("{name}, stored as {stored}");
            let finding = Finding::new(Rule::ConversionRemoved, &lacks.here, detail);
            found.push(searched(
                finding,
                name,
                &lacks,
                &before,
                &after,
                remaining.as_ref(),
            ));
        }
    }
    found
}

/// Looks for an object of a version that proves what it loses.
fn searched(
    mut finding: Finding,
    version: &str,
    lacks: &Lacking,
    before: &Side<'_>,
    after: &Side<'_>,
    remaining: Option<&Side<'_>>,
) -> Finding {
    let focus = Focus {
        here: &lacks.here,
        there: &lacks.there,
    };
    finding.version = Some(version.to_owned());
    finding.searched(kept::lost(before, after, remaining, &focus, lacks.what))
}

/// A place that a storage version lacks.
struct Lacking {
    here: SchemaPath,
    there: SchemaPath,
    what: kept::What,
}

/// Returns the places of what only the old storage version keeps.
fn lacking(before: &Side<'_>, after: &Side<'_>, remaining: Option<&Side<'_>>) -> Vec<Lacking> {
    let changes = schema::changes(before, after);
    let found = changes.into_iter().filter_map(|change| {
        let what = match change.class {
            Class::Pruned => kept::What::UnknownFields,
            Class::Removed | Class::RemovedAround | Class::Moved | Class::Renamed => {
                kept::What::Field
            }
            // Fields and the keys of maps become each other; scalars of another type stay what they are.
            Class::Retyped | Class::Narrowed | Class::Changed => {
                let is_open = keeps(before, change.from.as_ref()?, kept::What::UnknownFields);
                match change.class {
                    _ if is_open => kept::What::UnknownFields,
                    Class::Retyped => kept::What::Fields,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let here = change.from.clone()?;
        let there = match what {
            kept::What::Field => here.clone(),
            _ => change.to.clone()?,
        };
        let is_lacking = |side: &Side<'_>| !side.preserves && !keeps(side, &there, what);
        let is_removed = remaining.is_some_and(is_lacking);
        (is_lacking(after) && !is_removed).then_some(Lacking { here, there, what })
    });
    found.collect()
}

/// Returns whether a version keeps what objects may have at a place, as far as its schema says.
fn keeps(side: &Side<'_>, path: &SchemaPath, what: kept::What) -> bool {
    let open = |node: &Value| {
        node["x-kubernetes-preserve-unknown-fields"] == true || node["additionalProperties"] == true
    };
    let node = side.at(path);
    let is_object = |node: &Value| node["type"] == "object";
    match what {
        kept::What::Field => {
            let around = path.parent();
            node.is_some()
                || around.is_none_or(|around| match side.at(around) {
                    Some(it) => {
                        open(it) || it["additionalProperties"].is_object() || !is_object(it)
                    }
                    None => keeps(side, around, what),
                })
        }
        kept::What::UnknownFields => node.is_none_or(|it| open(it) || !is_object(it)),
        kept::What::Fields => node
            .is_none_or(|it| open(it) || it["additionalProperties"].is_object() || !is_object(it)),
    }
}

/// Returns the names of the first places.
fn names(lacking: &[Lacking]) -> Option<String> {
    let names = lacking.iter().take(NAMED).map(|it| match it.what {
        kept::What::Field => it.here.to_string(),
        kept::What::Fields => format!("the fields of {}", it.here),
        kept::What::UnknownFields => format!("unknown fields of {}", it.here),
    });
    let mut names: Vec<String> = names.collect();
    let more = lacking.len().saturating_sub(NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    (!names.is_empty()).then(|| names.join(", "))
}
