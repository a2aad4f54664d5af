//! What the operator must not do to objects of others, and to its own.

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::Value;

use crate::{
    oracle::{Failure, Oracle},
    request::send,
    state::{Difference, Mask, State, differences, id, text},
};

/// What the operator has done to an object of another client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    Deleted,
    Changed,
}

/// Returns what has happened to an object of another client, if it is not as it was: more fields do no harm, also in its metadata.
pub(crate) fn harm(
    key: &str,
    object: &Value,
    found: Option<&Value>,
) -> Option<(Harm, Vec<Difference>)> {
    let of = |object: &Value| State::from([(key.to_owned(), object.clone())]);
    let Some(found) = found.filter(|it| it["metadata"]["uid"] == object["metadata"]["uid"]) else {
        let differences = differences(&of(object), &State::new(), &Mask::new());
        return Some((Harm::Deleted, differences));
    };
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("generation");
    }
    let common = common(&object, found);
    let differences = differences(&of(&object), &of(&common), &Mask::new());
    (!differences.is_empty()).then_some((Harm::Changed, differences))
}

/// Returns a failure if an object has lost a label, an annotation or a finalizer that another client has set.
pub(crate) fn vanished(key: &str, mark: &Value, found: Option<&Value>) -> Option<Failure> {
    let lost = |path: String, expected: &Value, found: Option<&Value>| Difference {
        object: key.to_owned(),
        path,
        expected: Some(expected.to_string()),
        found: found.map(Value::to_string),
    };
    let mut differences = Vec::new();
    for section in ["labels", "annotations"] {
        let fields = mark["metadata"].get(section).and_then(Value::as_object);
        for (name, expected) in fields.into_iter().flatten() {
            let now = found.and_then(|it| it["metadata"].get(section)?.get(name));
            if now != Some(expected) {
                differences.push(lost(format!("metadata.{section}.{name}"), expected, now));
            }
        }
    }
    let finalizers = mark["metadata"].get("finalizers").and_then(Value::as_array);
    for name in finalizers.into_iter().flatten() {
        let now = found.and_then(|it| it["metadata"].get("finalizers"));
        let is_there = now
            .and_then(Value::as_array)
            .is_some_and(|it| it.contains(name));
        if !is_there {
            differences.push(lost("metadata.finalizers".to_owned(), name, now));
        }
    }
    let first = differences.first()?;
    let what = match found {
        None => "is gone, although another client has a finalizer on it".to_owned(),
        Some(_) => format!(
            "has lost {} of another client in {}",
            first.expected.as_deref()?,
            first.path
        ),
    };
    Some(Failure::new(Oracle::Metadata, format!("{key} {what}")).with(differences))
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
