//! Makes lists near the bounds of two schemas of one place.
use serde_json::{Value, json};

use super::{
    differing::differing,
    part::{MOST_ITEMS, Part, literals},
};

/// How many random values are made of which some differ.
const MANY: u64 = 200;

/// Returns lists near the bounds of both schemas, with equal items and with different ones.
pub(super) fn of(old: &Part<'_>, new: &Part<'_>, samples: &[Value]) -> Vec<Value> {
    let items = differing(&old.definition["items"], &new.definition["items"]);
    let Some(items) = old.inside(&items) else {
        return Vec::new();
    };
    let all: Vec<Value> = items.samples(40).collect();
    let keys = old.definition["x-kubernetes-list-map-keys"].as_array();
    let keys = keys.into_iter().flatten().filter_map(Value::as_str);
    let keys: Vec<&str> = keys.collect();
    let mut found = Vec::new();
    let mut wanted = vec![0, 1, 2];
    for part in [old, new] {
        for keyword in ["minItems", "maxItems"] {
            for bound in part.bounds(keyword) {
                wanted.extend([bound.saturating_sub(1), bound, bound.saturating_add(1)]);
            }
        }
    }
    for count in wanted.into_iter().filter(|it| *it <= MOST_ITEMS) {
        found.push(distinct(&items, &keys, &all, count).into());
        if let Some(first) = all.first() {
            found.push(vec![first.clone(); count].into());
        }
    }
    for list in samples.iter().filter_map(Value::as_array) {
        // Equal items are what a set and a map reject.
        let twice: Vec<Value> = list.iter().chain(list).cloned().collect();
        found.push(twice.into());
    }
    // Items that only one of the keys of a map distinguishes.
    let whole = (!keys.is_empty())
        .then(|| old.inside(&old.definition["items"]))
        .flatten();
    let whole: Vec<Value> = whole.iter().flat_map(|it| it.samples(2)).collect();
    for key in keys {
        for item in &whole {
            let mut other = item.clone();
            if let Some(value) = other.get_mut(key) {
                *value = numbered(value, 1);
                found.push(json!([item, other]));
            }
        }
    }
    if items.definition["type"] == "string" {
        found.extend(literals(new).into_iter().map(|it| json!([it])));
    }
    // Items with the same keys, which differ elsewhere.
    for (index, a) in all.iter().enumerate() {
        found.extend(all[index + 1..].iter().take(3).map(|b| json!([a, b])));
    }
    found
}

/// Returns this many items that differ, as far as they can: in the first key of a map that has enough values, or in what is theirs.
fn distinct(items: &Part<'_>, keys: &[&str], samples: &[Value], count: usize) -> Vec<Value> {
    let Some(first) = samples.first() else {
        return Vec::new();
    };
    for key in keys {
        let Some(part) = items.inside(&items.definition["properties"][*key]) else {
            continue;
        };
        let values = different(&part, part.samples(MANY), count);
        if values.len() == count {
            let with = |value: Value| {
                let mut item = first.clone();
                item[*key] = value;
                item
            };
            return values.into_iter().map(with).collect();
        }
    }
    let random = if first.is_object() { 0 } else { MANY };
    let all = samples.iter().cloned().chain(items.samples(random));
    let mut found = different(items, all, count);
    for number in 1.. {
        if found.len() >= count {
            break;
        }
        found.push(numbered(first, number));
    }
    found
}

/// Returns at most this many of these values that differ, and of numbered ones that are accepted.
fn different(part: &Part<'_>, values: impl Iterator<Item = Value>, count: usize) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut first = None;
    for value in values {
        if found.len() == count {
            return found;
        }
        if !found.contains(&value) {
            first.get_or_insert_with(|| value.clone());
            found.push(value);
        }
    }
    let Some(first) = first else {
        return found;
    };
    let numbers = (1..=count).map(|number| numbered(&first, number));
    let others = first.as_str().into_iter().flat_map(with_other_letters);
    // If the first number is rejected, so are most of the others.
    let numbers = numbers.take_while(|it| part.accepts(it));
    for value in numbers.chain(others.map(Value::from).filter(|it| part.accepts(it))) {
        if found.len() == count {
            break;
        }
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Returns texts with one other letter or digit each.
fn with_other_letters(text: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = text.chars().collect();
    let places = (0..letters.len()).rev();
    let all = places.flat_map(|place| ('0'..='9').chain('a'..='z').map(move |c| (place, c)));
    all.map(move |(place, c)| {
        let mut letters = letters.clone();
        letters[place] = c;
        letters.into_iter().collect()
    })
}

/// Returns another value of the same shape.
fn numbered(value: &Value, number: usize) -> Value {
    match value {
        Value::String(text) => format!("{text}{number}").into(),
        Value::Number(_) => (1000 + number).into(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| match value {
                Value::String(_) | Value::Number(_) => (name.clone(), numbered(value, number)),
                value => (name.clone(), value.clone()),
            });
            Value::Object(fields.collect())
        }
        value => value.clone(),
    }
}
