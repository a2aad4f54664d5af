//! Ways to write children: update instead of apply, a finalizer, immutable ones, several, under other names.

use std::{sync::Arc, time::Duration};

use futures::FutureExt as _;
use kube::{
    ResourceExt as _,
    api::{DynamicObject, ListParams, Patch, PatchParams, PostParams},
    runtime::{
        controller::Action,
        finalizer::{self, finalizer},
    },
};
use kube_codegen_simulation::{Oracle, Simulation};
use serde_json::{Value, json};

use super::{
    AT_ONCE, BY_NAME, CREATED_ONLY, Context, SWALLOWED, Style, UNOWNED, UNREPEATED, UNWATCHED,
    USUAL, Watch, ignore, is_deleted, simulated, usual,
};
use crate::crd;

const CONFLICT: &str = "a conflict is taken as success";
const LATE: &str = "the finalizer follows the child";
const NO_CLEANUP: &str = "the cleanup deletes nothing";
const FORGETS: &str = "the cleanup ignores errors";
const EXISTS: &str = "a child that exists is an error";
const SURPLUS: &str = "children that are too many stay";
const FIRST: &str = "the first child is deleted where the last is one too many";
const FORMER: &str = "the child of the former name stays";
const ANYBODY: &str = "children of others are deleted, too";
const FRESH: &str = "former children are deleted with the create only";
pub(super) const BEGUN: &str = "a child whose deletion has begun is taken as deleted";
const EVENT: &str = "only the event of a deletion leads to the new child";
const UNCHANGED: &str = "each reconcile replaces the child";

pub(super) fn styles() -> Vec<Style> {
    vec![
        Style {
            name: "get, then create or update",
            simulation: |error| usual("Update", error, |it, context| updated(it, context).boxed()),
            errors: [
                &[UNWATCHED, UNREPEATED, UNOWNED, SWALLOWED, AT_ONCE],
                &[CONFLICT, EXISTS],
            ],
        },
        Style {
            name: "create, then merge patch",
            simulation: |error| usual("Merge", error, |it, context| merged(it, context).boxed()),
            errors: [
                &[UNWATCHED, UNREPEATED, UNOWNED, SWALLOWED, AT_ONCE],
                &[EXISTS],
            ],
        },
        Style {
            name: "a finalizer, and children without an owner",
            simulation: finalized,
            errors: [
                &[UNREPEATED, SWALLOWED, CREATED_ONLY, BY_NAME, UNWATCHED],
                &[LATE, NO_CLEANUP, FORGETS],
            ],
        },
        Style {
            name: "immutable children are replaced",
            simulation: |error| {
                usual("Immutable", error, |it, context| {
                    immutable(it, context).boxed()
                })
            },
            errors: [
                &[UNWATCHED, UNREPEATED, UNOWNED, BY_NAME],
                &[UNCHANGED, EXISTS],
            ],
        },
        Style {
            name: "a number of children",
            simulation: numbered,
            errors: [
                &[UNWATCHED, UNREPEATED, UNOWNED, BY_NAME, AT_ONCE],
                &[EXISTS, SURPLUS, FIRST],
            ],
        },
        Style {
            name: "the spec names the child",
            simulation: |error| usual("Name", error, |it, context| renamed(it, context).boxed()),
            errors: [USUAL, &[BY_NAME, FORMER, ANYBODY, FRESH]],
        },
        Style {
            name: "a Job is replaced",
            simulation: replaced_job,
            errors: [&[UNREPEATED, UNOWNED, BY_NAME], &[BEGUN, EXISTS, EVENT]],
        },
    ]
}

