//! Another client changes the spec or the data of a child.

use std::borrow::Cow;

use futures::future::BoxFuture;
use http::Method;
use serde_json::{Value, json};
use tower::BoxError;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Site},
    likely,
};
use crate::request::{MERGE, send};

pub(super) struct Drift(pub(super) String);

impl Act for Drift {
    fn kind(&self) -> FaultKind {
        FaultKind::Drift
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!("another client changes {}", self.0))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        let path = at.child.filter(|(_, drifts)| *drifts && at.is_write());
        path.map(|(path, _)| Choice::new(12, Fault::Drift(path.to_owned())))
            .into_iter()
            .collect()
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn object(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn interferes<'a>(&'a self, at: &'a dyn Site) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(async move {
            let Some(path) = &at.resolve(&self.0).await? else {
                return Ok(());
            };
            let service = || at.server().service();
            let (status, object) = send(service(), Method::GET, path, "", &Value::Null).await?;
            if let Some(patch) = drift(&object).filter(|_| status == 200) {
                // A schema may not permit the new value; then this client changes nothing.
                send(service(), Method::PATCH, path, MERGE, &patch).await?;
            }
            at.touch();
            Ok(())
        })
    }

    fn likely(&self, _: &Aftermath) -> String {
        likely::changed(&self.0)
    }
}

/// Returns the patch of [`Fault::Drift`]: of something that users change in objects of an operator.
pub(crate) fn drift(object: &Value) -> Option<Value> {
    if let Some(replicas) = object.pointer("/spec/replicas").and_then(Value::as_i64) {
        return Some(json!({"spec": {"replicas": replicas + 3}}));
    }
    let data = object.get("data").or_else(|| object.get("stringData"));
    let (name, _) = data?.as_object()?.iter().next()?;
    // Valid in a ConfigMap, and as base64 in a Secret.
    Some(json!({"data": {name: "ZHJpZnQ="}}))
}

/// Whether other clients can change the object so: the server rejects any change of the data of a revision, and of what is marked as immutable.
pub(crate) fn drifts(object: &Value) -> bool {
    let is_fixed = object["kind"] == "ControllerRevision" || object["immutable"] == true;
    !is_fixed && drift(object).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_server_lets_change_drifts() {
        let data = json!({"kind": "ConfigMap", "data": {"a": "b"}});
        assert_eq!(drift(&data), Some(json!({"data": {"a": "ZHJpZnQ="}})));
        assert!(drifts(&data));
        let immutable = json!({"kind": "ConfigMap", "data": {"a": "b"}, "immutable": true});
        assert!(!drifts(&immutable));
        let revision = json!({"kind": "ControllerRevision", "data": {"spec": {}}, "revision": 1});
        assert!(!drifts(&revision));
        // A stranger's revision has other contents from the start.
        assert!(drift(&revision).is_some());
    }
}
