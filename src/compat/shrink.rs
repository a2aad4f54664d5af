//! Makes an object as small as it gets, as long as it proves the same.
use serde_json::Value;

use crate::diag::pointer::{push, steps};

/// How many smaller objects are tried at most.
const MOST: usize = 2400;

/// Removes fields and items, and shortens texts, as long as the object proves the same.
pub(super) fn shrink(mut object: Value, proves: &dyn Fn(&Value) -> bool) -> Value {
    let mut budget = MOST;
    loop {
        let mut smaller = false;
        let mut places = Vec::new();
        pointers(&object, &mut String::new(), &mut places);
        for pointer in places {
            // An earlier removal may have removed it, or moved an item.
            if object.pointer(&pointer).is_none() {
                continue;
            }
            for changed in reductions(&object, &pointer) {
                if budget == 0 {
                    return object;
                }
                budget -= 1;
                if proves(&changed) {
                    object = changed;
                    smaller = true;
                    break;
                }
            }
        }
        if !smaller {
            return object;
        }
    }
}

/// Makes a stored object and its update smaller: both at one place, then each for itself.
pub(super) fn shrink_pair(
    (mut stored, mut update): (Value, Value),
    proves: &dyn Fn(&Value, &Value) -> bool,
) -> (Value, Value) {
    let mut budget = MOST;
    loop {
        let mut places = Vec::new();
        pointers(&stored, &mut String::new(), &mut places);
        let mut smaller = false;
        for pointer in places {
            let [of_stored, of_update] = [&stored, &update].map(|object| {
                let without = reductions(object, &pointer).into_iter().next();
                without.filter(|_| object.pointer(&pointer).is_some())
            });
            if let (Some(a), Some(b)) = (of_stored, of_update)
                && budget > 0
            {
                budget -= 1;
                if proves(&a, &b) {
                    (stored, update) = (a, b);
                    smaller = true;
                }
            }
        }
        if !smaller {
            break;
        }
    }
    let stored = shrink(stored, &|stored| proves(stored, &update));
    let update = shrink(update, &|update| proves(&stored, update));
    (stored, update)
}

/// Lists the places of an object that may be removed or made smaller, the outermost first.
fn pointers(value: &Value, at: &mut String, found: &mut Vec<String>) {
    let length = at.len();
    let mut below = |step: &str, value: &Value| {
        push(at, step);
        let is_head = matches!(at.as_str(), "/apiVersion" | "/kind" | "/metadata/name");
        if !is_head {
            found.push(at.clone());
            pointers(value, at, found);
        }
        at.truncate(length);
    };
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                below(name, value);
            }
        }
        Value::Array(items) => {
            // The last first, so that the indexes of the others stay.
            for (index, value) in items.iter().enumerate().rev() {
                below(&index.to_string(), value);
            }
        }
        _ => {}
    }
}

/// Returns the object without a place, and with smaller values there.
fn reductions(object: &Value, pointer: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let (Some((parent, _)), Some(step)) = (pointer.rsplit_once('/'), steps(pointer).last()) else {
        return found;
    };
    let mut without = object.clone();
    match without.pointer_mut(parent) {
        Some(Value::Object(fields)) if pointer != "/metadata" => _ = fields.remove(&step),
        Some(Value::Array(items)) => {
            if let Ok(index) = step.parse::<usize>()
                && index < items.len()
            {
                items.remove(index);
            }
        }
        _ => {}
    }
    if without != *object {
        found.push(without);
    }
    if let Some(Value::String(text)) = object.pointer(pointer) {
        let letters = text.chars().count();
        for length in [letters / 2, letters.saturating_sub(1)] {
            if (1..letters).contains(&length) && letters > 8 {
                let mut shorter = object.clone();
                if let Some(place) = shorter.pointer_mut(pointer) {
                    *place = text.chars().take(length).collect::<String>().into();
                    found.push(shorter);
                }
            }
        }
    }
    found
}
