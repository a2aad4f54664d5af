//! Recipes about what no watch shows: another system, and time.

use std::{sync::Arc, time::Duration};

use kube::{
    Client, ResourceExt as _,
    api::{DynamicObject, PostParams},
    runtime::controller::Action,
};
use kube_codegen_record::clock;
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::app::{
    Cx, FINALIZER, Machines, Watched, controller, done, drive, failure, is_deleted, text,
};

type Arguments = (Client, &'static str, Machines);

pub(super) async fn external(arguments: Arguments) {
    drive(
        controller(&arguments.0, Watched::Nothing),
        arguments,
        reconcile_external,
    )
    .await;
}

async fn reconcile_external(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    let uid = app.uid().unwrap_or_default();
    let has_finalizer = app.finalizers().iter().any(|it| it == FINALIZER);
    let call = || sleep(Duration::from_millis(20));
    let delete = async |id: &str| {
        call().await;
        let gone = cx.machines.lock().unwrap().remove(id).is_none();
        if gone && cx.has("a machine that is gone is an error") {
            return Err(failure("no such machine"));
        }
        Ok(())
    };
    let id = match cx.bug {
        "the number of the machine is noted later" => text(&app, "/status/machine").to_owned(),
        _ => uid.clone(),
    };
    if is_deleted(&app) {
        if has_finalizer && cx.has("the finalizer comes off first") {
            cx.finalizer(&app, false).await?;
            return delete(&id).await.and(done());
        }
        if has_finalizer {
            delete(&id).await?;
            cx.finalizer(&app, false).await?;
        }
        return done();
    }
    if !has_finalizer && !cx.has("no finalizer") {
        cx.finalizer(&app, true).await?;
        return done();
    }
    let image = app.data["spec"]["image"].clone();
    let is_known = match cx.bug {
        "the machine is cached for ever" => cx.memory.lock().unwrap().contains_key(&uid),
        "the status comes before the machine" => app.data.pointer("/status/image") == Some(&image),
        _ => false,
    };
    if is_known {
        return done();
    }
    if cx.has("the status comes before the machine") {
        cx.status(&app, json!({"image": image})).await?;
    }
    call().await;
    if cx.has("the number of the machine is noted later") && id.is_empty() {
        let id = format!("machine-{:016x}", fastrand::u64(..));
        cx.machines
            .lock()
            .unwrap()
            .insert(id.clone(), image.clone());
        cx.status(&app, json!({"machine": id})).await?;
        return done();
    }
    cx.machines.lock().unwrap().insert(id, image.clone());
    cx.memory.lock().unwrap().insert(uid, image.clone());
    cx.status(&app, json!({"image": image})).await?;
    done()
}

const PERIOD: i64 = 300;

pub(super) async fn periodic(arguments: Arguments) {
    drive(
        controller(&arguments.0, Watched::Nothing),
        arguments,
        reconcile_periodic,
    )
    .await;
}

async fn reconcile_periodic(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    let seconds = |it: i64| Duration::from_secs(it.try_into().unwrap_or(0));
    if is_deleted(&app) {
        return done();
    }
    let (now, uid) = (clock::now(), app.uid().unwrap_or_default());
    let last = match cx.bug {
        "all objects have one time" => cx
            .memory
            .lock()
            .unwrap()
            .values()
            .next()
            .and_then(Value::as_i64),
        "the time is in memory" => cx.memory.lock().unwrap().get(&uid).and_then(Value::as_i64),
        "no period" => None,
        _ => app.data.pointer("/status/last").and_then(Value::as_i64),
    };
    let age = last.map_or(PERIOD, |last| now.as_second() - last);
    if age < PERIOD {
        return Ok(Action::requeue(seconds(PERIOD - age)));
    }
    sleep(Duration::from_secs(1)).await;
    cx.memory
        .lock()
        .unwrap()
        .insert(uid, json!(now.as_second()));
    let mut status = json!({"last": now.as_second()});
    match cx.bug {
        "starts are counted" => {
            let count = app.data.pointer("/status/count").and_then(Value::as_i64);
            status = json!({"count": count.unwrap_or(0) + 1});
        }
        "the status is replaced without its version" => {
            let mut new = (*app).clone();
            new.metadata.resource_version = None;
            new.metadata.managed_fields = None;
            new.data["status"] = status;
            let name = app.name_any();
            cx.objects()
                .replace_status(&name, &PostParams::default(), &new)
                .await?;
            return Ok(Action::requeue(seconds(PERIOD)));
        }
        "a reconcile returns before the status" => {
            status["observedGeneration"] = json!(app.metadata.generation);
        }
        _ => {}
    }
    cx.status(&app, status).await?;
    Ok(Action::requeue(seconds(PERIOD)))
}

pub(super) fn is_recent(server: &ApiServer) -> Result<(), String> {
    let now = clock::now().as_second();
    let is_late = |app: &Value| {
        let last = app.pointer("/status/last").and_then(Value::as_i64);
        let is_ours = app["kind"] == "App" && app["metadata"]["namespace"] == "default";
        is_ours
            && app.pointer("/metadata/deletionTimestamp").is_none()
            && last.is_none_or(|last| now - last > PERIOD + 100)
    };
    match server
        .filter_map(|it| is_late(it).then(|| it["metadata"]["name"].to_string()))
        .first()
    {
        None => Ok(()),
        Some(app) => Err(format!("{app} is late")),
    }
}
