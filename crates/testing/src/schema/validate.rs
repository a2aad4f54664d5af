//! Judges an object by its structural schema, in the API server's words; it changes nothing.
use kube::core::response::StatusCause;
use regex::Regex;
use serde_json::Value;

use super::junctors::{all_of, any_of, not, one_of};
use crate::failure::cause;
use crate::object::flag;
use kube_codegen_record::private::go;

pub(super) type Causes = Vec<StatusCause>;

/// A keyword's check of one value: schema, the keyword's argument, value, path, findings.
type Check = fn(&Value, &Value, &str, &mut Causes);

/// The keywords that look at one value alone.
const CHECKS: &[(&str, Check)] = &[
    ("enum", allowed),
    ("pattern", pattern),
    ("minimum", minimum),
    ("maximum", maximum),
    ("multipleOf", multiple),
    ("minLength", min_length),
    ("maxLength", max_length),
    ("minItems", min_items),
    ("maxItems", max_items),
    ("minProperties", min_properties),
    ("maxProperties", max_properties),
    ("x-kubernetes-list-type", unique),
    ("required", required),
    ("allOf", all_of),
    ("anyOf", any_of),
    ("oneOf", one_of),
    ("not", not),
];

/// What is wrong with an object, in document order.
pub(crate) fn validate(schema: &Value, object: &Value) -> Vec<StatusCause> {
    let mut causes = Causes::new();
    walk(schema, object, "", &mut causes);
    causes
}

pub(super) fn walk(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if value.is_null() && flag(schema, "/nullable") {
        return;
    }
    if let Some(expected) = schema.get("type").and_then(Value::as_str)
        && !is(value, expected)
    {
        let found = type_of(value);
        let message = format!(
            "Invalid value: \"{found}\": {path} in body must be of type {expected}: \"{found}\""
        );
        causes.push(cause(path, "FieldValueTypeInvalid", message));
        return;
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
        Value::Number(number) => match go::number(number) {
            go::Number::Int(_) => "integer",
            go::Number::Float(_) => "number",
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

/// As messages show a value: of what has parts, the type alone.
pub(super) fn shown(value: &Value) -> String {
    if value.is_object() || value.is_array() {
        format!("\"{}\"", type_of(value))
    } else {
        value.to_string()
    }
}

fn allowed(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let values = schema["enum"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if !values.contains(value) {
        let listed: Vec<_> = values.iter().map(Value::to_string).collect();
        let message = format!(
            "Unsupported value: {value}: supported values: {}",
            listed.join(", ")
        );
        causes.push(cause(path, "FieldValueNotSupported", message));
    }
}

/// Patterns are not anchored: a match anywhere is enough.
fn pattern(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str()) else {
        return;
    };
    if Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text)) {
        invalid(value, path, &format!("should match '{pattern}'"), causes);
    }
}

fn minimum(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let (Some(bound), Some(number)) = (schema["minimum"].as_f64(), value.as_f64()) else {
        return;
    };
    if flag(schema, "/exclusiveMinimum") && number <= bound {
        invalid(
            value,
            path,
            &format!("should be greater than {}", schema["minimum"]),
            causes,
        );
    } else if number < bound {
        invalid(
            value,
            path,
            &format!("should be greater than or equal to {}", schema["minimum"]),
            causes,
        );
    }
}

fn maximum(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let (Some(bound), Some(number)) = (schema["maximum"].as_f64(), value.as_f64()) else {
        return;
    };
    if flag(schema, "/exclusiveMaximum") && number >= bound {
        invalid(
            value,
            path,
            &format!("should be less than {}", schema["maximum"]),
            causes,
        );
    } else if number > bound {
        invalid(
            value,
            path,
            &format!("should be less than or equal to {}", schema["maximum"]),
            causes,
        );
    }
}

fn multiple(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let (Some(factor), Some(number)) = (schema["multipleOf"].as_f64(), value.as_f64()) else {
        return;
    };
    if (number / factor).fract() != 0.0 {
        invalid(
            value,
            path,
            &format!("should be a multiple of {}", schema["multipleOf"]),
            causes,
        );
    }
}

/// The size of a value, if it is of the kind that is bounded, and the bound.
fn size(schema: &Value, keyword: &str, found: Option<usize>) -> Option<(u64, u64)> {
    Some((
        u64::try_from(found?).unwrap_or(u64::MAX),
        schema[keyword].as_u64()?,
    ))
}

fn min_length(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size(
        schema,
        "minLength",
        value.as_str().map(|text| text.chars().count()),
    ) && found < bound
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
    if let Some((found, bound)) = size(
        schema,
        "maxLength",
        value.as_str().map(|text| text.chars().count()),
    ) && found > bound
    {
        causes.push(cause(
            path,
            "FieldValueTooLong",
            format!("Too long: may not be more than {bound} bytes"),
        ));
    }
}

fn min_items(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size(schema, "minItems", value.as_array().map(Vec::len))
        && found < bound
    {
        let message =
            format!("Invalid value: {found}: {path} in body should have at least {bound} items");
        causes.push(cause(path, "FieldValueInvalid", message));
    }
}

fn max_items(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size(schema, "maxItems", value.as_array().map(Vec::len)) {
        too_many(found, bound, path, causes);
    }
}

fn min_properties(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size(
        schema,
        "minProperties",
        value.as_object().map(serde_json::Map::len),
    ) && found < bound
    {
        let message = format!(
            "Invalid value: {found}: {path} in body should have at least {bound} properties"
        );
        causes.push(cause(path, "FieldValueInvalid", message));
    }
}

fn max_properties(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if let Some((found, bound)) = size(
        schema,
        "maxProperties",
        value.as_object().map(serde_json::Map::len),
    ) {
        too_many(found, bound, path, causes);
    }
}

fn too_many(found: u64, bound: u64, path: &str, causes: &mut Causes) {
    if found > bound {
        causes.push(cause(
            path,
            "FieldValueTooMany",
            format!("Too many: {found}: must have at most {bound} items"),
        ));
    }
}

/// Items of a set differ as wholes, items of a map in their keys.
fn unique(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let kind = schema["x-kubernetes-list-type"]
        .as_str()
        .unwrap_or_default();
    let keys = schema["x-kubernetes-list-map-keys"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
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
    let mut seen = std::collections::BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(identity) = identity(item)
            && !seen.insert(identity)
        {
            causes.push(cause(
                format!("{path}[{index}]"),
                "FieldValueDuplicate",
                format!("Duplicate value: {item}"),
            ));
        }
    }
}

fn required(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let Some(fields) = value.as_object() else {
        return;
    };
    for name in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        if !fields.contains_key(name) {
            causes.push(cause(
                join(path, name),
                "FieldValueRequired",
                "Required value",
            ));
        }
    }
}
