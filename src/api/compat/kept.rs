//! Finds objects that both releases accept and store differently: without a field that only the first one has, or with another default.
use serde_json::Value;

use super::{
    candidates,
    focus::Focus,
    proof::{Proof, Witness},
    shrink::shrink,
    side::Side,
    witness::Search,
};
use crate::input::path::{SchemaPath, Segment};

/// What a release drops at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The field itself.
    Field,
    /// Declared fields of the object, or keys of the map.
    Fields,
    /// Fields that the object does not declare.
    UnknownFields,
}

/// Searches for an object with a value at a path that only the first release keeps. `only` is the first release with this change alone.
pub(super) fn dropped(
    before: &Side<'_>,
    after: &Side<'_>,
    only: Option<&Side<'_>>,
    focus: &Focus<'_>,
    what: What,
) -> Search {
    let is_dropped = |object: &Value, by: &Side<'_>| {
        let drops = |by: &Side<'_>| drops(by, object, focus.here, what);
        drops(after)
            && only.is_none_or(drops)
            && before.dropped(object).is_empty()
            && before.rejections(object).is_empty()
            // Else it is rejected, and nothing is dropped.
            && by.rejections(object).is_empty()
    };
    let objects = candidates::reaching(before, focus);
    // Another change may reject all objects.
    for by in [Some(after), only].into_iter().flatten() {
        let is_dropped = |object: &Value| is_dropped(object, by);
        if let Some(object) = objects.iter().find(|object| is_dropped(object)) {
            return dropped_by(only.unwrap_or(by), object, objects.len(), &is_dropped);
        }
    }
    Search {
        witness: None,
        tries: objects.len(),
    }
}

/// Searches for an object that loses a place when it is stored in another version: nothing validates it then. `remaining` is what the second
/// release makes of the first version.
pub(super) fn lost(
    before: &Side<'_>,
    after: &Side<'_>,
    remaining: Option<&Side<'_>>,
    focus: &Focus<'_>,
    what: What,
) -> Search {
    let is_lost = |object: &Value| {
        let drops = |by: &Side<'_>| drops(by, object, focus.here, what);
        drops(after)
            && !remaining.is_some_and(drops)
            && before.dropped(object).is_empty()
            && before.rejections(object).is_empty()
    };
    let objects = candidates::reaching(before, focus);
    let Some(object) = objects.iter().find(|object| is_lost(object)) else {
        return Search {
            witness: None,
            tries: objects.len(),
        };
    };
    dropped_by(after, object, objects.len(), &is_lost)
}

/// Makes a witness of an object that a release drops something of.
fn dropped_by(
    by: &Side<'_>,
    object: &Value,
    tries: usize,
    is_dropped: &dyn Fn(&Value) -> bool,
) -> Search {
    let object = shrink(object.clone(), is_dropped);
    let paths = by.dropped(&object);
    let proof = Proof::Dropped { paths };
    let witness = Some(Witness { object, proof });
    Search { witness, tries }
}

/// Returns whether a release drops what an object has at a place.
fn drops(by: &Side<'_>, object: &Value, path: &SchemaPath, what: What) -> bool {
    let counted = |object: &Value| count(object, &path.segments(), what);
    counted(object) > counted(&by.pruned(object))
}

/// Counts what an object has at a place: values, or their fields.
fn count(value: &Value, path: &[&Segment], what: What) -> usize {
    let Some((first, rest)) = path.split_first() else {
        return match (what, value) {
            (What::Field, _) => 1,
            (_, Value::Object(fields)) => fields.len(),
            _ => 0,
        };
    };
    let inner = |value| count(value, rest, what);
    match (first, value) {
        (Segment::Property(name), Value::Object(fields)) => fields.get(&**name).map_or(0, inner),
        (Segment::Items, Value::Array(items)) => items.iter().map(inner).sum(),
        (Segment::Values, Value::Object(fields)) => fields.values().map(inner).sum(),
        _ => 0,
    }
}

/// Searches for an object without a field, or with null, that both releases accept and store differently. `only` is the first release with one change
/// of the second one.
pub(super) fn stored(
    before: &Side<'_>,
    after: &Side<'_>,
    only: Option<&Side<'_>>,
    focus: &Focus<'_>,
) -> Search {
    let only = only.unwrap_or(after);
    let values = |object: &Value| {
        let mut stored = [before.stored(object), only.stored(object)];
        for stored in &mut stored {
            stored["apiVersion"] = before.head["apiVersion"].clone();
        }
        stored
    };
    let differs = |object: &Value, by: &Side<'_>| {
        let [old, new] = values(object);
        old != new
            && before.dropped(object).is_empty()
            && before.rejections(object).is_empty()
            && by.rejections(object).is_empty()
            // Else the field that only one of them has is the difference.
            && before.dropped(&new).is_empty()
            && only.dropped(&old).is_empty()
    };
    let mut objects = candidates::without(before, focus);
    objects.extend(candidates::null(before, focus));
    // Another change may reject all objects.
    let mut sides = [after, only].into_iter();
    let tries = objects.len();
    let found = sides.find_map(|by| {
        let object = objects.iter().find(|object| differs(object, by))?;
        Some((object.clone(), by))
    });
    let witness = found.and_then(|(object, by)| {
        let object = shrink(object, &|object| differs(object, by));
        let [old, new] = values(&object);
        let (path, before, after) = first_difference(&old, &new, String::new())?;
        let proof = Proof::Stored {
            path,
            before,
            after,
        };
        Some(Witness { object, proof })
    });
    Search { witness, tries }
}

/// Returns the first place where two objects differ, and both values.
fn first_difference(a: &Value, b: &Value, path: String) -> Option<(String, String, String)> {
    let below = |name: &str| match path.as_str() {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
    match (a, b) {
        _ if a == b => None,
        (Value::Object(old), Value::Object(new)) => {
            let mut names = old.keys().chain(new.keys());
            names.find_map(|name| match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => first_difference(old, new, below(name)),
                (old, new) => {
                    let text =
                        |it: Option<&Value>| it.map_or("absent".to_owned(), Value::to_string);
                    Some((below(name), text(old), text(new)))
                }
            })
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            let mut items = old.iter().zip(new).enumerate();
            items.find_map(|(index, (old, new))| {
                first_difference(old, new, format!("{path}[{index}]"))
            })
        }
        _ => Some((path, a.to_string(), b.to_string())),
    }
}
