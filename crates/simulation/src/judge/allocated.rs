//! Numbers that an operator hands out, such as ports or addresses: who came first, and what was free then, decides which object gets which, so that a run
//! with a fault may hand out others. What must hold is that no two objects have the same one.
//!
//! A field is such a number if objects of one kind always have different numbers in it, although all specs of users are the same. What a spec decides
//! would be equal then.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::state::{Difference, State};

/// Kinds, each with the path of a field.
pub(crate) type Allocated = BTreeSet<(String, String)>;

/// The numbers of all objects, by kind and path.
type Numbers = BTreeMap<(String, String), Vec<String>>;

/// Returns the fields whose numbers the operator hands out, by the states of runs without faults.
pub(crate) fn allocated<'s>(
    is_of_user: impl Fn(&Value) -> bool,
    states: impl Iterator<Item = &'s State>,
) -> Allocated {
    let (mut found, mut excluded) = (Allocated::new(), Allocated::new());
    for state in states {
        let primaries = state.values().filter(|it| is_of_user(it));
        let specs: BTreeSet<String> = primaries.map(|it| it["spec"].to_string()).collect();
        if specs.len() != 1 {
            continue;
        }
        for (field, numbers) in numbers(state) {
            if numbers.len() > 1 {
                let places = if are_distinct(&numbers) {
                    &mut found
                } else {
                    &mut excluded
                };
                places.insert(field);
            }
        }
    }
    found.retain(|field| !excluded.contains(field));
    found
}

/// Removes the differences in numbers that the operator hands out, where all objects have different ones.
pub(crate) fn without_allocated(
    allocated: &Allocated,
    state: &State,
    mut differences: Vec<Difference>,
) -> Vec<Difference> {
    if differences.iter().any(|it| allocated.contains(&field(it))) {
        let numbers = numbers(state);
        differences.retain(|it| {
            let field = field(it);
            let is_number = it.found.as_deref().is_some_and(is_number);
            let may_differ = || numbers.get(&field).is_some_and(|it| are_distinct(it));
            !(allocated.contains(&field) && is_number && may_differ())
        });
    }
    differences
}

fn field(difference: &Difference) -> (String, String) {
    (kind(&difference.object), difference.path.clone())
}

fn kind(key: &str) -> String {
    key.split(' ').next().unwrap_or_default().to_owned()
}

fn are_distinct(numbers: &[String]) -> bool {
    numbers.iter().collect::<BTreeSet<_>>().len() == numbers.len()
}

/// Whether a value in JSON is a number, also as a text, or an address.
fn is_number(json: &str) -> bool {
    let text = json.trim_matches('"');
    let mut letters = text.chars();
    let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ':' | '/');
    text.starts_with(|letter: char| letter.is_ascii_digit()) && letters.all(is_part)
}

fn numbers(state: &State) -> Numbers {
    let mut all = Numbers::new();
    for (key, object) in state {
        add(&kind(key), "", object, &mut all);
    }
    all
}

fn add(kind: &str, path: &str, value: &Value, all: &mut Numbers) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| *name != "metadata") {
                let dot = if path.is_empty() { "" } else { "." };
                add(kind, &format!("{path}{dot}{name}"), value, all);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                add(kind, &format!("{path}[{index}]"), value, all);
            }
        }
        Value::Number(_) | Value::String(_) => {
            let json = value.to_string();
            if is_number(&json) {
                let field = (kind.to_owned(), path.to_owned());
                all.entry(field).or_default().push(json);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::state::{Mask, differences};

    fn state(ports: &[(&str, &str)]) -> State {
        let map = |(name, port): &(&str, &str)| {
            let object = json!({"kind": "ConfigMap", "data": {"port": port, "same": "1"}});
            (format!("ConfigMap default/{name}"), object)
        };
        ports.iter().map(map).collect()
    }

    #[test]
    fn numbers_that_are_handed_out_may_change_but_not_meet() {
        let calm = state(&[("a", "8000"), ("b", "8001")]);
        let fields = BTreeSet::from([("ConfigMap".to_owned(), "data.port".to_owned())]);
        let left = |found: &[(&str, &str)]| {
            let found = state(found);
            let all = differences(&calm, &found, &Mask::new());
            without_allocated(&fields, &found, all).len()
        };
        assert_eq!(left(&[("a", "8001"), ("b", "8000")]), 0);
        assert_eq!(left(&[("a", "8005"), ("b", "8001")]), 0);
        assert_eq!(left(&[("a", "8001"), ("b", "8001")]), 1);
        assert_eq!(left(&[("a", "x"), ("b", "8001")]), 1);
        // What all objects have alike is decided by something else.
        let mut all = numbers(&calm);
        all.retain(|_, numbers| are_distinct(numbers));
        assert_eq!(all.into_keys().collect::<BTreeSet<_>>(), fields);
    }
}
