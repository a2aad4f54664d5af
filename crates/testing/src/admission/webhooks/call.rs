//! Calls one admission webhook over HTTP, and reads its answer.

use std::time::Duration;

use k8s_openapi::ByteString;
use kube::core::response::{Status, StatusDetails};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    kinds::store::Backend,
    storage::lock,
    values::{
        object::{at, text},
        status::{Answer, internal},
    },
    webhooks,
};

/// Returns the JSON patch of a response, if it has one.
pub(super) fn patch_of(response: &Value) -> serde_json::Result<Option<Value>> {
    let Some(encoded) = response.get("patch").filter(|it| it.is_string()) else {
        return Ok(None);
    };
    let ByteString(bytes) = ByteString::deserialize(encoded)?;
    serde_json::from_slice(&bytes).map(Some)
}

/// Calls a webhook and returns its response, if it allows the request or its failure is ignored.
pub(super) async fn call(backend: &Backend, hook: &Value, review: &Value) -> Answer<Value> {
    let name = text(hook, "/name");
    let seconds = at(hook, "/timeoutSeconds").as_u64().unwrap_or(10);
    let limit = Duration::from_secs(seconds);
    let config = at(hook, "/clientConfig");
    if let Some(why) = webhooks::flaw(at(config, "/caBundle")) {
        if text(hook, "/failurePolicy") == "Ignore" {
            return Ok(Value::Null);
        }
        return Err(internal(&format!(
            "failed calling webhook {name:?}: could not get REST client: unable to load root certificates: {why}"
        )));
    }
    let services = *lock(&backend.webhooks);
    let answer = match timeout(limit, webhooks::post(services, config, review, seconds)).await {
        Ok(Ok(answer)) => answer,
        failed => {
            if text(hook, "/failurePolicy") == "Ignore" {
                return Ok(Value::Null);
            }
            let why = failed.map_or_else(
                |_| "context deadline exceeded".to_owned(),
                |it| it.err().unwrap_or_default(),
            );
            return Err(internal(&format!(
                "failed calling webhook {name:?}: failed to call webhook: {why}"
            )));
        }
    };
    let response = at(&answer, "/response").clone();
    if response["allowed"] == true {
        return Ok(response);
    }
    let why = [
        text(&response, "/status/message"),
        text(&response, "/status/reason"),
    ]
    .into_iter()
    .find(|text| !text.is_empty())
    .map_or_else(
        || " without explanation".to_owned(),
        |text| format!(": {text}"),
    );
    let code = at(&response, "/status/code").as_u64().unwrap_or(403);
    let reason = match text(&response, "/status/reason") {
        "" => "Forbidden",
        reason => reason,
    };
    let message = format!("admission webhook {name:?} denied the request{why}");
    let mut status =
        Status::failure(&message, reason).with_code(u16::try_from(code).unwrap_or(403));
    let details = response.pointer("/status/details").cloned();
    status.details =
        details.and_then(|details| serde_json::from_value::<StatusDetails>(details).ok());
    Err(status.boxed())
}
