//! The manifest that `crd()` returns: that of the input, or the same without the descriptions of its schemas.
use std::sync::Arc;

use serde_json::Value;

use crate::model::ir::Kind;

/// Returns the manifest without the descriptions of its schemas, on one line.
///
/// Descriptions are the greater part of most CRDs, and all that reads the CRD of a running program leaves them out.
pub(super) fn without_descriptions(kind: &Kind) -> Arc<str> {
    let mut manifest = kind.definition();
    let versions = manifest.pointer_mut("/spec/versions");
    for version in versions.and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            strip(schema);
        }
    }
    // Cannot fail: all keys of a `Value` are strings.
    let mut text = serde_json::to_string(&manifest).unwrap_or_default();
    text.push('\n');
    text.into()
}

/// Removes the descriptions of a schema and of those in it; a property of that name, and a default or an example with one, stays.
fn strip(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    keywords.remove("description");
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            (
                "properties" | "patternProperties" | "definitions" | "dependencies",
                Value::Object(schemas),
            ) => schemas.values_mut().for_each(strip),
            ("items" | "allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(strip);
            }
            ("items" | "additionalProperties" | "additionalItems" | "not", schema) => strip(schema),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::strip;
    use serde_json::json;

    #[test]
    fn descriptions_of_schemas_are_removed_and_nothing_else() {
        let mut schema = json!({
            "description": "x",
            "type": "object",
            "default": {"description": "a value"},
            "example": {"description": "a value"},
            "x-kubernetes-validations": [{"rule": "true", "message": "description"}],
            "properties": {
                "description": {"type": "string", "description": "x", "enum": ["description"]},
                "items": {"type": "array", "items": {"type": "object", "description": "x", "properties": {"not": {"description": "x"}}}},
                "map": {"additionalProperties": {"description": "x", "type": "integer"}},
                "any": {"additionalProperties": true},
                "one": {"anyOf": [{"description": "x", "type": "string"}], "not": {"description": "x"}},
            },
        });
        strip(&mut schema);
        let expected = json!({
            "type": "object",
            "default": {"description": "a value"},
            "example": {"description": "a value"},
            "x-kubernetes-validations": [{"rule": "true", "message": "description"}],
            "properties": {
                "description": {"type": "string", "enum": ["description"]},
                "items": {"type": "array", "items": {"type": "object", "properties": {"not": {}}}},
                "map": {"additionalProperties": {"type": "integer"}},
                "any": {"additionalProperties": true},
                "one": {"anyOf": [{"type": "string"}], "not": {}},
            },
        });
        assert_eq!(schema, expected);
    }
}
