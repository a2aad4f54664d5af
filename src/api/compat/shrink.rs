//! Makes an object as small as it gets, as long as it proves the same.
use serde_json::Value;

use crate::base::diag::pointer::{push, steps};

/// How many smaller objects are tried at most.
const MOST: usize = 2400;
/// A list of more items is made smaller as a whole: each item for itself would take as many tries as there are items, each of them as long.
const LONG: usize = 12;

/// Removes fields and items, and shortens texts, as long as the object proves the same.
pub(super) fn shrink(mut object: Value, proves: &dyn Fn(&Value) -> bool) -> Value {
    let mut budget = MOST;
    loop {
        let mut smaller = false;
        let mut places = Vec::new();
        pointers(&object, &mut String::new(), &mut places);
        for pointer in places {
            // Again, since half of what is left may go, too. An earlier removal may have removed the place, or moved an item.
            while object.pointer(&pointer).is_some() {
                let all = reductions(&object, &pointer);
                let Some(changed) = all.take(budget).find(|changed| {
                    budget -= 1;
                    proves(changed)
                }) else {
                    break;
                };
                object = changed;
                smaller = true;
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
                let without = reductions(object, &pointer).next();
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
        Value::Array(items) if items.len() > LONG => {
            let last = items.len() - 1;
            push(at, &last.to_string());
            found.push(at.clone());
            at.truncate(length);
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

/// Returns the object without a place, and with smaller values there: half as many fields or items, items with fewer fields, or a shorter text.
fn reductions(object: &Value, pointer: &str) -> impl Iterator<Item = Value> {
    let place = object.pointer(pointer);
    let size = match place {
        Some(Value::Object(fields)) => fields.len(),
        Some(Value::Array(items)) => items.len(),
        _ => 0,
    };
    let halves = [0..size / 2, size / 2..size].into_iter();
    let halves = halves.filter(move |_| size > 3).map(|range| {
        changed(object, pointer, |place| match place {
            Value::Object(fields) => {
                let mut index = 0;
                fields.retain(|_, _| {
                    index += 1;
                    !range.contains(&(index - 1))
                });
            }
            Value::Array(items) => _ = items.drain(range),
            _ => {}
        })
    });
    let first = place.and_then(Value::as_array).filter(|it| it.len() > LONG);
    let first = first.and_then(|items| items.first()?.as_object());
    let names: Vec<String> = first
        .into_iter()
        .flat_map(|it| it.keys().cloned())
        .collect();
    let poorer = names.into_iter().map(|name| {
        changed(object, pointer, |place| {
            let items = place.as_array_mut().into_iter().flatten();
            for item in items.filter_map(Value::as_object_mut) {
                item.remove(&name);
            }
        })
    });
    let letters = place.and_then(Value::as_str);
    let letters = letters.map_or(0, |text| text.chars().count());
    let lengths = [letters / 2, letters.saturating_sub(1)].into_iter();
    let texts = lengths.filter(move |_| letters > 8).map(|length| {
        changed(object, pointer, |place| {
            if let Value::String(text) = place {
                *text = text.chars().take(length).collect();
            }
        })
    });
    without(object, pointer)
        .into_iter()
        .chain(halves)
        .chain(poorer)
        .chain(texts)
}

/// Returns the object without a place; `None` if it is always there.
fn without(object: &Value, pointer: &str) -> Option<Value> {
    let (parent, _) = pointer.rsplit_once('/')?;
    let step = steps(pointer).last()?;
    if pointer == "/metadata" {
        return None;
    }
    let mut without = object.clone();
    match without.pointer_mut(parent)? {
        Value::Object(fields) => _ = fields.remove(&step)?,
        Value::Array(items) => {
            let index = step.parse().ok().filter(|index| *index < items.len())?;
            items.remove(index);
        }
        _ => return None,
    }
    Some(without)
}

fn changed(object: &Value, pointer: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut changed = object.clone();
    if let Some(place) = changed.pointer_mut(pointer) {
        change(place);
    }
    changed
}
