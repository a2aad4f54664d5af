//! Finds fields that moved or have a new name among those that only one version has.
use serde_json::{Map, Value};

use super::{
    Change, Class,
    diff::{self, Single, declared_pairs},
    shape::{self, Shape, is_required, is_within, properties},
};
use crate::input::path::{SchemaPath, Segment};

/// Two paths with one value.
pub(super) struct Pair {
    pub(super) class: Class,
    pub(super) from: SchemaPath,
    pub(super) to: SchemaPath,
}

/// A field below what only one version has, through objects alone.
struct Candidate<'a> {
    path: SchemaPath,
    schema: Value,
    single: &'a Single,
}

/// Classifies the fields that only one version has.
pub(super) fn resolve(
    from: &Value,
    to: &Value,
    removed: &[Single],
    added: &[Single],
    declared: &[(SchemaPath, SchemaPath)],
) -> Vec<Change> {
    let mut pairs = declared_pairs(declared);
    let is_free = |path: &SchemaPath, side: fn(&Pair) -> &SchemaPath, pairs: &[Pair]| {
        let mut sides = pairs.iter().map(side);
        !sides.any(|other| is_within(other, path) || is_within(path, other))
    };
    let old = candidates(from, removed);
    let new = candidates(to, added);
    for (class, matches) in [
        (Class::Moved, is_moved as fn(&_, &_) -> bool),
        (Class::Renamed, is_renamed),
    ] {
        // The outermost first: what is in them moves along.
        for a in &old {
            if !is_free(&a.path, |pair| &pair.from, &pairs) {
                continue;
            }
            let free = |b: &&Candidate<'_>| is_free(&b.path, |pair| &pair.to, &pairs);
            let mut found = new.iter().filter(|b| matches(a, b)).filter(free);
            let (Some(b), None) = (found.next(), found.next()) else {
                continue;
            };
            let others = old.iter().filter(|other| matches(other, b));
            let mut others = others.filter(|other| is_free(&other.path, |pair| &pair.from, &pairs));
            // Several candidates would be a guess.
            if others.all(|other| other.path == a.path) {
                pairs.push(Pair {
                    class,
                    from: a.path.clone(),
                    to: b.path.clone(),
                });
            }
        }
    }
    let mut changes = merge(from, to, &old, &new, &mut pairs);
    for pair in pairs.iter().filter(|pair| pair.class != Class::Declared) {
        changes.push(Change {
            class: pair.class,
            from: Some(pair.from.clone()),
            to: Some(pair.to.clone()),
            details: Vec::new(),
        });
        changes.extend(diff::presence(from, to, &pair.from, &pair.to));
    }
    let (paired_from, paired_to): (Vec<_>, Vec<_>) =
        pairs.iter().map(|pair| (&pair.from, &pair.to)).unzip();
    for single in removed {
        let mut left = |class, path, details| {
            changes.push(Change {
                class,
                from: Some(path),
                to: None,
                details,
            });
        };
        split(
            from,
            &single.path,
            &paired_from,
            [Class::Removed, Class::RemovedAround],
            &mut left,
        );
    }
    for single in added {
        let mut left = |class, path, details| {
            changes.push(Change {
                class,
                from: None,
                to: Some(path),
                details,
            });
        };
        split(
            to,
            &single.path,
            &paired_to,
            [Class::Added, Class::AddedAround],
            &mut left,
        );
    }
    changes
}

/// Replaces pairs by one of the outermost objects that contain them and differ in nothing that needs a decision. Returns how those
/// differ.
fn merge(
    from: &Value,
    to: &Value,
    old: &[Candidate<'_>],
    new: &[Candidate<'_>],
    pairs: &mut Vec<Pair>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for a in old {
        let mut within = pairs.iter().filter(|pair| is_within(&pair.from, &a.path));
        let counterpart = within.next().and_then(|pair| counterpart(pair, &a.path));
        let Some(b) = new.iter().find(|b| Some(&b.path) == counterpart) else {
            continue;
        };
        let is_whole = pairs.iter().all(|pair| {
            let is_from = is_within(&pair.from, &a.path);
            is_from == is_within(&pair.to, &b.path) && !(is_from && pair.class == Class::Declared)
        });
        let (Some(is), Some(was)) = (shape::at(to, &b.path), shape::at(from, &a.path)) else {
            continue;
        };
        if is_whole && let Some(differences) = diff::undecided(was, is, &a.path, &b.path) {
            changes.extend(differences);
            pairs.retain(|pair| !is_within(&pair.from, &a.path));
            pairs.push(Pair {
                class: if is_sibling(a, b) {
                    Class::Renamed
                } else {
                    Class::Moved
                },
                from: a.path.clone(),
                to: b.path.clone(),
            });
        }
    }
    changes
}

/// Returns the path that contains the second path of a pair, as `top` contains the first one; none if they differ below, or are equal.
fn counterpart<'p>(pair: &'p Pair, top: &SchemaPath) -> Option<&'p SchemaPath> {
    let (mut from, mut to) = (&pair.from, &pair.to);
    if from == top {
        return None;
    }
    while from != top {
        if from.last() != to.last() {
            return None;
        }
        (from, to) = (from.parent()?, to.parent()?);
    }
    Some(to)
}

