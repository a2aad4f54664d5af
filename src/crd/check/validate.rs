//! Validates a value by a schema, with the semantics of the API server. CEL rules are not evaluated.
use serde_json::Value;

use super::{EMBEDDED, INT_OR_STRING, PRESERVE, Schema, child, flag, formats, kind, list, pattern};
use super::{properties, text, texts};

/// Returns why a value violates a schema, if it does; a violation within the value starts with its path.
pub(super) fn violation(schema: &Schema, value: &Value) -> Option<String> {
    if value.is_null() && flag(schema, "nullable") {
        return None;
    }
    type_(schema, value)
        .or_else(|| enumeration(schema, value))
        .or_else(|| match value {
            Value::String(value) => string(schema, value),
            Value::Number(_) => number(schema, value),
            Value::Array(items) => array(schema, items),
            Value::Object(fields) => object(schema, fields),
            Value::Null | Value::Bool(_) => None,
        })
        .or_else(|| branches(schema, value))
}

fn type_(schema: &Schema, value: &Value) -> Option<String> {
    let is_integer = || value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let fits = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => is_integer(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        // Every other type has its own diagnostic.
        _ => true,
    };
    if flag(schema, INT_OR_STRING) {
        return (!value.is_string() && !is_integer())
            .then(|| format!("{} is neither an integer nor a string", shown(value)));
    }
    let kind = kind(schema);
    (!fits(kind)).then(|| format!("{} is not of type {kind}", shown(value)))
}

fn enumeration(schema: &Schema, value: &Value) -> Option<String> {
    let values = list(schema, "enum");
    if values.is_empty() || values.iter().any(|known| equal(known, value)) {
        return None;
    }
    let values: Vec<String> = values.iter().map(shown).collect();
    Some(format!(
        "{} is not one of {}",
        shown(value),
        values.join(", ")
    ))
}

/// Whether values are equal; numbers by their value.
fn equal(a: &Value, b: &Value) -> bool {
    a == b || matches!((a.as_f64(), b.as_f64()), (Some(a), Some(b)) if a.to_bits() == b.to_bits())
}

fn string(schema: &Schema, value: &str) -> Option<String> {
    let shown = || format!("{value:?}");
    sizes(
        schema,
        value.chars().count(),
        "Length",
        "characters",
        &shown,
    )
    .or_else(|| {
        let pattern = text(schema, "pattern")?;
        (!pattern::matches(pattern, value))
            .then(|| format!("{} does not match the pattern {pattern:?}", shown()))
    })
    .or_else(|| {
        let format = text(schema, "format").filter(|_| matches!(kind(schema), "" | "string"))?;
        (!formats::fits(format, value)).then(|| format!("{} is not a {format}", shown()))
    })
}

fn number(schema: &Schema, value: &Value) -> Option<String> {
    let number = value.as_f64()?;
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let least = bound("minimum")
        .filter(|least| number < *least || (flag(schema, "exclusiveMinimum") && number <= *least));
    let most = bound("maximum")
        .filter(|most| number > *most || (flag(schema, "exclusiveMaximum") && number >= *most));
    if let Some(least) = least {
        return Some(format!("{value} is below the minimum {least}"));
    }
    if let Some(most) = most {
        return Some(format!("{value} is above the maximum {most}"));
    }
    if text(schema, "format") == Some("int32")
        && kind(schema) == "integer"
        && !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number)
    {
        return Some(format!("{value} is not an int32"));
    }
    if text(schema, "format") == Some("float") && number.abs() > f64::from(f32::MAX) {
        return Some(format!("{value} is not a float of 32 bits"));
    }
    let factor = bound("multipleOf").filter(|factor| *factor > 0.0)?;
    ((number / factor).fract() != 0.0).then(|| format!("{value} is not a multiple of {factor}"))
}

fn array(schema: &Schema, items: &[Value]) -> Option<String> {
    let shown = || "the list".to_owned();
    sizes(schema, items.len(), "Items", "items", &shown).or_else(|| {
        let schema = child(schema, "items")?;
        let mut items = items.iter().enumerate();
        items.find_map(|(index, item)| below(&format!("[{index}]"), violation(schema, item)))
    })
}

fn object(schema: &Schema, fields: &Schema) -> Option<String> {
    let shown = || "the object".to_owned();
    let missing = texts(schema, "required").find(|name| !fields.contains_key(*name));
    if let Some(name) = missing {
        return Some(format!("the required field {name:?} is missing"));
    }
    sizes(schema, fields.len(), "Properties", "fields", &shown).or_else(|| {
        let values = child(schema, "additionalProperties");
        fields.iter().find_map(|(name, value)| {
            let declared = child(schema, "properties").and_then(|all| child(all, name));
            below(&format!(".{name}"), violation(declared.or(values)?, value))
        })
    })
}

/// Puts a path in front of a violation.
fn below(step: &str, violation: Option<String>) -> Option<String> {
    violation.map(|text| {
        let separator = if text.starts_with(['.', '[']) {
            ""
        } else {
            ": "
        };
        format!("{step}{separator}{text}")
    })
}

