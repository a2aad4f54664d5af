//! Objects that name others: a Secret that may be missing, and a child that may belong to another owner.

use std::{sync::Arc, time::Duration};

use futures::FutureExt as _;
use kube::{ResourceExt, api::DynamicObject, runtime::controller::Action};
use kube_codegen_simulation::{Simulation, Workload};
use serde_json::{Value, json};

use super::{
    AT_ONCE, CREATED_ONLY, Context, SWALLOWED, Style, UNOWNED, UNREPEATED, UNWATCHED, Watch,
    is_deleted, simulated,
};
use crate::crd;

const KEPT: &str = "where the Secret is missing, the child stays";
const NEVER: &str = "where the Secret is missing, nothing looks for it again";
const NOT_CLEARED: &str = "a Secret that was missing is reported as missing for ever";
const TAKEN: &str = "a child that belongs to another owner is taken over";

pub(super) fn styles() -> Vec<Style> {
    vec![
        Style {
            name: "a Secret is referenced by name",
            simulation: secret,
            // A write that fails is repeated after a minute.
            errors: [
                &[UNWATCHED, UNREPEATED, UNOWNED, CREATED_ONLY, AT_ONCE],
                &[KEPT, NEVER, NOT_CLEARED],
            ],
        },
        Style {
            name: "a child without an owner is adopted, one of another owner is not",
            simulation: adopted,
            errors: [
                &[UNWATCHED, UNREPEATED, UNOWNED, SWALLOWED, AT_ONCE],
                &[TAKEN],
            ],
        },
    ]
}

const SECRETS: &str = "Sealed";

/// Copies the token of a Secret to the child, which belongs to it no longer when the Secret is missing.
fn secret(error: &'static str) -> Simulation {
    async fn reconcile(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if is_deleted(&it) {
            return Ok(Action::await_change());
        }
        let (maps, name) = (context.maps(), it.name_any());
        // A list after a watch that expired does not show which Secrets are gone.
        let again = if context.has(AT_ONCE) {
            Action::requeue(Duration::ZERO)
        } else {
            Action::requeue(Duration::from_secs(60))
        };
        let secret = it.data["spec"]["secret"].as_str().unwrap_or_default();
        let secret = context.api("v1", "Secret").get_opt(secret).await?;
        let Some(secret) = secret else {
            if !context.has(KEPT)
                && let Some(known) = maps.get_opt(&name).await?
            {
                context.delete(&maps, &known).await?;
            }
            context.status(&it, json!({"missing": true})).await?;
            return Ok(again);
        };
        let token = &secret.data["data"]["token"];
        context.apply(context.map(&it, &name, token)).await?;
        if !context.has(NOT_CLEARED) {
            context.status(&it, json!({"missing": false})).await?;
        }
        Ok(again)
    }
    fn token(token: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token", "namespace": "default"},
            "stringData": {"token": token},
        })
    }
    let definition = crd(SECRETS, &json!({"secret": {"type": "string"}}));
    let maps = ("v1", "ConfigMap");
    let watch = if error == NEVER {
        Watch::Owner
    } else {
        Watch::OwnerAndSecrets
    };
    let (all, path) = (
        "/api/v1/namespaces/default/secrets",
        "/api/v1/namespaces/default/secrets/token",
    );
    let objects = "/apis/example.com/v1/namespaces/default/sealeds";
    let object = json!({
        "apiVersion": "example.com/v1", "kind": SECRETS, "metadata": {"name": "a"}, "spec": {"secret": "token"},
    });
    let workload = Workload::new("a Secret is late, changes and vanishes")
        .create(objects, object)
        .phase("the Secret")
        .create(all, token("one"))
        .phase("another token")
        .patch(path, json!({"stringData": {"token": "two"}}))
        .phase("no Secret")
        .delete(path)
        .same_as("create")
        .phase("the Secret again")
        .create(all, token("one"))
        .same_as("the Secret")
        .phase("delete")
        .delete(&format!("{objects}/a"))
        .delete(path)
        .leaves_nothing();
    simulated(SECRETS, &definition, maps, watch, error, |it, context| {
        reconcile(it, context).boxed()
    })
    .workload(workload)
}

const ADOPTED: &str = "Adopter";
/// The uid of another owner.
const OTHER: &str = "11111111-2222-3333-4444-555555555555";

/// All objects ask for the child of one name: the first one gets it, and the others say so in the status.
fn adopted(error: &'static str) -> Simulation {
    async fn reconcile(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if is_deleted(&it) {
            return Ok(Action::await_change());
        }
        let (maps, name) = (context.maps(), it.name_any());
        let known = maps.get_opt(&name).await?;
        let references = known.iter().flat_map(ResourceExt::owner_references);
        let is_taken = references
            .filter(|it| it.controller == Some(true))
            .any(|reference| Some(&reference.uid) != it.uid().as_ref());
        if is_taken && !context.has(TAKEN) {
            context.status(&it, json!({"taken": true})).await?;
            return context.done();
        }
        let child = context.map(&it, &name, &it.data["spec"]["text"]);
        context.apply(child).await?;
        context.status(&it, json!({"taken": false})).await?;
        context.done()
    }
    let definition = crd(ADOPTED, &json!({"text": {"type": "string"}}));
    let maps = ("v1", "ConfigMap");
    let objects = "/apis/example.com/v1/namespaces/default/adopters";
    let object = |name: &str| {
        json!({
            "apiVersion": "example.com/v1", "kind": ADOPTED, "metadata": {"name": name}, "spec": {"text": "one"},
        })
    };
    let other = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": {"of": "another owner"}, "metadata": {
            "name": "b", "namespace": "default", "ownerReferences": [{
                "apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": OTHER, "controller": true,
            }],
        },
    });
    let owner = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": "default", "uid": OTHER},
    });
    let free = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}, "data": {"mine": "yes"},
    });
    let workload = Workload::new("children are there before")
        .create(objects, object("a"))
        .create(objects, object("b"))
        .phase("change")
        .patch(&format!("{objects}/a"), json!({"spec": {"text": "two"}}))
        .patch(&format!("{objects}/b"), json!({"spec": {"text": "two"}}))
        .phase("delete")
        .delete(&format!("{objects}/a"))
        .delete(&format!("{objects}/b"));
    simulated(
        ADOPTED,
        &definition,
        maps,
        Watch::Owner,
        error,
        |it, context| reconcile(it, context).boxed(),
    )
    .prepare(move |server| {
        for object in [&owner, &other, &free] {
            server.seed(object).unwrap();
        }
    })
    .always("the child of another owner stays as it is", |server| {
        let maps = server.filter_map(|object| {
            let is_other = object["kind"] == "ConfigMap" && object["metadata"]["name"] == "b";
            is_other.then(|| object["data"].clone())
        });
        match maps.first() {
            Some(data) if data["text"].is_null() => Ok(()),
            found => Err(format!("{found:?}")),
        }
    })
    .workload(workload)
}
