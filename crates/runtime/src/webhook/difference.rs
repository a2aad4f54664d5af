//! The change that a handler made, as a patch of the object that was sent.
use json_patch::Patch;
use serde_json::{Map, Value};

/// Returns the patch that makes the change from `before` to `after` in `sent`.
///
/// `before` is `sent` decoded and written again. It lacks the fields that the type does not know, and may have others that are blank. So neither
/// is part of the patch.
pub(super) fn patch(sent: &Value, before: &Value, after: &Value) -> Patch {
    json_patch::diff(sent, &changed(sent, before, after))
}

fn changed(sent: &Value, before: &Value, after: &Value) -> Value {
    if before == after {
        return sent.clone();
    }
    match (sent, before, after) {
        (Value::Object(sent), Value::Object(before), Value::Object(after)) => {
            object(sent, before, after)
        }
        (Value::Array(sent), Value::Array(before), Value::Array(after)) => {
            array(sent, before, after)
        }
        _ => after.clone(),
    }
}

fn object(
    sent: &Map<String, Value>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Value {
    let empty = Value::Object(Map::new());
    let mut result = sent.clone();
    for (field, new) in after {
        let old = before.get(field);
        if old == Some(new) {
            continue;
        }
        let value = match (sent.get(field), old, new) {
            (Some(sent), Some(old), new) => changed(sent, old, new),
            // The field is blank in `before`, and absent in `sent`.
            (None, Some(old), Value::Object(_)) => changed(&empty, old, new),
            _ => new.clone(),
        };
        result.insert(field.clone(), value);
    }
    for field in before.keys().filter(|field| !after.contains_key(*field)) {
        result.remove(field);
    }
    Value::Object(result)
}

/// Items that did not change are kept as they were sent; the others are paired by their name, or by their index if the length is the same.
fn array(sent: &[Value], before: &[Value], after: &[Value]) -> Value {
    let pairs: Vec<_> = sent.iter().zip(before).collect();
    let paired_by_index = before.len() == after.len();
    let items = after.iter().enumerate().map(|(index, new)| {
        let same_index = pairs.get(index).filter(|_| paired_by_index);
        let by_index = same_index.filter(|(_, old)| name(old) == name(new));
        let found = by_index
            .or_else(|| pairs.iter().find(|(_, old)| *old == new))
            .or_else(|| {
                let name = name(new)?;
                pairs.iter().find(|(_, old)| self::name(old) == Some(name))
            });
        found.map_or_else(|| new.clone(), |(sent, old)| changed(sent, old, new))
    });
    Value::Array(items.collect())
}

fn name(item: &Value) -> Option<&str> {
    item.get("name")?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn apply(sent: &Value, before: &Value, after: &Value) -> Value {
        let mut result = sent.clone();
        json_patch::patch(&mut result, &patch(sent, before, after)).unwrap();
        result
    }

    #[test]
    fn unknown_and_blank_fields_are_left_alone() {
        let sent = json!({"spec": {"new": 1, "a": 1}});
        let before = json!({"metadata": {}, "spec": {"a": 1, "blank": ""}});
        assert!(patch(&sent, &before, &before).0.is_empty());
        let after = json!({"metadata": {"labels": {"x": "y"}}, "spec": {"b": 2, "blank": ""}});
        assert_eq!(
            apply(&sent, &before, &after),
            json!({"metadata": {"labels": {"x": "y"}}, "spec": {"new": 1, "b": 2}})
        );
    }

    #[test]
    fn items_of_lists_keep_their_unknown_fields() {
        let sent = json!([{"name": "a", "new": 1, "size": 1}, {"name": "b", "new": 2}]);
        let before = json!([{"name": "a", "size": 1}, {"name": "b"}]);
        let after = json!([{"name": "b", "size": 3}, {"name": "c"}, {"name": "a", "size": 1}]);
        assert_eq!(
            apply(&sent, &before, &after),
            json!([{"name": "b", "new": 2, "size": 3}, {"name": "c"}, {"name": "a", "new": 1, "size": 1}])
        );
        let after = json!([{"name": "c", "size": 1}, {"name": "b"}]);
        assert_eq!(
            apply(&sent, &before, &after),
            json!([{"name": "c", "size": 1}, {"name": "b", "new": 2}])
        );
    }

    #[test]
    fn items_without_names_are_paired_by_index() {
        let sent = json!([{"port": 1, "new": 1}, {"port": 2, "new": 2}]);
        let before = json!([{"port": 1}, {"port": 2}]);
        let after = json!([{"port": 1, "protocol": "TCP"}, {"port": 2}]);
        assert_eq!(
            apply(&sent, &before, &after),
            json!([{"port": 1, "new": 1, "protocol": "TCP"}, {"port": 2, "new": 2}])
        );
    }
}
