//! Transfers the changes of a typed object to the JSON that the server stores.
use serde_json::{Map, Value};

/// What identifies the items of a list, as in the list-map keys of Kubernetes' API. The first key that an item has counts.
const IDENTITIES: [&str; 11] = [
    "uid",
    "name",
    "key",
    "type",
    "id",
    "ip",
    "containerPort",
    "port",
    "mountPath",
    "devicePath",
    "topologyKey",
];

/// Makes the changes from `before` to `after` in `stored`. The three are the written forms of an object before and after the changes, and
/// what it was read from.
///
/// What both forms write alike stays as it is stored, or absent; so does what neither of them writes.
pub(crate) fn transfer(stored: &mut Value, before: &Value, after: &Value) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(before), Value::Object(after)) => {
            if !stored.is_object() {
                *stored = Value::Object(Map::new());
            }
            if let Value::Object(stored) = stored {
                members(stored, before, after);
            }
        }
        (Value::Array(before), Value::Array(after)) => items(stored, before, after),
        _ => stored.clone_from(after),
    }
}

fn members(
    stored: &mut Map<String, Value>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) {
    for (name, after) in after {
        match before.get(name) {
            Some(before) if before == after => {}
            Some(before) => {
                let stored = stored.entry(name.as_str()).or_insert(Value::Null);
                transfer(stored, before, after);
            }
            None => {
                stored.insert(name.clone(), after.clone());
            }
        }
    }
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        stored.remove(name);
    }
}

fn items(stored: &mut Value, before: &[Value], after: &[Value]) {
    let Value::Array(items) = stored else {
        *stored = after.into();
        return;
    };
    if items.len() != before.len() {
        *stored = after.into();
        return;
    }
    let mut old: Vec<Option<Value>> = items.drain(..).map(Some).collect();
    for (item, former) in after.iter().zip(formers(before, after)) {
        let former = former.and_then(|index| Some((old[index].take()?, &before[index])));
        items.push(match former {
            Some((mut stored, before)) => {
                transfer(&mut stored, before, item);
                stored
            }
            None => item.clone(),
        });
    }
}

/// Returns, for each item of a list, the index that it had before the changes; `None` for a new item.
fn formers(before: &[Value], after: &[Value]) -> Vec<Option<usize>> {
    let mut formers = vec![None; after.len()];
    let mut free = vec![true; before.len()];
    // Equal items first: a changed item must not take the place of an unchanged one.
    let rounds: [fn(&Value, &Value) -> bool; 2] = [
        |before, after| before == after,
        |before, after| identity(before).is_some_and(|key| identity(after) == Some(key)),
    ];
    for is_former in rounds {
        let mut next = 0;
        for (former, item) in formers.iter_mut().zip(after) {
            if former.is_none() {
                *former = (next..before.len())
                    .chain(0..next)
                    .find(|&index| free[index] && is_former(&before[index], item));
            }
            if let Some(index) = *former {
                free[index] = false;
                next = index + 1;
            }
        }
    }
    // Without an identity, only the index shows which item was changed.
    if before.len() == after.len() {
        for (index, former) in formers.iter_mut().enumerate() {
            let unidentified = |items: &[Value]| identity(&items[index]).is_none();
            if former.is_none() && free[index] && unidentified(before) && unidentified(after) {
                *former = Some(index);
            }
        }
    }
    formers
}

/// Returns what identifies an item of a list.
fn identity(item: &Value) -> Option<(&'static str, &Value)> {
    IDENTITIES
        .into_iter()
        .find_map(|key| Some((key, item.get(key)?)))
}
