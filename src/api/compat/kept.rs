//! Finds objects that both releases accept and store differently: without a field that only the first one has, or with another default.
use serde_json::Value;

use super::{
    candidates::{self, Focus},
    isolate,
    proof::{Proof, Witness},
    shrink::shrink,
    witness::{Search, Side},
};

/// Searches for an object with a value at a path that only the first release keeps.
pub(super) fn dropped(before: &Side<'_>, after: &Side<'_>, focus: &Focus<'_>) -> Search {
    let is_dropped = |by: &Side<'_>, object: &Value| {
        before.refusals(object).is_empty()
            && before.dropped(object).is_empty()
            && !after.dropped(object).is_empty()
            && !by.dropped(object).is_empty()
            // Else it is refused, and nothing is dropped.
            && by.refusals(object).is_empty()
    };
    let objects = candidates::reaching(before, focus);
    let tries = objects.len();
    // Another change may refuse all objects.
    let only = isolate::around(before, after, focus);
    for by in [Some(after), only.as_ref()].into_iter().flatten() {
        if let Some(object) = objects.iter().find(|object| is_dropped(by, object)) {
            let object = shrink(object.clone(), &|object| is_dropped(by, object));
            let paths = by.dropped(&object);
            let proof = Proof::Dropped { paths };
            let witness = Some(Witness { object, proof });
            return Search { witness, tries };
        }
    }
    Search {
        witness: None,
        tries,
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
    let mut tries = 0;
    let only = only.unwrap_or(after);
    let values = |object: &Value| {
        let mut stored = [before.stored(object), only.stored(object)];
        for stored in &mut stored {
            stored["apiVersion"] = before.head["apiVersion"].clone();
        }
        stored
    };
    let differs = |object: &Value| {
        let [old, new] = values(object);
        old != new
            && before.dropped(object).is_empty()
            && before.refusals(object).is_empty()
            && after.refusals(object).is_empty()
            // Else the field that only one of them has is the difference.
            && before.dropped(&new).is_empty()
            && only.dropped(&old).is_empty()
    };
    let found = candidates::without(before, focus).into_iter();
    let null = candidates::null(before, focus).into_iter();
    let found = found.chain(null);
    let found = found.inspect(|_| tries += 1).find(differs);
    let witness = found.and_then(|object| {
        let object = shrink(object, &differs);
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
