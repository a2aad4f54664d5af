//! Rules that compare whole values. kube-apiserver 1.37 gives the same answers:
//! `kube-codegen-conformance objects crates/conformance/crds/comparisons.yaml`.

#![cfg(feature = "cel")]

use std::error::Error;

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

/// Returns the messages about an update of the value by a rule.
fn messages(
    schema: &Value,
    rule: &str,
    old: &Value,
    new: &Value,
) -> Result<Vec<String>, Box<dyn Error>> {
    let mut schema = schema.clone();
    schema["x-kubernetes-validations"] = json!([{"rule": rule, "message": "rejected"}]);
    let schema = Schema::new(&json!({"type": "object", "properties": {"value": schema}}))?;
    let causes = schema.validate_update(&json!({"value": new}), &json!({"value": old}));
    Ok(causes.into_iter().map(|cause| cause.message).collect())
}

/// Asserts whether a rule takes two states of an object for equal.
fn compare(schema: &Value, old: &Value, new: &Value, is_equal: bool) -> Result<(), Box<dyn Error>> {
    let messages = messages(schema, "self == oldSelf", old, new)?;
    assert_eq!(
        messages.is_empty(),
        is_equal,
        "{old} and {new}: {messages:?}"
    );
    Ok(())
}

#[test]
fn objects_are_compared_also_by_what_rules_cannot_read() -> Result<(), Box<dyn Error>> {
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let declared = json!({"type": "object", "properties": {
        "count": {"type": "integer"},
        "text": {"type": "string", "nullable": true},
    }});
    let cases = [
        (&open, json!({"a": 1}), json!({"a": 1}), true),
        (&open, json!({"a": 1}), json!({"a": 2}), false),
        (&open, json!({"a": 1}), json!({"a": 1, "b": 1}), false),
        // The server does not notice that a field has another name.
        (&open, json!({"a": 1}), json!({"b": 1}), true),
        (
            &declared,
            json!({"count": 1}),
            json!({"count": 1, "text": null}),
            false,
        ),
        (
            &declared,
            json!({"text": null}),
            json!({"text": null}),
            true,
        ),
        (
            &declared,
            json!({"text": "a"}),
            json!({"text": null}),
            false,
        ),
    ];
    for (schema, old, new, is_equal) in cases {
        compare(schema, &old, &new, is_equal)?;
    }
    Ok(())
}

#[test]
fn a_float_in_place_of_an_integer_is_an_error_wherever_it_is_read() -> Result<(), Box<dyn Error>> {
    let object = json!({"type": "object", "properties": {"count": {"type": "integer"}}});
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let (old, new) = (json!({"count": 2}), json!({"count": 1.0}));
    for (schema, rule, is_error) in [
        (&object, "has(self.count)", true),
        (&object, "self.?count.hasValue()", true),
        (&object, "self == oldSelf", true),
        (&map, "'count' in self", true),
        // What cannot be compared is not equal.
        (&object, "self != oldSelf", false),
        (&map, "self.size() == 1", false),
    ] {
        let messages = messages(schema, rule, &old, &new)?;
        let expected = "invalid data, expected int, got float64";
        let found = messages.iter().any(|message| message.contains(expected));
        assert_eq!(found, is_error, "{rule}: {messages:?}");
        assert_eq!(messages.is_empty(), !is_error, "{rule}: {messages:?}");
    }
    Ok(())
}

#[test]
fn lists_without_order_are_compared_by_their_items() -> Result<(), Box<dyn Error>> {
    let set =
        json!({"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"});
    let keyed = json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "value": {"type": "integer"},
        }},
    });
    let item = |name: &str, value: i32| json!({"name": name, "value": value});
    let cases = [
        (&set, json!([1, 2]), json!([2, 1]), true),
        (&set, json!([1, 2]), json!([1, 3]), false),
        (
            &keyed,
            json!([item("a", 1), item("b", 2)]),
            json!([item("b", 2), item("a", 1)]),
            true,
        ),
        (&keyed, json!([item("a", 1)]), json!([item("a", 2)]), false),
    ];
    for (schema, old, new, is_equal) in cases {
        compare(schema, &old, &new, is_equal)?;
    }
    // A map is not a list, and no value is another one's kind.
    let value = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let found = messages(
        &value,
        "dyn(self) == dyn([1])",
        &json!({}),
        &json!({"a": 1}),
    )?;
    assert_eq!(found, ["Invalid value: rejected"]);
    Ok(())
}
