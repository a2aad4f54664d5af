//! Ways in which objects and children find each other: one object with a given name, kinds of the cluster, labels, children of several owners.

use std::sync::Arc;

use futures::FutureExt as _;
use kube::{
    ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::Simulation;
use serde_json::{Value, json};

use super::{
    AT_ONCE, CREATED_ONLY, Context, SWALLOWED, Style, UNOWNED, UNREPEATED, UNWATCHED, USUAL, Watch,
    is_deleted, simulated, usual,
};
use crate::crd;

const ONE_NAME: &str = "all children have the name of one object";
const NO_FORCE: &str = "the apply does not force";

pub(super) fn styles() -> Vec<Style> {
    vec![
        Style {
            name: "one object, whose name a rule demands",
            simulation: singleton,
            errors: [USUAL, &[]],
        },
        Style {
            name: "a kind of the cluster, children in a namespace",
            simulation: clustered,
            errors: [USUAL, &[ONE_NAME]],
        },
        Style {
            name: "children are found by a label",
            simulation: labelled,
            errors: [&[UNWATCHED, UNREPEATED, SWALLOWED, CREATED_ONLY], &[]],
        },
        Style {
            name: "an apply with empty maps",
            simulation: |error| usual("Void", error, |it, context| empty(it, context).boxed()),
            errors: [USUAL, &[NO_FORCE]],
        },
        Style {
            name: "labels are copied to a Deployment and its Pods",
            simulation: copied,
            errors: [
                &[
                    UNWATCHED,
                    UNREPEATED,
                    UNOWNED,
                    SWALLOWED,
                    CREATED_ONLY,
                    AT_ONCE,
                ],
                &[],
            ],
        },
    ]
}

async fn child(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
    if is_deleted(&it) {
        return Ok(Action::await_change());
    }
    let name = if context.has(ONE_NAME) {
        "all".to_owned()
    } else {
        it.name_any()
    };
    let child = context.map(&it, &name, &it.data["spec"]["text"]);
    context.apply(child).await?;
    context.done()
}

fn texts(kind: &str) -> Value {
    crd(kind, &json!({"text": {"type": "string"}}))
}

const SINGLETON: &str = "Single";

fn singleton(error: &'static str) -> Simulation {
    let mut definition = texts(SINGLETON);
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] =
        json!([{"rule": "self.metadata.name == 'default'"}]);
    let maps = ("v1", "ConfigMap");
    simulated(
        SINGLETON,
        &definition,
        maps,
        Watch::Owner,
        error,
        |it, context| child(it, context).boxed(),
    )
}

pub(super) const CLUSTERED: &str = "Clustered";

fn clustered(error: &'static str) -> Simulation {
    let mut definition = texts(CLUSTERED);
    definition["spec"]["scope"] = "Cluster".into();
    let maps = ("v1", "ConfigMap");
    simulated(
        CLUSTERED,
        &definition,
        maps,
        Watch::Owner,
        error,
        |it, context| child(it, context).boxed(),
    )
}

const LABELLED: &str = "Labelled";

/// The owner reference is not one of a controller, so that a label says whose child this is.
fn labelled(error: &'static str) -> Simulation {
    async fn reconcile(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if is_deleted(&it) {
            return Ok(Action::await_change());
        }
        let mut child = context.map(&it, &it.name_any(), &it.data["spec"]["text"]);
        child["metadata"]["ownerReferences"][0]["controller"] = false.into();
        context.apply(child).await?;
        context.done()
    }
    let maps = ("v1", "ConfigMap");
    simulated(
        LABELLED,
        &texts(LABELLED),
        maps,
        Watch::Label,
        error,
        |it, context| reconcile(it, context).boxed(),
    )
}

async fn empty(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
    if is_deleted(&it) {
        return Ok(Action::await_change());
    }
    let name = it.name_any();
    let mut child = context.map(&it, &name, &it.data["spec"]["text"]);
    child["metadata"]["annotations"] = json!({});
    child["binaryData"] = json!({});
    if context.has(NO_FORCE) {
        let (params, patch) = (PatchParams::apply("herd"), Patch::Apply(&child));
        context.maps().patch(&name, &params, &patch).await?;
    } else {
        context.apply(child).await?;
    }
    context.done()
}

const COPIED: &str = "Copied";

fn copied(error: &'static str) -> Simulation {
    async fn reconcile(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if is_deleted(&it) {
            return Ok(Action::await_change());
        }
        let name = it.name_any();
        let mut labels = json!(it.labels());
        labels["app"] = name.clone().into();
        let container = json!({"name": "app", "image": it.data["spec"]["image"]});
        let child = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        });
        let child = context.owned(&it, child);
        context.apply(child).await?;
        context.done()
    }
    let image = json!({"image": {"type": "string"}});
    let deployments = ("apps/v1", "Deployment");
    simulated(
        COPIED,
        &crd(COPIED, &image),
        deployments,
        Watch::Owner,
        error,
        |it, context| reconcile(it, context).boxed(),
    )
}
