//! Reads JSON, merge and strategic merge patches, and applies them.

use kube::core::response::Status;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::{
    fields::strategic,
    kinds::builtin,
    request::{APPLY, Notes, Request, STRATEGIC, Sent},
    values::{
        patch,
        status::{
            Answer, bad_request, cause, invalid_options, no_media_type, unsupported_media_type,
        },
    },
};

pub(super) const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";

/// Checks the options and the form of a patch, before its object is looked for.
pub(crate) fn check(request: &Request) -> Answer<()> {
    let content = request.content_type.as_str();
    let is_known = match content {
        JSON | MERGE | APPLY => true,
        STRATEGIC => !request.target.kind.custom,
        _ => false,
    };
    if !is_known {
        return Err(unsupported(request));
    }
    if content != APPLY && request.query.get("force").is_some() {
        let message = "Forbidden: may not be specified for non-apply patch";
        let cause = cause("force", "FieldValueForbidden", message);
        return Err(invalid_options("PatchOptions", vec![cause]));
    }
    if content == MERGE && serde_json::from_slice::<IgnoredAny>(&request.body).is_err() {
        return Err(bad_request("invalid JSON patch"));
    }
    Ok(())
}

fn unsupported(request: &Request) -> Box<Status> {
    if request.target.kind.custom {
        unsupported_media_type(&[JSON, MERGE, APPLY].join(", "))
    } else {
        no_media_type()
    }
}

/// Returns the patched object. Server-side apply is in [`crate::handlers::apply`].
pub(crate) fn patched(
    request: &Request,
    mut new: Value,
    notes: &mut Notes,
) -> Answer<(Value, Sent)> {
    let content = request.content()?;
    notes.warnings.extend(content.warnings);
    let patch = content.value;
    let custom = request.target.kind.custom;
    match request.content_type.as_str() {
        JSON => patch::json(&mut new, &patch)?,
        MERGE => {
            if let Some(found) = not_a_map(&patch) {
                return Err(bad_request(&format!(
                    "error decoding patch: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
                )));
            }
            patch::merge(&mut new, &patch);
        }
        STRATEGIC if !custom => {
            let schema = builtin::schema_of(request.target.version()?).unwrap_or(&Value::Null);
            strategic::merge(schema, &mut new, &patch)?;
        }
        _ => return Err(unsupported(request)),
    }
    Ok((new, content.sent))
}

/// Returns the type of a value that is neither a map nor null, as Go names it.
fn not_a_map(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null | Value::Object(_) => None,
        Value::Bool(_) => Some("bool"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
    }
}
