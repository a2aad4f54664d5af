//! Applies JSON, merge and strategic merge patches.

use json_patch::{Patch, PatchOperation};
use serde_json::Value;

use crate::{
    request::{APPLY, Request},
    status::{Answer, bad_request, unprocessable, unsupported_media_type},
    strategic,
};

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// Returns the patched object. Server-side apply is in [`crate::apply`].
pub(crate) fn patched(request: &Request, object: &Value) -> Answer<Value> {
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

/// Applies an RFC 6902 patch. As on a real server, a `test` for null passes on an absent path.
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
