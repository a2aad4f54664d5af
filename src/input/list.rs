//! The objects of a document, with lists expanded as kubectl does; lists may be nested.
//!
//! The items of a typed list, such as a `RoleList`, need no version and kind.
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
    let item_kind = kind.strip_suffix("List").map(str::to_owned);
    let is_list = |value: &Value| match value.get("items") {
        None => value["kind"] == "List",
        Some(items) => items.is_array() || items.is_null(),
    };
    let Some(item_kind) = item_kind.filter(|_| is_list(&value)) else {
        objects.push((at, value));
        return;
    };
    let items = value.get_mut("items").map(Value::take);
    let Some(Value::Array(items)) = items else {
        return;
    };
    for (index, mut item) in items.into_iter().enumerate() {
        if let Some(fields) = item.as_object_mut()
            && !item_kind.is_empty()
        {
            let version = || value["apiVersion"].clone();
            fields.entry("apiVersion").or_insert_with(version);
            let kind = || item_kind.as_str().into();
            fields.entry("kind").or_insert_with(kind);
        }
        let mut at = at.clone();
        pointer::push(&mut at, "items");
        pointer::push_index(&mut at, index);
        add(item, at, objects);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_stand_for_their_items() {
        let inner =
            json!({"apiVersion": "e.com/v1", "kind": "WidgetList", "items": [{"kind": "A"}, {}]});
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
                ("/items/1/items/1", "Widget")
            ]
        );
        assert_eq!(found[2].1["apiVersion"], "e.com/v1");
        // A kind may be called so.
        let allow = json!({"kind": "AllowList", "spec": {"items": []}});
        assert_eq!(objects(allow.clone()), [(String::new(), allow)]);
        for items in [json!([]), json!(null)] {
            assert_eq!(objects(json!({"kind": "List", "items": items})), []);
        }
        assert_eq!(objects(json!({"kind": "List"})), []);
        let wrong = json!({"kind": "List", "items": "x"});
        assert_eq!(objects(wrong.clone()), [(String::new(), wrong)]);
    }
}
