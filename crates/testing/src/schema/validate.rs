//! Validates an object by its structural schema, with the messages of the API server.

mod combinations;

use std::collections::BTreeSet;

use kube::core::response::StatusCause;
use kube_codegen_record::Number;
use regex::Regex;
use serde_json::Value;

use crate::{
    object::{flag, list},
    status::cause,
};
use combinations::{all_of, any_of, not, one_of};

type Causes = Vec<StatusCause>;

/// Checks one keyword: schema, value, path, violations.
type Check = fn(&Value, &Value, &str, &mut Causes);

/// The keywords that concern one value.
const CHECKS: &[(&str, Check)] = &[
    ("enum", enumeration),
    ("pattern", pattern),
    ("minimum", minimum),
    ("maximum", maximum),
    ("multipleOf", multiple_of),
    ("minLength", min_length),
    ("maxLength", max_length),
    ("minItems", min_items),
    ("maxItems", max_items),
    ("minProperties", min_properties),
    ("maxProperties", max_properties),
    ("x-kubernetes-list-type", unique_items),
    ("required", required),
    ("allOf", all_of),
    ("anyOf", any_of),
    ("oneOf", one_of),
    ("not", not),
];

/// Returns the violations of an object, in document order.
pub(crate) fn validate(schema: &Value, object: &Value) -> Vec<StatusCause> {
    let mut causes = Causes::new();
    walk(schema, object, "", &mut causes);
    causes
}

fn walk(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if value.is_null() && flag(schema, "/nullable") {
        return;
    }
    if let Some(expected) = schema.get("type").and_then(Value::as_str)
        && !is(value, expected)
    {
        let (mut found, mut expected) = (type_of(value), expected);
        if expected == "integer" && value.is_number() {
            // Go's validator reports a fraction twice.
            let format = schema["format"].as_str();
            let of = match format {
                Some(format) => format!("with format {format}"),
                None => "(default format)".to_owned(),
            };
            let message = format!(
                "Invalid value: \"\": Checked value must be of type integer {of} in {path}"
            );
            causes.push(cause("<nil>", "FieldValueInvalid", message));
            if let Some(format) = format {
                (found, expected) = ("float64", format);
            }
        }
        let message = format!(
            "Invalid value: \"{found}\": {path} in body must be of type {expected}: \"{found}\""
        );
        causes.push(cause(path, "FieldValueTypeInvalid", message));
        return;
    }
    if flag(schema, "/x-kubernetes-int-or-string") && !(value.is_string() || value.is_number()) {
        let found = type_of(value);
        let message = format!(
            "Invalid value: \"{found}\": {path} in body must be of type integer,string: \"{found}\""
        );
        causes.push(cause(path, "FieldValueTypeInvalid", message));
    }
    for (keyword, check) in CHECKS {
        if schema.get(keyword).is_some() {
            check(schema, value, path, causes);
        }
    }
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties");
            let additional = schema.get("additionalProperties");
            for (name, field) in fields {
                let inner = properties.and_then(|properties| properties.get(name));
                if let Some(inner) = inner.or(additional) {
                    walk(inner, field, &join(path, name), causes);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    walk(inner, item, &format!("{path}[{index}]"), causes);
                }
            }
        }
        _ => {}
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn is(value: &Value, expected: &str) -> bool {
    match expected {
        "number" => value.is_number(),
        expected => type_of(value) == expected,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) => match Number::from(number).as_i64() {
            Some(_) => "integer",
            None => "number",
        },
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn invalid(value: &Value, path: &str, rule: &str, causes: &mut Causes) {
    let message = format!("Invalid value: {}: {path} in body {rule}", shown(value));
    causes.push(cause(path, "FieldValueInvalid", message));
}

/// Formats a value for a message; of an object or array only the type.
fn shown(value: &Value) -> String {
    if value.is_object() || value.is_array() {
        format!("\"{}\"", type_of(value))
    } else {
        value.to_string()
    }
}

fn enumeration(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let values = list(schema, "/enum");
    if !values.contains(value) {
        let listed: Vec<_> = values.iter().map(Value::to_string).collect();
        let message = format!(
            "Unsupported value: {value}: supported values: {}",
            listed.join(", ")
        );
        causes.push(cause(path, "FieldValueNotSupported", message));
    }
}

/// Patterns are not anchored.
fn pattern(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str()) else {
        return;
    };
    if Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text)) {
        invalid(value, path, &format!("should match '{pattern}'"), causes);
    }
}