async fn updated(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
    if is_deleted(&it) {
        return Ok(Action::await_change());
    }
    let (maps, name) = (context.maps(), it.name_any());
    let wanted = context.map(&it, &name, &it.data["spec"]["text"]);
    let wanted: DynamicObject = serde_json::from_value(wanted).map_err(kube::Error::SerdeError)?;
    let params = PostParams::default();
    let done = match maps.get_opt(&name).await? {
        _ if context.has(EXISTS) => maps.create(&params, &wanted).await.map(drop),
        None => maps.create(&params, &wanted).await.map(drop),
        Some(known) if known.data == wanted.data => Ok(()),
        Some(mut known) => {
            known.data = wanted.data;
            let done = maps.replace(&name, &params, &known).await;
            if context.has(CONFLICT) {
                ignore(409, done)
            } else {
                done.map(drop)
            }
        }
    };
    context.swallow(done)?;
    context.done()
}

async fn merged(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
    if is_deleted(&it) {
        return Ok(Action::await_change());
    }
    let (maps, name) = (context.maps(), it.name_any());
    let wanted = context.map(&it, &name, &it.data["spec"]["text"]);
    let child = serde_json::from_value(wanted.clone()).map_err(kube::Error::SerdeError)?;
    let done = match maps.create(&PostParams::default(), &child).await {
        Err(kube::Error::Api(status))
            if status.reason == "AlreadyExists" && !context.has(EXISTS) =>
        {
            let patch = Patch::Merge(&wanted);
            maps.patch(&name, &PatchParams::default(), &patch).await
        }
        done => done,
    };
    context.swallow(done.map(drop))?;
    context.done()
}

const FINALIZED: &str = "Finalized";

fn finalized(error: &'static str) -> Simulation {
    async fn reconcile(
        it: Arc<DynamicObject>,
        context: Arc<Context>,
    ) -> Result<Action, finalizer::Error<kube::Error>> {
        let api = context.objects(true);
        if context.has(LATE) && !is_deleted(&it) {
            let child = child(&context, &it);
            context
                .apply(child)
                .await
                .map_err(finalizer::Error::ApplyFailed)?;
        }
        finalizer(&api, "example.com/map", it, async |event| {
            match event {
                finalizer::Event::Apply(it) => context.apply(child(&context, &it)).await?,
                finalizer::Event::Cleanup(_) if context.has(NO_CLEANUP) => {}
                finalizer::Event::Cleanup(it) => {
                    let maps = context.maps();
                    if let Some(known) = maps.get_opt(&it.name_any()).await? {
                        let done = context.delete(&maps, &known).await;
                        if !context.has(FORGETS) {
                            done?;
                        }
                    }
                }
            }
            Ok(Action::await_change())
        })
        .await
    }
    fn child(context: &Context, it: &DynamicObject) -> Value {
        let mut child = context.map(it, &it.name_any(), &it.data["spec"]["text"]);
        child["metadata"]["ownerReferences"] = json!([]);
        child
    }
    let definition = crd(FINALIZED, &json!({"text": {"type": "string"}}));
    let child = ("v1", "ConfigMap");
    let simulation = simulated(
        FINALIZED,
        &definition,
        child,
        Watch::Label,
        error,
        |it, context| {
            let reconcile = reconcile(it, context);
            let reconcile =
                reconcile.map(|done| done.map_err(|it| kube::Error::Service(Box::new(it))));
            reconcile.boxed()
        },
    );
    simulation.without(Oracle::OwnerReferences)
}

async fn immutable(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
    if is_deleted(&it) {
        return Ok(Action::await_change());
    }
    let (maps, name) = (context.maps(), it.name_any());
    let mut wanted = context.map(&it, &name, &it.data["spec"]["text"]);
    wanted["immutable"] = true.into();
    let wanted: DynamicObject = serde_json::from_value(wanted).map_err(kube::Error::SerdeError)?;
    if let Some(known) = maps.get_opt(&name).await? {
        if known.data == wanted.data && !context.has(UNCHANGED) {
            return Ok(Action::await_change());
        }
        if !context.has(EXISTS) {
            context.delete(&maps, &known).await?;
        }
    }
    maps.create(&PostParams::default(), &wanted).await?;
    Ok(Action::await_change())
}

const NUMBERED: &str = "Number";

