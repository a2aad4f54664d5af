//! A patch and the object it is for in, the patched object out; server-side apply lives in `apply`.
use json_patch::{Patch, PatchOperation};
use serde_json::Value;

use super::failure::{Answer, bad_request, unprocessable, unsupported_media_type};
use super::request::Request;
use super::strategic;

pub(super) const JSON: &str = "application/json-patch+json";
pub(super) const MERGE: &str = "application/merge-patch+json";
pub(super) const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub(super) const APPLY: &str = "application/apply-patch+yaml";

pub(super) fn patched(request: &Request, object: &Value) -> Answer<Value> {
    let custom = request.target.kind.custom;
    let mut new = object.clone();
    match request.content_type.as_str() {
        JSON => json(&mut new, request.json()?)?,
        MERGE => json_patch::merge(&mut new, &request.json()?),
        STRATEGIC if !custom => strategic::merge(&mut new, &request.json()?),
        _ if custom => return Err(unsupported_media_type(&[JSON, MERGE, APPLY].join(", "))),
        _ => {
            return Err(unsupported_media_type(
                &[JSON, MERGE, STRATEGIC, APPLY].join(", "),
            ));
        }
    }
    Ok(new)
}

/// RFC 6902, but a `test` for null passes on a path that is not there, as on a real server.
fn json(object: &mut Value, patch: Value) -> Answer<()> {
    let patch: Patch = serde_json::from_value(patch)
        .map_err(|error| bad_request(&format!("error decoding patch: {error}")))?;
    for operation in patch.0 {
        if let PatchOperation::Test(test) = &operation
            && test.value.is_null()
            && object.pointer(test.path.as_str()).is_none()
        {
            continue;
        }
        json_patch::patch(object, &[operation]).map_err(|error| {
            unprocessable(&format!(
                "the server rejected our request due to an error in our request: {error}"
            ))
        })?;
    }
    Ok(())
}
