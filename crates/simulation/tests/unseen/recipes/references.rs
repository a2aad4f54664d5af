//! Recipes about objects that the operator does not make: a Secret, a `ConfigMap` of another namespace, an object to adopt.

use std::sync::Arc;

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams, PostParams},
    runtime::{Controller, controller::Action, reflector::ObjectRef, watcher},
};
use kube_codegen_simulation::Workload;
use serde_json::{Value, json};

use super::{
    super::{owners, resource},
    app::{
        Cx, Kind, Machines, Watched, child, controller, deployment, done, drive, is_deleted, text,
    },
};

type Arguments = (Client, &'static str, Machines);

/// Adds a watch whose events enqueue the objects that `concerns` selects.
fn watches<K: Kind>(
    controller: Controller<DynamicObject>,
    api: Api<K>,
    concerns: impl Fn(&K, &DynamicObject) -> bool + Send + Sync + 'static,
) -> Controller<DynamicObject> {
    let known = controller.store();
    controller.watches(api, watcher::Config::default(), move |it| {
        let mut all = known.state();
        all.retain(|app| concerns(&it, app));
        let references = all.into_iter();
        references
            .map(|app| ObjectRef::from_obj_with(&*app, resource("App")))
            .collect::<Vec<_>>()
    })
}

pub(super) async fn secret(arguments: Arguments) {
    let (client, bug, _) = &arguments;
    let secrets = Api::<Secret>::namespaced(client.clone(), "default");
    let controller = controller(client, Watched::Deployments);
    let controller = match *bug {
        "no watch of the Secret" => controller,
        "the Secret is mapped by its own name" => watches(controller, secrets, |it, app| {
            it.name_any() == app.name_any()
        }),
        _ => watches(controller, secrets, |it, app| {
            text(app, "/spec/secretName") == it.name_any()
        }),
    };
    drive(controller, arguments, reconcile_secret).await;
}

async fn reconcile_secret(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    if is_deleted(&app) && !cx.has("deletionTimestamp is not looked at") {
        return done();
    }
    let name = text(&app, "/spec/secretName");
    let secret = match cx.bug {
        "quick retries" => Some(cx.api::<Secret>().get(name).await?),
        _ => cx.api::<Secret>().get_opt(name).await?,
    };
    let Some(secret) = secret else {
        cx.status(&app, json!({"ready": false})).await?;
        return done();
    };
    let mut digest = json!(secret.data);
    if cx.has("the Secret is cached for ever") {
        let mut memory = cx.memory.lock().unwrap();
        digest = memory.entry(name.to_owned()).or_insert(digest).clone();
    }
    let digest = digest.to_string();
    let wanted = deployment(&app, &app.name_any(), &digest);
    match cx.bug {
        "the child is only created" => cx.create_if_absent::<Deployment>(wanted).await?,
        _ => drop(cx.apply::<Deployment>(wanted).await?),
    }
    cx.status(&app, json!({"ready": true})).await?;
    done()
}

const SHARED: &str = "example.com/shared";

pub(super) async fn copy(arguments: Arguments) {
    let (client, bug, _) = &arguments;
    let namespace = match *bug {
        "only the own namespace is watched" => "default",
        _ => "team",
    };
    let sources = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    let controller = match *bug {
        "the copy is not watched" => controller(client, Watched::Nothing),
        _ => controller(client, Watched::Maps),
    };
    let controller = watches(controller, sources, |it, app| {
        text(app, "/spec/from") == it.name_any()
    });
    drive(controller, arguments, reconcile_copy).await;
}

async fn reconcile_copy(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    if is_deleted(&app) {
        return done();
    }
    let sources = Api::<ConfigMap>::namespaced(cx.client.clone(), "team");
    let source = sources.get_opt(text(&app, "/spec/from")).await?;
    let uid = app.uid().unwrap_or_default();
    let was_shared = cx.memory.lock().unwrap().contains_key(&uid);
    let is_shared = |it: &ConfigMap| it.annotations().contains_key(SHARED);
    let remembers = cx.has("the permission is remembered") && was_shared;
    let name = app.name_any();
    let Some(source) = source.filter(|it| remembers || is_shared(it)) else {
        if !cx.has("the copy is kept")
            && let Some(copy) = cx.api::<ConfigMap>().get_opt(&name).await?
        {
            cx.delete(&copy).await?;
        }
        cx.status(&app, json!({"copied": false})).await?;
        return done();
    };
    cx.memory.lock().unwrap().insert(uid, json!(true));
    let mut copy = child(&app, "ConfigMap", &name, &json!({"data": source.data}));
    match cx.bug {
        "no owner reference" => drop(
            copy["metadata"]
                .as_object_mut()
                .unwrap()
                .remove("ownerReferences"),
        ),
        "the copy is in the namespace of the source" => {
            copy["metadata"]["namespace"] = json!("team");
        }
        _ => {}
    }
    cx.apply::<ConfigMap>(copy).await?;
    cx.status(&app, json!({"copied": true})).await?;
    done()
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
pub(super) const APPS: &str = "/apis/example.com/v1/namespaces/default/apps";

pub(super) fn app(spec: &Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "App", "metadata": {"name": "a"}, "spec": spec})
}

