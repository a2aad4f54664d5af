//! Finds the first difference between two JSON values, with its path.
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The first difference; `metadata` counts as the API server reads it, where null is absent and absent is empty; an owner always has
/// a uid.
pub(super) fn difference(read: &Value, written: &Value) -> Option<String> {
    let (mut read, mut written) = (read.clone(), written.clone());
    if let Some(metadata) = read.get_mut("metadata") {
        without_null(metadata);
        let owners = metadata
            .get_mut("ownerReferences")
            .and_then(Value::as_array_mut);
        for owner in owners
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
        {
            owner.entry("uid").or_insert_with(|| json!(""));
        }
    }
    for object in [&mut read, &mut written] {
        if let Some(object) = object.as_object_mut() {
            object.retain(|name, value| name != "metadata" || *value != json!({}));
        }
    }
    let mut path = String::new();
    differ(&read, &written, &mut path).map(|what| format!("{path}: {what}"))
}

fn without_null(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Leaves `path` at the difference, if there is one.
fn differ(read: &Value, written: &Value, path: &mut String) -> Option<String> {
    match (read, written) {
        (Value::Object(read), Value::Object(written)) => maps(read, written, path),
        (Value::Array(read), Value::Array(written)) if read.len() == written.len() => {
            for (index, (read, written)) in read.iter().zip(written).enumerate() {
                let length = path.len();
                _ = write!(path, "[{index}]");
                if let found @ Some(_) = differ(read, written, path) {
                    return found;
                }
                path.truncate(length);
            }
            None
        }
        (Value::Number(read), Value::String(written)) if is_text_of(read, written) => None,
        _ => (read != written).then(|| format!("{read} was written as {written}")),
    }
}

/// Whether a text is what `Quantity` and `IntOrString` make of a number.
fn is_text_of(number: &serde_json::Number, text: &str) -> bool {
    let float = number.as_f64().filter(|_| number.is_f64());
    number.to_string() == text || float.is_some_and(|float| text.parse() == Ok(float))
}

fn maps(
    read: &Map<String, Value>,
    written: &Map<String, Value>,
    path: &mut String,
) -> Option<String> {
    for (name, value) in read {
        let length = path.len();
        path.push('.');
        path.push_str(name);
        let found = match written.get(name) {
            Some(written) => differ(value, written, path),
            None => Some(format!("{value} was lost")),
        };
        if found.is_some() {
            return found;
        }
        path.truncate(length);
    }
    let added = written.iter().find(|(name, _)| !read.contains_key(*name));
    added.map(|(name, value)| format!("`{name}` was added: {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_no_difference() {
        let object =
            json!({"metadata": {"creationTimestamp": null, "name": "a"}, "spec": {"x": 1}});
        let written = json!({"metadata": {"name": "a"}, "spec": {"x": 1}});
        assert_eq!(difference(&object, &written), None);
        let written = json!({"metadata": {"name": "a"}, "spec": {"x": "1"}});
        assert_eq!(difference(&object, &written), None);
        assert_eq!(difference(&json!([1e3]), &json!(["1000"])), None);
        for (read, written) in [
            ("{}", "{\"metadata\":{}}"),
            ("{\"metadata\":{\"name\":null}}", "{}"),
        ] {
            let [read, written] = [read, written].map(|it| serde_json::from_str(it).unwrap());
            assert_eq!(difference(&read, &written), None);
        }
    }

    #[test]
    fn differences_have_their_path() {
        let object = json!({"spec": {"a": [{"b": null}]}});
        for (written, expected) in [
            (json!({"spec": {"a": [{}]}}), ".spec.a[0].b: null was lost"),
            (
                json!({"spec": {"a": [{"b": 1}]}}),
                ".spec.a[0].b: null was written as 1",
            ),
            (
                json!({"spec": {"a": [{"b": null}], "c": 1}}),
                ".spec: `c` was added: 1",
            ),
            (
                json!({"spec": {"a": []}}),
                ".spec.a: [{\"b\":null}] was written as []",
            ),
        ] {
            assert_eq!(difference(&object, &written).as_deref(), Some(expected));
        }
        let rounded = difference(
            &json!({"x": [i64::MAX]}),
            &json!({"x": [9_223_372_036_854_775_807.0]}),
        );
        assert_eq!(
            rounded.as_deref(),
            Some(".x[0]: 9223372036854775807 was written as 9.223372036854776e+18")
        );
    }
}
