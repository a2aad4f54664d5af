//! What the operator must not do to objects of others, and to its own.

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::Value;

use crate::{
    oracle::{Failure, Oracle},
    request::send,
    state::{Difference, Mask, State, differences, id, text},
};

/// Returns what has happened to an object of another client, if it is not as it was: more fields do no harm, also in its metadata.
pub(crate) fn harm(
    key: &str,
    object: &Value,
    found: Option<&Value>,
) -> Option<(&'static str, Vec<Difference>)> {
    let of = |object: &Value| State::from([(key.to_owned(), object.clone())]);
    let Some(found) = found.filter(|it| it["metadata"]["uid"] == object["metadata"]["uid"]) else {
        let differences = differences(&of(object), &State::new(), &Mask::new());
        return Some(("was deleted", differences));
    };
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("generation");
    }
    let common = common(&object, found);
    let differences = differences(&of(&object), &of(&common), &Mask::new());
    (!differences.is_empty()).then_some(("was changed", differences))
}

/// Returns `found` with the fields that `known` has.
fn common(known: &Value, found: &Value) -> Value {
    let (Value::Object(known), Value::Object(fields)) = (known, found) else {
        return found.clone();
    };
    let fields = fields.iter().filter_map(|(name, value)| {
        let known = known.get(name)?;
        Some((name.clone(), common(known, value)))
    });
    Value::Object(fields.collect())
}

/// Returns a failure if the server would have accepted an update of the first object to the second one, which has replaced it. Jobs and Pods run
/// once: a new one is another thing.
pub(crate) async fn gap(
    server: &ApiServer,
    path: &str,
    old: &Value,
    new: &Value,
) -> Option<Failure> {
    if matches!(text(old, "/kind"), "Job" | "Pod") {
        return None;
    }
    let server = server.fork();
    let mut old = old.clone();
    if let Some(metadata) = old.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("deletionTimestamp");
    }
    server.seed(&old).ok()?;
    let mut update = new.clone();
    if let Some(metadata) = update.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in [
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "managedFields",
        ] {
            metadata.remove(name);
        }
    }
    let json = "application/json";
    let answer = send(server.service(), Method::PUT, path, json, &update).await;
    let is_accepted = answer.is_ok_and(|(status, _)| status == 200);
    is_accepted.then(|| {
        let key = id(new);
        let message = format!(
            "{key} was deleted and created again by a change, although the server accepts it as an update: until it is there again, it serves nothing"
        );
        Failure::new(Oracle::Gaps, message)
    })
}