pub(super) fn shared() -> Workload {
    const SOURCE: &str = "/api/v1/namespaces/team/configmaps";
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"level": "info"}});
    let share = |with: Value| json!({"metadata": {"annotations": {SHARED: with}}});
    let source = format!("{SOURCE}/settings");
    Workload::new("a ConfigMap is shared, changes, and is not shared any more")
        .create(APPS, app(&json!({"from": "settings"})))
        .create(SOURCE, map)
        .phase("share")
        .patch(&source, share(json!("yes")))
        .phase("change")
        .patch(&source, json!({"data": {"level": "debug"}}))
        .phase("stop")
        .patch(&source, share(Value::Null))
        .patch(&source, json!({"data": {"level": "info"}}))
        .same_as("create")
        .phase("delete")
        .delete(&format!("{APPS}/a"))
}

const ADOPT: &str = "example.com/adopt-by";

pub(super) async fn adopt(arguments: Arguments) {
    let (client, bug, _) = &arguments;
    let controller = controller(client, Watched::Maps);
    let controller = if *bug == "objects without an owner are not watched" {
        controller
    } else {
        let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
        watches(controller, maps, |it, app| it.name_any() == app.name_any())
    };
    drive(controller, arguments, reconcile_adopt).await;
}

async fn reconcile_adopt(app: Arc<DynamicObject>, cx: Arc<Cx>) -> kube::Result<Action> {
    if is_deleted(&app) {
        return done();
    }
    let (maps, name) = (cx.api::<ConfigMap>(), app.name_any());
    let image = json!({"data": {"image": text(&app, "/spec/image")}});
    let wanted = child(&app, "ConfigMap", &name, &image);
    let map = maps.get_opt(&name).await?;
    let mine = |it: &ConfigMap| {
        it.owner_references()
            .iter()
            .any(|it| Some(&it.uid) == app.uid().as_ref())
    };
    if let Some(map) = map.as_ref().filter(|it| !mine(it)) {
        let may = map.annotations().get(ADOPT) == Some(&name) && map.owner_references().is_empty();
        if cx.has("a foreign object is retried") {
            let wanted = serde_json::from_value(wanted).map_err(kube::Error::SerdeError)?;
            maps.create(&PostParams::default(), &wanted).await?;
            return done();
        }
        if !may && !cx.has("no permission is asked for") {
            cx.status(&app, json!({"foreign": true})).await?;
            return done();
        }
        let metadata = json!({"ownerReferences": owners(&app, "App"), "resourceVersion": map.resource_version()});
        let patch = Patch::Merge(json!({ "metadata": metadata }));
        maps.patch(&name, &PatchParams::default(), &patch).await?;
    }
    match cx.bug {
        "the child is only created" => cx.create_if_absent::<ConfigMap>(wanted).await?,
        _ => match cx.apply::<ConfigMap>(wanted).await {
            Err(kube::Error::Api(status))
                if status.code == 409 && cx.has("a conflict is taken as success") => {}
            it => drop(it?),
        },
    }
    cx.status(&app, json!({"foreign": false})).await?;
    done()
}

pub(super) fn given_away() -> Workload {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"image": "by hand"}});
    let path = format!("{APPS}/a");
    Workload::new("a ConfigMap of a user, which is given away later")
        .create(MAPS, map)
        .create(APPS, app(&json!({"image": "one"})))
        .phase("permit")
        .patch(
            &format!("{MAPS}/a"),
            json!({"metadata": {"annotations": {ADOPT: "a"}}}),
        )
        .phase("change")
        .patch(&path, json!({"spec": {"image": "two"}}))
        .phase("change back")
        .patch(&path, json!({"spec": {"image": "one"}}))
        .same_as("permit")
        .phase("delete")
        .delete(&path)
        .leaves_nothing()
}