fn numbered(error: &'static str) -> Simulation {
    async fn reconcile(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if is_deleted(&it) {
            return Ok(Action::await_change());
        }
        let (maps, name) = (context.maps(), it.name_any());
        let size = it.data["spec"]["size"].as_u64().unwrap_or(0);
        let selector = ListParams::default().labels(&format!("owner={name}"));
        let known = maps.list(&selector).await?.items;
        let wanted: Vec<String> = (0..size).map(|index| format!("{name}-{index}")).collect();
        for name in &wanted {
            let child = context.map(&it, name, &Value::Null);
            if context.has(EXISTS) {
                let child = serde_json::from_value(child).map_err(kube::Error::SerdeError)?;
                maps.create(&PostParams::default(), &child).await?;
            } else {
                context.apply(child).await?;
            }
        }
        let mut surplus: Vec<_> = known
            .iter()
            .filter(|known| !wanted.contains(&known.name_any()))
            .collect();
        if context.has(FIRST) {
            surplus = known.iter().take(surplus.len()).collect();
        }
        for known in surplus {
            if !context.has(SURPLUS) {
                context.delete(&maps, known).await?;
            }
        }
        context.done()
    }
    let size = json!({"size": {"type": "integer", "minimum": 1, "maximum": 3}});
    let child = ("v1", "ConfigMap");
    simulated(
        NUMBERED,
        &crd(NUMBERED, &size),
        child,
        Watch::Owner,
        error,
        |it, context| reconcile(it, context).boxed(),
    )
}

async fn renamed(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
    if is_deleted(&it) {
        return Ok(Action::await_change());
    }
    let (maps, owner) = (context.maps(), it.name_any());
    let text = it.data["spec"]["text"].as_str().unwrap_or_default();
    let name = format!("{owner}-{text}-map");
    let is_known = context.has(FRESH) && maps.get_opt(&name).await?.is_some();
    context.apply(context.map(&it, &name, &text.into())).await?;
    if is_known || context.has(FORMER) {
        return Ok(Action::await_change());
    }
    let selector = if context.has(ANYBODY) {
        "owner".to_owned()
    } else {
        format!("owner={owner}")
    };
    let selector = ListParams::default().labels(&selector);
    for known in maps.list(&selector).await?.items {
        if known.name_any() != name {
            context.delete(&maps, &known).await?;
        }
    }
    context.done()
}

const JOBS: &str = "Task";

fn replaced_job(error: &'static str) -> Simulation {
    async fn reconcile(it: Arc<DynamicObject>, context: Arc<Context>) -> kube::Result<Action> {
        if is_deleted(&it) {
            return Ok(Action::await_change());
        }
        let (jobs, name) = (context.api("batch/v1", "Job"), it.name_any());
        let container = json!({"name": "task", "image": it.data["spec"]["image"]});
        let wanted = json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
        });
        let wanted = context.owned(&it, wanted);
        let image = "/spec/template/spec/containers/0/image";
        match jobs.get_opt(&name).await? {
            Some(known) if known.data.pointer(image) == wanted.pointer(image) => {}
            Some(known) if !context.has(EXISTS) => {
                context.delete(&jobs, &known).await?;
                if context.has(BEGUN) {
                    let wanted = serde_json::from_value(wanted).map_err(kube::Error::SerdeError)?;
                    ignore(409, jobs.create(&PostParams::default(), &wanted).await)?;
                    return Ok(Action::await_change());
                }
                if !context.has(EVENT) {
                    return Ok(Action::requeue(Duration::from_secs(5)));
                }
            }
            _ => {
                let wanted = serde_json::from_value(wanted).map_err(kube::Error::SerdeError)?;
                jobs.create(&PostParams::default(), &wanted).await?;
            }
        }
        context.done()
    }
    let image = json!({"image": {"type": "string"}});
    let child = ("batch/v1", "Job");
    simulated(
        JOBS,
        &crd(JOBS, &image),
        child,
        Watch::Owner,
        error,
        |it, context| reconcile(it, context).boxed(),
    )
}
