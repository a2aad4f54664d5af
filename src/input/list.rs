//! The objects of a document as kubectl takes them: lists, which may be nested, stand for their items.
use serde_json::Value;

use crate::base::diag::pointer;

/// Returns the objects of a document, each with its JSON pointer: the document itself, or the items of the list that it is.
pub fn objects(document: Value) -> Vec<(String, Value)> {
    let mut objects = Vec::new();
    add(document, String::new(), &mut objects);
    objects
}

fn add(mut value: Value, at: String, objects: &mut Vec<(String, Value)>) {
    let kind = value["kind"].as_str().unwrap_or_default();
    if !kind.ends_with("List") || !value["items"].is_array() {
        objects.push((at, value));
        return;
    }
    if let Value::Array(items) = value["items"].take() {
        for (index, item) in items.into_iter().enumerate() {
            let mut at = at.clone();
            pointer::push(&mut at, "items");
            pointer::push_index(&mut at, index);
            add(item, at, objects);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_stand_for_their_items() {
        let inner = json!({"kind": "WidgetList", "items": [{"kind": "A"}, {"kind": "B"}]});
        let found = objects(json!({"kind": "List", "items": [{"kind": "C"}, inner]}));
        let at: Vec<_> = found
            .iter()
            .map(|(at, it)| (&**at, it["kind"].as_str().unwrap()))
            .collect();
        assert_eq!(
            at,
            [
                ("/items/0", "C"),
                ("/items/1/items/0", "A"),
                ("/items/1/items/1", "B")
            ]
        );
        // A kind may be called so.
        let allow = json!({"kind": "AllowList", "spec": {"items": []}});
        assert_eq!(objects(allow.clone()), [(String::new(), allow)]);
        assert_eq!(objects(json!({"kind": "List", "items": []})), []);
    }
}
