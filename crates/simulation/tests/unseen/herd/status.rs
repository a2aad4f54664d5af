//! Operators that write a status: conditions, numbers of a child, two controllers, kube's template, and a switch that pauses them.

use std::{sync::Arc, time::Duration};

use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::api::apps::v1::Deployment;
use kube::{
    ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams},
    runtime::{
        Controller,
        controller::Action,
        finalizer::{self, finalizer},
        watcher,
    },
};
use kube_codegen_record::clock;
use kube_codegen_simulation::{Oracle, Simulation};
use serde_json::{Value, json};

use super::{
    AT_ONCE, CREATED_ONLY, Context, SWALLOWED, Style, UNOWNED, UNREPEATED, UNWATCHED, Watch,
    control, is_deleted, simulated, usual,
};
use crate::{crd, resource};

const TIMES: &str = "each reconcile sets the time of the transition";
const FIRST: &str = "the status is written before the child";
const OUTDATED: &str = "the generation is that of the first reconcile";
const OBSERVED: &str = "a generation that was observed is not reconciled again";
pub(super) const NEWEST: &str = "the generation is that of the server, not of what was reconciled";
const ASKED: &str = "the replicas that the spec asks for are reported as ready";
const MORE: &str = "the number of ready replicas only grows";
const FIGHT: &str = "both controllers write one field of the child";
const BLIND: &str = "the second controller does not watch the child";
const STAYS: &str = "the cleanup fails for ever";
const STUCK: &str = "a pause never ends";
pub(super) const NOT_PAUSED: &str = "a pause is not respected after a change of the child";

pub(super) fn styles() -> Vec<Style> {
    vec![
        Style {
            name: "a condition with its time and generation",
            simulation: |error| {
                usual("Condition", error, |it, context| {
                    condition(it, context).boxed()
                })
            },
            // A write that fails is repeated by the event of the status.
            errors: [
                &[UNWATCHED, UNREPEATED, UNOWNED, CREATED_ONLY, AT_ONCE],
                &[TIMES, FIRST, OUTDATED, OBSERVED, NEWEST],
            ],
        },
        Style {
            name: "the status follows a Deployment",
            simulation: mirrored,
            // A write that fails is repeated by the event of the status.
            errors: [
                &[UNWATCHED, UNREPEATED, UNOWNED, CREATED_ONLY, AT_ONCE],
                &[ASKED, MORE],
            ],
        },
        Style {
            name: "two controllers in a program",
            simulation: two,
            errors: [
                // What the first controller does not see, the status of the second one shows.
                &[UNREPEATED, UNOWNED, SWALLOWED],
                &[FIGHT, BLIND],
            ],
        },
        Style {
            name: "kube's template: a finalizer, and an error policy of five minutes",
            simulation: template,
            errors: [&[UNREPEATED, AT_ONCE], &[OUTDATED, STAYS]],
        },
        Style {
            name: "a switch that pauses",
            simulation: paused,
            errors: [&[UNREPEATED, UNOWNED, SWALLOWED], &[STUCK, NOT_PAUSED]],
        },
    ]
}

async fn condition(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
    let generation = it.metadata.generation;
    let known = it.data.pointer("/status/conditions/0").cloned();
    let known = known.unwrap_or_default();
    if is_deleted(&it)
        || (context.has(OBSERVED) && known["observedGeneration"] == json!(generation))
    {
        return Ok(Action::await_change());
    }
    let child = context.map(&it, &it.name_any(), &it.data["spec"]["text"]);
    if context.has(FIRST) && known["observedGeneration"] == json!(generation) {
        return Ok(Action::await_change());
    }
    if !context.has(FIRST) {
        context.apply(child.clone()).await?;
    }
    let now = json!(clock::now().to_string());
    let time = match &known["lastTransitionTime"] {
        Value::Null => now,
        _ if context.has(TIMES) => now,
        time => time.clone(),
    };
    let mut observed = json!(generation);
    if context.has(OUTDATED) && !known.is_null() {
        observed = known["observedGeneration"].clone();
    }
    if context.has(NEWEST)
        && let Some(newest) = context.objects(true).get_opt(&it.name_any()).await?
    {
        observed = json!(newest.metadata.generation);
    }
    let condition = json!({
        "type": "Ready", "status": "True", "reason": "Applied", "message": "",
        "lastTransitionTime": time, "observedGeneration": observed,
    });
    let status = json!({"conditions": [condition], "observedGeneration": observed});
    context.status(&it, status).await?;
    if context.has(FIRST) {
        context.apply(child).await?;
    }
    context.done()
}