fn minimum(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let exclusive = flag(schema, "/exclusiveMinimum");
    if let (Some(bound), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
        && if exclusive {
            number <= bound
        } else {
            number < bound
        }
    {
        let relation = if exclusive {
            "greater than"
        } else {
            "greater than or equal to"
        };
        invalid(
            value,
            path,
            &format!("should be {relation} {}", number_text(&schema["minimum"])),
            causes,
        );
    }
}

fn maximum(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let exclusive = flag(schema, "/exclusiveMaximum");
    if let (Some(bound), Some(number)) = (schema["maximum"].as_f64(), value.as_f64())
        && if exclusive {
            number >= bound
        } else {
            number > bound
        }
    {
        let relation = if exclusive {
            "less than"
        } else {
            "less than or equal to"
        };
        invalid(
            value,
            path,
            &format!("should be {relation} {}", number_text(&schema["maximum"])),
            causes,
        );
    }
}

fn multiple_of(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if let (Some(factor), Some(number)) = (schema["multipleOf"].as_f64(), value.as_f64())
        && (number / factor).fract() != 0.0
    {
        invalid(
            value,
            path,
            &format!(
                "should be a multiple of {}",
                number_text(&schema["multipleOf"])
            ),
            causes,
        );
    }
}

/// Formats a number as Go's `%v`: integers without a fraction.
fn number_text(number: &Value) -> String {
    match number.as_f64() {
        Some(float) if float.fract() == 0.0 && float.abs() < 1e21 => format!("{float:.0}"),
        _ => number.to_string(),
    }
}

/// Returns the size of a value and the bound, if the keyword applies to the value.
fn size(schema: &Value, keyword: &str, value: &Value) -> Option<(u64, u64)> {
    let size = match value {
        Value::String(text) if keyword.ends_with("Length") => text.chars().count(),
        Value::Array(items) if keyword.ends_with("Items") => items.len(),
        Value::Object(fields) if keyword.ends_with("Properties") => fields.len(),
        _ => return None,
    };
    Some((
        u64::try_from(size).unwrap_or(u64::MAX),
        schema[keyword].as_u64()?,
    ))
}

fn min_length(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size(schema, "minLength", value)
        && found < bound
    {
        invalid(
            value,
            path,
            &format!("should be at least {bound} chars long"),
            causes,
        );
    }
}

fn max_length(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size(schema, "maxLength", value)
        && found > bound
    {
        let message = format!("Too long: may not be more than {bound} bytes");
        causes.push(cause(path, "FieldValueTooLong", message));
    }
}

fn min_items(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    too_few(size(schema, "minItems", value), "items", path, causes);
}

fn max_items(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    too_many(size(schema, "maxItems", value), path, causes);
}

fn min_properties(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    too_few(
        size(schema, "minProperties", value),
        "properties",
        path,
        causes,
    );
}

fn max_properties(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    too_many(size(schema, "maxProperties", value), path, causes);
}

fn too_few(size: Option<(u64, u64)>, what: &str, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size.filter(|(found, bound)| found < bound) {
        let message =
            format!("Invalid value: {found}: {path} in body should have at least {bound} {what}");
        causes.push(cause(path, "FieldValueInvalid", message));
    }
}

fn too_many(size: Option<(u64, u64)>, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size.filter(|(found, bound)| found > bound) {
        let message = format!("Too many: {found}: must have at most {bound} items");
        causes.push(cause(path, "FieldValueTooMany", message));
    }
}

/// Items of a set must differ, items of a map must differ in their keys.
fn unique_items(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let kind = schema["x-kubernetes-list-type"]
        .as_str()
        .unwrap_or_default();
    let keys = list(schema, "/x-kubernetes-list-map-keys");
    let items = list(value, "");
    let identity = |item: &Value| match kind {
        "set" => Some(item.to_string()),
        "map" => Some(
            keys.iter()
                .filter_map(Value::as_str)
                .map(|key| format!("{key}:{}", item[key]))
                .collect::<Vec<_>>()
                .join(","),
        ),
        _ => None,
    };
    let shown_keys = |item: &Value| match (kind, item) {
        ("map", Value::Object(fields)) => {
            let is_key = |name: &String| keys.iter().any(|key| key == name);
            let fields = fields.iter().filter(|(name, _)| is_key(name));
            Value::Object(
                fields
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
            )
        }
        _ => item.clone(),
    };
    let mut seen = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        if kind == "map" && !item.is_object() {
            let message =
                format!("Invalid value: {item}: must be an object for an array of list-type map");
            causes.push(cause(
                format!("{path}[{index}]"),
                "FieldValueInvalid",
                message,
            ));
            break;
        }
        if let Some(identity) = identity(item)
            && !seen.insert(identity)
        {
            causes.push(cause(
                format!("{path}[{index}]"),
                "FieldValueDuplicate",
                format!("Duplicate value: {}", shown_keys(item)),
            ));
        }
    }
}

fn required(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let Some(fields) = value.as_object() else {
        return;
    };
    for name in list(schema, "/required").iter().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            causes.push(cause(
                join(path, name),
                "FieldValueRequired",
                "Required value",
            ));
        }
    }
}