fn sizes(
    schema: &Schema,
    size: usize,
    what: &str,
    unit: &str,
    shown: &dyn Fn() -> String,
) -> Option<String> {
    let bound = |keyword: String| schema.get(&keyword).and_then(Value::as_u64);
    let size = u64::try_from(size).unwrap_or(u64::MAX);
    let least = bound(format!("min{what}")).filter(|least| size < *least);
    let most = bound(format!("max{what}")).filter(|most| size > *most);
    least
        .map(|least| format!("{} has fewer than {least} {unit}", shown()))
        .or_else(|| most.map(|most| format!("{} has more than {most} {unit}", shown())))
}

fn branches(schema: &Schema, value: &Value) -> Option<String> {
    let fits = |branch: &Value| {
        let branch = branch.as_object();
        branch.is_none_or(|branch| violation(branch, value).is_none())
    };
    let mut all_of = list(schema, "allOf").iter().filter_map(Value::as_object);
    if let Some(found) = all_of.find_map(|branch| violation(branch, value)) {
        return Some(found);
    }
    let any_of = list(schema, "anyOf");
    if !any_of.is_empty() && !any_of.iter().any(fits) {
        return Some("no branch of `anyOf` fits".to_owned());
    }
    let one_of = list(schema, "oneOf");
    let fitting = one_of.iter().filter(|branch| fits(branch)).count();
    if !one_of.is_empty() && fitting != 1 {
        return Some(format!("{fitting} branches of `oneOf` fit instead of one"));
    }
    let not = schema.get("not").filter(|not| not.is_object())?;
    fits(not).then(|| "the schema of `not` fits".to_owned())
}

/// Shows a value in a message; of a list or an object only what it is.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

/// Returns the path of the first field that the API server would prune; a resource keeps what every object has.
pub(super) fn pruned(schema: &Schema, value: &Value, is_resource: bool) -> Option<String> {
    undeclared(Some(schema), value, is_resource)
}

/// Without a schema, no field is declared.
fn undeclared(schema: Option<&Schema>, value: &Value, is_resource: bool) -> Option<String> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let step = format!(".{name}");
            let Some(schema) = schema else {
                return Some(step);
            };
            let is_resource = is_resource || flag(schema, EMBEDDED);
            if is_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                return None;
            }
            let declared = properties(schema).find(|(declared, _)| *declared == name);
            let found = match (declared, schema.get("additionalProperties")) {
                (Some((_, declared)), _) => undeclared(Some(declared), value, false),
                (None, Some(Value::Object(values))) => undeclared(Some(values), value, false),
                (None, _) if flag(schema, PRESERVE) => None,
                (None, Some(_)) => undeclared(None, value, false),
                (None, None) => return Some(step),
            };
            found.map(|rest| step + &rest)
        }),
        Value::Array(items) => {
            let of_items = schema.and_then(|schema| child(schema, "items"));
            if of_items.is_none() && schema.is_some_and(|schema| flag(schema, PRESERVE)) {
                return None;
            }
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| {
                undeclared(of_items, item, false).map(|rest| format!("[{index}]{rest}"))
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(schema: &Value, value: &Value) -> Option<String> {
        violation(schema.as_object().unwrap(), value)
    }

    #[test]
    fn violations_say_what_and_where() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "array", "maxItems": 2, "items": {"type": "integer", "minimum": 1}},
            "b": {"type": "string", "pattern": "^a+$", "maxLength": 3},
        }});
        assert_eq!(of(&schema, &json!({"a": [1, 2], "b": "aa"})), None);
        for (value, expected) in [
            (json!([]), "a list is not of type object"),
            (json!({}), "the required field \"a\" is missing"),
            (json!({"a": [1, 0]}), ".a[1]: 0 is below the minimum 1"),
            (json!({"a": [1.5]}), ".a[0]: 1.5 is not of type integer"),
            (
                json!({"a": [1, 2, 3]}),
                ".a: the list has more than 2 items",
            ),
            (
                json!({"a": [], "b": "b"}),
                ".b: \"b\" does not match the pattern \"^a+$\"",
            ),
        ] {
            assert_eq!(of(&schema, &value).as_deref(), Some(expected));
        }
    }

    #[test]
    fn branches_are_evaluated() {
        let schema = json!({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            "not": {"required": ["c"]}});
        assert_eq!(of(&schema, &json!({"a": 1})), None);
        assert!(of(&schema, &json!({"a": 1, "b": 1})).is_some());
        assert!(of(&schema, &json!({"a": 1, "c": 1})).is_some());
    }

    #[test]
    fn undeclared_fields_are_pruned() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                "properties": {"b": {"type": "object"}}},
            "map": {"type": "object", "additionalProperties": {"type": "string"}},
        }});
        let schema = schema.as_object().unwrap();
        let kept = json!({"a": {"x": {"y": 1}, "b": {}}, "map": {"k": "v"}});
        assert_eq!(pruned(schema, &kept, false), None);
        let lost = json!({"a": {"b": {"c": 1}}});
        assert_eq!(pruned(schema, &lost, false).as_deref(), Some(".a.b.c"));
        assert_eq!(
            pruned(schema, &json!({"z": 1}), false).as_deref(),
            Some(".z")
        );
    }
}