fn deployment(context: &Context, it: &DynamicObject) -> Value {
    let labels = json!({"app": it.name_any()});
    let container = json!({"name": "app", "image": "example.com/app:1"});
    let child = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": it.name_any()},
        "spec": {
            "replicas": it.data["spec"]["replicas"], "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    });
    context.owned(it, child)
}

const MIRRORED: &str = "Mirror";

fn mirrored(error: &'static str) -> Simulation {
    async fn reconcile(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if is_deleted(&it) {
            return Ok(Action::await_change());
        }
        context.apply(deployment(&context, &it)).await?;
        let child = context.api("apps/v1", "Deployment");
        let child = child.get_opt(&it.name_any()).await?;
        let ready = child.and_then(|it| it.data.pointer("/status/readyReplicas")?.as_i64());
        let mut ready = ready.unwrap_or(0);
        if context.has(ASKED) {
            ready = it.data["spec"]["replicas"].as_i64().unwrap_or(0);
        }
        if context.has(MORE) {
            let known = it.data.pointer("/status/readyReplicas");
            ready = ready.max(known.and_then(Value::as_i64).unwrap_or(0));
        }
        context.status(&it, json!({"readyReplicas": ready})).await?;
        context.done()
    }
    let replicas = json!({"replicas": {"type": "integer", "minimum": 1, "maximum": 5}});
    let deployments = ("apps/v1", "Deployment");
    simulated(
        MIRRORED,
        &crd(MIRRORED, &replicas),
        deployments,
        Watch::Owner,
        error,
        |it, context| reconcile(it, context).boxed(),
    )
    .truth(MIRRORED, "/status/readyReplicas", |server, it| {
        let part = |name: &str| it["metadata"][name].as_str().unwrap_or_default();
        let child = server.get::<Deployment>(part("namespace"), part("name"));
        json!(child.and_then(|it| it.status?.ready_replicas).unwrap_or(0))
    })
}

const TWO: &str = "Pair";

/// The first controller writes the child, the second one the status.
fn two(error: &'static str) -> Simulation {
    async fn write(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if !is_deleted(&it) {
            let child = context.map(&it, &it.name_any(), &it.data["spec"]["text"]);
            context.apply(child).await?;
        }
        context.done()
    }
    async fn report(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if is_deleted(&it) {
            return Ok(Action::await_change());
        }
        let maps = context.maps();
        let child = maps.get_opt(&it.name_any()).await?;
        if context.has(FIGHT) && child.is_some() {
            let patch = Patch::Merge(json!({"data": {"text": "seen"}}));
            let params = PatchParams::default();
            maps.patch(&it.name_any(), &params, &patch).await?;
        }
        let text = child.map(|child| child.data["data"]["text"].clone());
        context.status(&it, json!({ "text": text })).await?;
        Ok(Action::await_change())
    }
    let definition = crd(TWO, &json!({"text": {"type": "string"}}));
    Simulation::new("pairs")
        .crd(&definition)
        .without(Oracle::Strangers)
        .operator(move |client| {
            let context = |error| Context {
                client: client.clone(),
                kind: TWO,
                error,
            };
            let second = if error == BLIND { super::UNWATCHED } else { "" };
            let second = if error == FIGHT { FIGHT } else { second };
            let (first, second) = (context(error), context(second));
            async move {
                let (one, other) = (first.maps(), second.maps());
                futures::join!(
                    control(first, one, Watch::Owner, |it, context| write(it, context)
                        .boxed()),
                    control(second, other, Watch::Owner, |it, context| report(
                        it, context
                    )
                    .boxed()),
                );
            }
        })
}

const TEMPLATE: &str = "Template";

fn template(error: &'static str) -> Simulation {
    async fn reconcile(
        it: Arc<DynamicObject>,
        context: Arc<Context>,
    ) -> Result<Action, finalizer::Error<kube::Error>> {
        let (api, name) = (context.objects(true), it.name_any());
        finalizer(&api, "example.com/template", it, async |event| {
            if context.has(STAYS) && is_deleted(&context.objects(true).get(&name).await?) {
                return Err(kube::Error::Service("the machine does not answer".into()));
            }
            if let finalizer::Event::Apply(it) = event {
                let text = match it.data.pointer("/status/text") {
                    Some(known) if context.has(OUTDATED) => known.clone(),
                    _ => it.data["spec"]["text"].clone(),
                };
                let status = json!({
                    "apiVersion": "example.com/v1", "kind": TEMPLATE,
                    "status": {"text": text, "observedGeneration": it.metadata.generation},
                });
                let params = PatchParams::apply("template").force();
                let patch = Patch::Apply(status);
                api.patch_status(&name, &params, &patch).await?;
                if context.has(AT_ONCE) {
                    return Ok(Action::requeue(Duration::ZERO));
                }
                return Ok(Action::requeue(Duration::from_secs(300)));
            }
            Ok(Action::await_change())
        })
        .await
    }
    let definition = crd(TEMPLATE, &json!({"text": {"type": "string"}}));
    Simulation::new("templates")
        .crd(&definition)
        .operator(move |client| async move {
            let context = Context {
                client,
                kind: TEMPLATE,
                error,
            };
            let wait = if context.has(UNREPEATED) {
                Action::await_change()
            } else {
                Action::requeue(Duration::from_secs(300))
            };
            let config = watcher::Config::default();
            Controller::new_with(context.objects(true), config, resource(TEMPLATE))
                .run(reconcile, move |_, _, _| wait.clone(), Arc::new(context))
                .for_each(|_| async {})
                .await;
        })
}

const PAUSED: &str = "Pause";

/// While it is paused, an object and its child stay as they are: what was there before decides.
fn paused(error: &'static str) -> Simulation {
    async fn reconcile(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        let is_paused = it.data["spec"]["paused"] == true;
        if is_deleted(&it) || it.data["status"]["stuck"] == true {
            return Ok(Action::await_change());
        }
        if is_paused {
            if context.has(STUCK) {
                context.status(&it, json!({"stuck": true})).await?;
            }
            if !context.has(NOT_PAUSED) {
                return Ok(Action::await_change());
            }
        }
        let child = context.map(&it, &it.name_any(), &it.data["spec"]["text"]);
        context.apply(child).await?;
        context.done()
    }
    let properties = json!({"text": {"type": "string"}, "paused": {"type": "boolean"}});
    let maps = ("v1", "ConfigMap");
    let object = json!({
        "apiVersion": "example.com/v1", "kind": PAUSED, "metadata": {"name": "a"},
        "spec": {"text": "one", "paused": false},
    });
    simulated(
        PAUSED,
        &crd(PAUSED, &properties),
        maps,
        Watch::Owner,
        error,
        |it, context| reconcile(it, context).boxed(),
    )
    .sample(&object)
    .without(Oracle::History)
}

/// The deletion is a new generation of an object, which nothing reports while a finalizer keeps it.
#[test]
fn an_object_that_stays_need_not_report_its_generation() {
    let found = super::super::found(template(STAYS).objects(1));
    assert_ne!(found.oracle, Oracle::ObservedGeneration, "{found}");
}
