//! The schema of `metadata`, which the API server validates itself.
use serde_json::{Value, json};

use super::convert::embedded_meta;

/// The names that the API server accepts: subdomains of DNS.
const NAME: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

/// Returns the schema of the metadata of an object.
pub(super) fn object_meta() -> Value {
    let mut schema: Value = embedded_meta().into();
    schema["properties"]["name"]["pattern"] = NAME.into();
    schema["properties"]["name"]["maxLength"] = 253.into();
    schema["anyOf"] = json!([{"required": ["name"]}, {"required": ["generateName"]}]);
    schema
}
