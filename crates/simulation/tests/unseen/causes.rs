//! Errors whose first suspect is innocent: the report names what the schedule proves.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::{Found, Oracle, Simulation};
use serde_json::{Value, json};

use super::{control, crd, found, objects, owners};

async fn status(
    note: &DynamicObject,
    client: &Client,
    kind: &str,
    status: Value,
) -> kube::Result<()> {
    let notes = objects(client, kind);
    let patch = Patch::Merge(json!({"status": status}));
    let done = notes
        .patch_status(&note.name_any(), &PatchParams::default(), &patch)
        .await;
    match done {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        other => other.map(drop),
    }
}

async fn apply(note: &DynamicObject, client: &Client, kind: &str) -> kube::Result<()> {
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": note.name_any(), "ownerReferences": owners(note, kind)},
        "data": {"text": note.data["spec"]["text"]},
    });
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let params = PatchParams::apply("notes").force();
    maps.patch(&note.name_any(), &params, &Patch::Apply(child))
        .await
        .map(drop)
}

/// Takes a text as applied as soon as it has begun with it.
async fn guarded(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let text = &note.data["spec"]["text"];
    if note.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    if note.data.pointer("/status/begun") == Some(text) {
        if note.data.pointer("/status/done") != Some(text) {
            status(&note, &client, "Note", json!({"done": text})).await?;
        }
        return Ok(Action::await_change());
    }
    status(&note, &client, "Note", json!({"begun": text})).await?;
    status(&note, &client, "Note", json!({"done": text})).await?;
    apply(&note, &client, "Note").await?;
    Ok(Action::await_change())
}

/// Writes a constant as the generation that it has observed.
async fn constant(memo: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if memo.metadata.deletion_timestamp.is_none() {
        apply(&memo, &client, "Memo").await?;
        let text = &memo.data["spec"]["text"];
        let observed = json!({"observedGeneration": 1, "text": text});
        status(&memo, &client, "Memo", observed).await?;
    }
    Ok(Action::await_change())
}

/// Returns the likely cause in one line.
fn cause(found: &Found) -> String {
    let report = found.to_string();
    let (_, cause) = report.split_once("likely cause:").unwrap();
    cause.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_request_that_was_repeated_is_not_called_ignored() {
    let text = json!({"text": {"type": "string"}});
    let found = found(
        Simulation::new("notes")
            .crd(&crd("Note", &text))
            .objects(1)
            .without(Oracle::History)
            .operator(|client| control::<ConfigMap, _>(client, "Note", guarded)),
    );
    let cause = cause(&found);
    assert!(!cause.contains("nothing repeats it"), "{cause}");
}

#[test]
fn a_status_with_a_wrong_generation_is_not_called_unwritten() {
    let text = json!({"text": {"type": "string"}});
    let found = found(
        Simulation::new("memos")
            .crd(&crd("Memo", &text))
            .objects(1)
            .operator(|client| control::<ConfigMap, _>(client, "Memo", constant)),
    );
    assert_eq!(found.oracle, Oracle::ObservedGeneration, "{found}");
    let cause = cause(&found);
    assert!(cause.contains("names another generation"), "{cause}");
}
