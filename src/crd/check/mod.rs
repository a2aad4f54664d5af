//! The checks of the API server that do not concern what is generated: each failure is a warning, since the server refuses the
//! CRD but its types can be generated.
mod conversion;
mod metadata;
mod schema;

pub(super) use conversion::conversion;
pub(super) use metadata::{deprecation, metadata};
pub(super) use schema::schema;

use serde_json::{Map, Value};

/// A map of a manifest; a field of the wrong type counts as absent, since it has its own diagnostic.
type Fields = Map<String, Value>;

fn text<'s>(fields: &'s Fields, name: &str) -> Option<&'s str> {
    fields.get(name).and_then(Value::as_str)
}

fn texts<'s>(fields: &'s Fields, name: &str) -> impl Iterator<Item = &'s str> {
    let list = fields.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

fn child<'s>(fields: &'s Fields, name: &str) -> Option<&'s Fields> {
    fields.get(name).and_then(Value::as_object)
}