/// Reports a field that only one version has, without the parts of it that have a pair.
fn split(
    root: &Value,
    path: &SchemaPath,
    paired: &[&SchemaPath],
    [whole, around]: [Class; 2],
    report: &mut dyn FnMut(Class, SchemaPath, Vec<String>),
) {
    if paired.contains(&path) {
        return;
    }
    let details = presence(root, path);
    if !paired.iter().any(|other| is_within(other, path)) {
        return report(whole, path.clone(), details);
    }
    report(around, path.clone(), details);
    let fields = shape::at(root, path).and_then(properties);
    for (name, _) in fields.into_iter().flatten() {
        split(root, &path.property(name), paired, [whole, around], report);
    }
}

/// Describes whether a field is required, and its default.
fn presence(root: &Value, path: &SchemaPath) -> Vec<String> {
    let (Some(parent), Some(Segment::Property(name))) = (path.parent(), path.last()) else {
        return Vec::new();
    };
    let Some(parent) = shape::at(root, parent) else {
        return Vec::new();
    };
    match parent["properties"][&**name].get("default") {
        Some(default) => vec![format!("default: {default}")],
        None if is_required(parent, name) => vec!["required".to_owned()],
        None => Vec::new(),
    }
}

fn candidates<'a>(root: &Value, singles: &'a [Single]) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    let mut todo: Vec<_> = singles
        .iter()
        .map(|single| (single.path.clone(), single))
        .collect();
    let mut at = 0;
    // Level by level, so that the outermost come first.
    while let Some((path, single)) = todo.get(at).cloned() {
        at += 1;
        let Some(schema) = shape::at(root, &path) else {
            continue;
        };
        if Shape::of(schema) == Shape::Object {
            let fields = properties(schema).into_iter().flatten();
            todo.extend(fields.map(|(name, _)| (path.property(name), single)));
        }
        found.push(Candidate {
            schema: without_docs(schema),
            path,
            single,
        });
    }
    found
}

/// Returns a schema without what does not restrict values.
fn without_docs(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, value)| {
                // A property may be called `description`; its value is an object then.
                let is_text = value.is_string();
                !(is_text && matches!(name.as_str(), "description" | "title")
                    || matches!(name.as_str(), "example" | "externalDocs"))
            });
            let fields: Map<String, Value> = fields
                .map(|(name, value)| (name.clone(), without_docs(value)))
                .collect();
            fields.into()
        }
        Value::Array(items) => items.iter().map(without_docs).collect(),
        other => other.clone(),
    }
}

/// Returns whether both are within the same items of the same lists.
fn is_in_same_items(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    let parents = (a.single.path.parent(), b.single.path.parent());
    let (Some(from_parent), Some(to_parent)) = parents else {
        return false;
    };
    let below = |parent: &SchemaPath| shape::items(&parent.property("_"));
    below(from_parent) == below(&b.single.other_parent)
        && below(to_parent) == below(&a.single.other_parent)
}

/// Returns whether a field has the same name and schema elsewhere.
fn is_moved(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    a.path.last() == b.path.last() && a.schema == b.schema && is_in_same_items(a, b)
}

/// Returns whether a field has the same schema in the same object, and a similar name.
fn is_renamed(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    let (Some(Segment::Property(from)), Some(Segment::Property(to))) =
        (a.path.last(), b.path.last())
    else {
        return false;
    };
    is_sibling(a, b) && a.schema == b.schema && is_similar(from, to)
}

/// Returns whether both are fields of one object, which both versions have.
fn is_sibling(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    let is_top = a.path == a.single.path && b.path == b.single.path;
    is_top
        && a.path.parent() == Some(&b.single.other_parent)
        && b.path.parent() == Some(&a.single.other_parent)
}

/// Returns whether one name contains the other, or most letters are the same.
pub(crate) fn is_similar(from: &str, to: &str) -> bool {
    let (from, to) = (from.to_lowercase(), to.to_lowercase());
    from.contains(&to)
        || to.contains(&from)
        || strsim::normalized_damerau_levenshtein(&from, &to) >= 0.6
}
