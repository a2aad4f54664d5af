//! Recipes about several children: wait for one, change one after the other, sum them up.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::api::apps::v1::Deployment;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, ListParams, PostParams, Preconditions},
    runtime::{controller::Action, reflector::ObjectRef, watcher},
};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    super::resource,
    app::{Cx, Machines, Watched, controller, deployment, done, drive, is_deleted, is_ready, text},
};

type Arguments = (Client, &'static str, Machines);

pub(super) async fn wait(arguments: Arguments) {
    let (client, bug, _) = &arguments;
    let controller = match *bug {
        "children are not watched" => controller(client, Watched::Nothing),
        "a status has no generation of its own" => {
            let seen = Mutex::new(BTreeMap::new());
            let api = Api::<Deployment>::namespaced(client.clone(), "default");
            controller(client, Watched::Nothing).watches(
                api,
                watcher::Config::default(),
                move |it| {
                    let (uid, generation) = (it.uid(), it.metadata.generation);
                    let before = seen.lock().unwrap().insert(uid, generation);
                    let owner = it.owner_references().first()?;
                    let of = ObjectRef::new_with(&owner.name, resource("App")).within("default");
                    (before != Some(generation)).then_some(of)
                },
            )
        }
        _ => controller(client, Watched::Deployments),
    };
    drive(controller, arguments, reconcile_wait).await;
}

async fn reconcile_wait(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    if is_deleted(&app) && !cx.has("deletionTimestamp is not looked at") {
        return done();
    }
    if cx.has("what was ready is not looked at")
        && app.data.pointer("/status/ready") == Some(&json!(text(&app, "/spec/image")))
    {
        return done();
    }
    for member in ["database", "front"] {
        let name = format!("{}-{member}", app.name_any());
        let mut it = cx.apply::<Deployment>(deployment(&app, &name, "")).await?;
        while !is_ready(&it) && cx.has("a reconcile waits in a loop") {
            sleep(Duration::from_millis(200)).await;
            it = cx.api::<Deployment>().get(&name).await?;
        }
        if !is_ready(&it) {
            if cx.has("a reconcile asks for the next one at once") {
                return Ok(Action::requeue(Duration::from_millis(50)));
            }
            cx.status(&app, json!({"ready": null})).await?;
            return done();
        }
    }
    cx.status(&app, json!({"ready": text(&app, "/spec/image")}))
        .await?;
    done()
}

pub(super) async fn rolling(arguments: Arguments) {
    let watched = match arguments.1 {
        "children are not watched" => Watched::Nothing,
        _ => Watched::Deployments,
    };
    drive(
        controller(&arguments.0, watched),
        arguments,
        reconcile_rolling,
    )
    .await;
}

fn members(app: &DynamicObject) -> i64 {
    app.data
        .pointer("/spec/members")
        .and_then(Value::as_i64)
        .unwrap_or(1)
}

async fn reconcile_rolling(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    if is_deleted(&app) {
        return done();
    }
    let deployments = cx.api::<Deployment>();
    let names: Vec<_> = (0..members(&app))
        .map(|it| format!("{}-{it}", app.name_any()))
        .collect();
    let label = match cx.bug {
        "the selector is too wide" => "made-by=apps".to_owned(),
        _ => format!("app={}", app.uid().unwrap_or_default()),
    };
    for it in deployments
        .list(&ListParams::default().labels(&label))
        .await?
    {
        if names.contains(&it.name_any()) || cx.has("members that are too many stay") {
            continue;
        }
        if cx.has("a delete has no precondition") {
            match deployments
                .delete(&it.name_any(), &DeleteParams::default())
                .await
            {
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                done => drop(done?),
            }
            continue;
        }
        cx.delete(&it).await?;
    }
    for (number, name) in names.iter().enumerate() {
        let mut wanted = deployment(&app, name, "");
        if cx.has("the selector follows the image") {
            let labels = json!({"image": text(&app, "/spec/image")});
            wanted["spec"]["selector"]["matchLabels"] = labels.clone();
            wanted["spec"]["template"]["metadata"]["labels"] = labels;
        }
        let applied = match cx.apply::<Deployment>(wanted).await {
            Err(_) if cx.has("an error is ignored") => continue,
            it => it?,
        };
        if !is_ready(&applied) {
            cx.status(&app, json!({"rolling": number, "image": null}))
                .await?;
            return done();
        }
    }
    let report = json!({"rolling": null, "image": text(&app, "/spec/image")});
    cx.status(&app, report).await?;
    done()
}

pub(super) async fn summary(arguments: Arguments) {
    let (client, bug, _) = &arguments;
    let controller = match *bug {
        "children are not watched" => controller(client, Watched::Nothing),
        _ => controller(client, Watched::Deployments),
    };
    drive(controller, arguments, reconcile_summary).await;
}

async fn reconcile_summary(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    if is_deleted(&app) {
        return done();
    }
    let mut ready = 0;
    for member in 0..members(&app) {
        let name = format!("{}-{member}", app.name_any());
        let it = cx.apply::<Deployment>(deployment(&app, &name, "")).await?;
        ready += i64::from(is_ready(&it));
    }
    let deployments = cx.api::<Deployment>();
    for it in deployments
        .list(&ListParams::default().labels(&format!("app={}", app.uid().unwrap_or_default())))
        .await?
    {
        let number = it
            .name_any()
            .rsplit('-')
            .next()
            .and_then(|it| it.parse::<i64>().ok());
        if number.is_none_or(|it| it >= members(&app)) {
            let preconditions = Preconditions {
                uid: it.uid(),
                resource_version: None,
            };
            match deployments
                .delete(
                    &it.name_any(),
                    &DeleteParams::default().preconditions(preconditions),
                )
                .await
            {
                Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
                done => drop(done?),
            }
        }
    }
    let known = app
        .data
        .pointer("/status/ready")
        .and_then(Value::as_i64)
        .unwrap_or(0);
    let mut status = json!({"ready": ready});
    match cx.bug {
        "what becomes ready is added" => {
            let mut memory = cx.memory.lock().unwrap();
            let before = memory
                .insert(app.name_any(), json!(ready))
                .and_then(|it| it.as_i64());
            status["ready"] = json!(known + ready - before.unwrap_or(0));
        }
        "children of all are counted" => {
            let all = deployments
                .list(&ListParams::default().labels("made-by=apps"))
                .await?;
            status["ready"] = json!(all.iter().filter(|it| is_ready(it)).count());
        }
        "the generation of a child is reported" => {
            let name = format!("{}-0", app.name_any());
            let first = deployments.get_opt(&name).await?;
            status["observedGeneration"] =
                json!(first.and_then(|it| it.metadata.generation).unwrap_or(1));
        }
        "the status is written once" if app.data.pointer("/status/ready").is_some() => {
            return done();
        }
        "a conflict of the status is taken as success" if known != ready => {
            let mut new = (*app).clone();
            new.metadata.managed_fields = None;
            new.data["status"] = status;
            let (apps, name) = (cx.objects(), app.name_any());
            let written = apps
                .replace_status(&name, &PostParams::default(), &new)
                .await;
            return match written {
                Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => done(),
                it => it.and(done()),
            };
        }
        _ => {}
    }
    cx.status(&app, status).await?;
    done()
}
