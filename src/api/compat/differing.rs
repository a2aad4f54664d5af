//! Leaves out of a schema what two releases share, so that sampled objects are small and about what differs: to find a valid object of a
//! large schema is the expensive part of a search.
use serde_json::{Map, Value};

use super::keywords::DESCRIPTIONS;

/// Keywords that may ask for fields below them, as rules do.
const COMBINATORS: [&str; 4] = ["oneOf", "anyOf", "allOf", "not"];

/// Returns a schema without the optional fields that the other one has, too, and that no rule or combinator names.
///
/// What it accepts is not all that the schema accepts, and a rule may ask for a field in another way: an object has to be validated.
pub(super) fn differing(schema: &Value, other: &Value) -> Value {
    let schema = plain(schema);
    below(&schema, &plain(other), &mut String::new())
}

/// Returns a schema without descriptions.
pub(super) fn plain(schema: &Value) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let kept = fields
        .iter()
        .filter(|(keyword, _)| !DESCRIPTIONS.contains(&keyword.as_str()));
    let kept = kept.map(|(keyword, value)| {
        let value = match value {
            Value::Object(properties) if keyword == "properties" => {
                let properties = properties.iter();
                properties
                    .map(|(name, schema)| (name.clone(), plain(schema)))
                    .collect()
            }
            value if matches!(keyword.as_str(), "items" | "additionalProperties") => plain(value),
            value => value.clone(),
        };
        (keyword.clone(), value)
    });
    kept.collect()
}

/// `asked`: what rules and combinators on the way say.
fn below(schema: &Value, other: &Value, asked: &mut String) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let length = asked.len();
    for value in [schema, other] {
        let rules = value["x-kubernetes-validations"].as_array();
        let rules = rules.into_iter().flatten();
        asked.extend(rules.filter_map(|rule| rule["rule"].as_str()));
        let combinators = COMBINATORS.iter().filter_map(|keyword| value.get(keyword));
        asked.extend(combinators.map(Value::to_string));
    }
    let kept = fields.iter().map(|(keyword, value)| {
        let same = other.get(keyword).unwrap_or(value);
        let value = match value {
            Value::Object(properties) if keyword == "properties" => {
                // What only one of them declares differs.
                let same = other.get(keyword).unwrap_or(&Value::Null);
                properties_of([schema, other], properties, same, asked)
            }
            value if matches!(keyword.as_str(), "items" | "additionalProperties") => {
                below(value, same, asked)
            }
            value => value.clone(),
        };
        (keyword.clone(), value)
    });
    let kept = kept.collect();
    asked.truncate(length);
    kept
}

fn properties_of(
    [schema, other_schema]: [&Value; 2],
    properties: &Map<String, Value>,
    other: &Value,
    asked: &mut String,
) -> Value {
    let mut kept = Map::new();
    for (name, inner) in properties {
        // An object that lacks what only the other one requires would be rejected for that.
        let required = [schema, other_schema]
            .into_iter()
            .filter_map(|it| it["required"].as_array());
        let mut required = required.flatten();
        let is_kept = other.get(name) != Some(inner)
            || schema.get("minProperties").is_some()
            || asked.contains(name)
            || required.any(|it| it == name);
        if is_kept {
            let same = other.get(name).unwrap_or(inner);
            kept.insert(name.clone(), below(inner, same, asked));
        }
    }
    kept.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_is_required_or_named_stays() {
        let of = |length: u64| {
            json!({"type": "object", "required": ["a"], "properties": {
                "a": {"type": "string"},
                "b": {"type": "object", "properties": {
                    "c": {"type": "string", "maxLength": length},
                    "text": {"type": "string", "description": length.to_string()},
                }},
                "other": {"type": "array", "items": {"type": "object", "properties": {"f": {"type": "string"}}}},
                "named": {"type": "object", "properties": {"inner": {"type": "string"}}},
            }, "x-kubernetes-validations": [{"rule": "!has(self.named)", "message": "other is better"}]})
        };
        assert_eq!(
            differing(&of(5), &of(3)),
            json!({"type": "object", "required": ["a"], "properties": {
                "a": {"type": "string"},
                "b": {"type": "object", "properties": {"c": {"type": "string", "maxLength": 5}}},
                "named": {"type": "object", "properties": {}},
            }, "x-kubernetes-validations": [{"rule": "!has(self.named)", "message": "other is better"}]})
        );
    }
}
