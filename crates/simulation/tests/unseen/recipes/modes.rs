//! Recipes about fields that change what the operator does: a pause, and a dry run.

use std::{cell::Cell, sync::Arc, time::Duration};

use k8s_openapi::api::apps::v1::Deployment;
use kube::{
    Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::Workload;
use serde_json::{Value, json};

use super::{
    app::{
        Cx, FINALIZER, Machines, Watched, controller, deployment, done, drive, is_deleted, text,
    },
    references::{APPS, app},
};

type Arguments = (Client, &'static str, Machines);

pub(super) async fn pause(arguments: Arguments) {
    drive(
        controller(&arguments.0, Watched::Deployments),
        arguments,
        reconcile_pause,
    )
    .await;
}

async fn reconcile_pause(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    let is_paused = app.data.pointer("/spec/paused") == Some(&json!(true));
    let name = app.name_any();
    if is_paused && is_deleted(&app) && cx.has("a pause comes before the deletion") {
        return done();
    }
    if cx.has("a pause is a guard in the status")
        && text(&app, "/status/phase") == "Paused"
        && !is_deleted(&app)
    {
        return done();
    }
    let has_finalizer = app.finalizers().iter().any(|it| it == FINALIZER);
    if is_deleted(&app) {
        if has_finalizer {
            cx.finalizer(&app, false).await?;
        }
        return done();
    }
    if !has_finalizer {
        cx.finalizer(&app, true).await?;
        return done();
    }
    let observed = json!(app.metadata.generation);
    let was_paused = cx.memory.lock().unwrap().contains_key(&name);
    if is_paused || was_paused && cx.has("a pause is remembered") {
        cx.memory.lock().unwrap().insert(name.clone(), json!(true));
        match cx.bug {
            "a pause is not reported" => return done(),
            "a pause stops the Deployment for good" => {
                let patch = Patch::Merge(json!({"spec": {"replicas": 0}}));
                cx.api::<Deployment>()
                    .patch(&name, &PatchParams::default(), &patch)
                    .await?;
            }
            _ => {}
        }
        cx.status(
            &app,
            json!({"phase": "Paused", "observedGeneration": observed}),
        )
        .await?;
        return done();
    }
    cx.apply::<Deployment>(deployment(&app, &name, "")).await?;
    cx.status(
        &app,
        json!({"phase": "Deployed", "observedGeneration": observed}),
    )
    .await?;
    done()
}

pub(super) fn paused() -> Workload {
    let path = format!("{APPS}/a");
    Workload::new("an App is paused, resumed, and deleted while it is paused")
        .create(APPS, app(&json!({"image": "one"})))
        .phase("pause")
        .patch(&path, json!({"spec": {"paused": true}}))
        .phase("change")
        .patch(&path, json!({"spec": {"image": "two"}}))
        .phase("resume")
        .patch(&path, json!({"spec": {"paused": null, "image": "one"}}))
        .same_as("create")
        .phase("pause again")
        .patch(&path, json!({"spec": {"paused": true}}))
        .phase("delete")
        .delete(&path)
        .leaves_nothing()
}

pub(super) async fn dry_run(arguments: Arguments) {
    drive(
        controller(&arguments.0, Watched::Deployments),
        arguments,
        reconcile_dry_run,
    )
    .await;
}

async fn reconcile_dry_run(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    if is_deleted(&app) {
        return done();
    }
    let is_dry = app.data.pointer("/spec/dryRun") == Some(&json!(true));
    let name = app.name_any();
    let deployments = cx.api::<Deployment>();
    let before = deployments.get_opt(&name).await?;
    let mut params = PatchParams::apply("apps").force();
    params.dry_run = is_dry;
    if cx.has("a dry run leaves its copy") && is_dry {
        let name = format!("{name}-try");
        cx.apply::<Deployment>(deployment(&app, &name, "")).await?;
    }
    let wanted = Patch::Apply(deployment(&app, &name, ""));
    let after = deployments.patch(&name, &params, &wanted).await?;
    let image = |it: &Deployment| {
        let spec = it.spec.as_ref()?.template.spec.as_ref()?;
        spec.containers.first()?.image.clone()
    };
    let change = json!({"from": before.as_ref().and_then(image), "to": image(&after)});
    let mut plan = if is_dry { json!([change]) } else { json!([]) };
    match cx.bug {
        "the plan grows" => {
            let known = app.data.pointer("/status/plan").and_then(Value::as_array);
            let known = known.cloned().unwrap_or_default();
            plan = json!([known, vec![json!("again")]].concat());
        }
        "the plan has the order of a map" => {
            // Another order each time, as a `HashMap` has it, but never twice the same by chance.
            thread_local!(static TURN: Cell<usize> = const { Cell::new(0) });
            let mut steps = ["a", "b", "c", "d", "e", "f"];
            TURN.set(TURN.get() + 1);
            steps.rotate_left(TURN.get() % 6);
            plan = json!(steps);
        }
        "the plan has a time" => plan = json!([kube_codegen_record::clock::now().as_second() / 60]),
        "the plan is shown by polling" => {
            cx.status(&app, json!({"plan": plan})).await?;
            return Ok(Action::requeue(Duration::from_millis(100)));
        }
        _ => {}
    }
    match cx.bug {
        "the plan stays" if !is_dry => {}
        _ => cx.status(&app, json!({"plan": plan})).await?,
    }
    done()
}

pub(super) fn tried() -> Workload {
    let path = format!("{APPS}/a");
    Workload::new("a dry run before a change, and the change")
        .create(APPS, app(&json!({"image": "one"})))
        .phase("try")
        .patch(&path, json!({"spec": {"dryRun": true, "image": "two"}}))
        .phase("stop")
        .patch(&path, json!({"spec": {"dryRun": null, "image": "one"}}))
        .same_as("create")
        .phase("delete")
        .delete(&path)
        .leaves_nothing()
}
