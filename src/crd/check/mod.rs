//! The checks of the API server that do not concern what is generated: each failure is a warning, since the server refuses the
//! CRD but its types can be generated.
mod conversion;
mod defaults;
mod extensions;
mod metadata;
mod structural;

pub(super) use conversion::conversion;
pub(super) use metadata::{deprecation, metadata};

use serde_json::{Map, Value};

use super::reader::{At, Reader};

/// Checks the root of a schema and everything below it.
pub(super) fn schema(reader: &mut Reader<'_>, root: &Value, has_status: bool, at: &At<'_>) {
    if let Value::Object(root) = root {
        structural::check(reader, root, has_status, at);
        defaults::check(reader, root, at);
    }
}

/// A schema node as JSON; a keyword of the wrong type counts as absent, since it has its own diagnostic.
type Schema = Map<String, Value>;

fn text<'s>(schema: &'s Schema, keyword: &str) -> Option<&'s str> {
    schema.get(keyword).and_then(Value::as_str)
}

fn kind(schema: &Schema) -> &str {
    text(schema, "type").unwrap_or_default()
}

fn flag(schema: &Schema, keyword: &str) -> bool {
    schema.get(keyword) == Some(&Value::Bool(true))
}

fn list<'s>(schema: &'s Schema, keyword: &str) -> &'s [Value] {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn texts<'s>(schema: &'s Schema, keyword: &str) -> impl Iterator<Item = &'s str> {
    list(schema, keyword).iter().filter_map(Value::as_str)
}

fn child<'s>(schema: &'s Schema, keyword: &str) -> Option<&'s Schema> {
    schema.get(keyword).and_then(Value::as_object)
}

/// Returns the declared properties that are schemas.
fn properties(schema: &Schema) -> impl Iterator<Item = (&String, &Schema)> {
    let all = child(schema, "properties").into_iter().flatten();
    all.filter_map(|(name, property)| Some((name, property.as_object()?)))
}

const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
