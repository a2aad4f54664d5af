//! Reads an object of another namespace whose owner has permitted it.

// ANCHOR: recipe
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, ResourceExt as _};
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{
    children::{ChildError, Children},
    controller::Action,
    informer::ObjectKey,
    lister::Lister,
    manager::Manager,
    record::apply::Apply,
};

use super::report;

/// The annotation of a `ConfigMap` with the namespaces that may read it.
const SHARED_WITH: &str = "example.com/shared-with";

struct Context {
    client: Client,
    maps: Lister<ConfigMap>,
    copies: Children<ConfigMap>,
}

fn register(manager: &Manager) {
    let known = manager.factory().informer().lister().detached();
    let users = move |map: &Arc<ConfigMap>| -> Vec<ObjectKey> {
        let mut apps = known.all();
        apps.retain(|app: &Arc<App>| {
            let from = app.spec.config_from.as_ref();
            from.is_some_and(|it| {
                ObjectKey::namespaced(&it.namespace, &it.name) == ObjectKey::of(&**map)
            })
        });
        apps.iter().map(|app| ObjectKey::of(&**app)).collect()
    };
    let context = Context {
        client: manager.client(),
        maps: manager.factory().informer().lister(),
        copies: manager.children(),
    };
    let controller = manager.reconcile().owns(&context.copies);
    let controller = controller.watches(&context.copies, users);
    controller.run(reconcile, context);
}

async fn reconcile(app: Arc<App>, context: Arc<Context>) -> Result<Action, ChildError> {
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let namespace = app.namespace().unwrap_or_default();
    let may_read = |map: &Arc<ConfigMap>| {
        let namespaces = map.annotations().get(SHARED_WITH);
        namespaces.is_some_and(|it| it.split(',').any(|it| it.trim() == namespace))
    };
    let from = app.spec.config_from.as_ref();
    let source = from.and_then(|it| context.maps.namespaced(&it.namespace).get(&it.name).ok());
    let Some(source) = source.filter(may_read) else {
        context.copies.prune(&*app, [""; 0]).await?;
        // The same answer whether the object exists: who may not read it must not learn that.
        let message = "no ConfigMap of this name is shared with this namespace";
        report(&context.client, &app, false, "NotShared", message).await?;
        return Ok(Action::await_change());
    };
    let copy = Apply::namespaced(app.name_any(), namespace)
        .with(|it: &mut ConfigMap| it.data.clone_from(&source.data));
    context.copies.apply(&*app, copy).await?;
    report(&context.client, &app, true, "Copied", "").await?;
    Ok(Action::await_change())
}
// ANCHOR_END: recipe

#[test]
fn a_copy_exists_as_long_as_it_is_permitted() {
    use kube_codegen_simulation::Workload;
    use serde_json::json;

    const SOURCE: &str = "/api/v1/namespaces/team/configmaps";
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"level": "info"}});
    let shared = |with: &str| json!({"metadata": {"annotations": {SHARED_WITH: with}}});
    let spec = json!({"configFrom": {"namespace": "team", "name": "settings"}});
    let workload = Workload::new("a ConfigMap is shared, changes, and is not shared any more")
        .create(super::APPS, super::app("a", &spec))
        .create(SOURCE, map)
        .phase("share")
        .patch(&format!("{SOURCE}/settings"), shared("other, default"))
        .phase("change")
        .patch(
            &format!("{SOURCE}/settings"),
            json!({"data": {"level": "debug"}}),
        )
        .phase("stop")
        .patch(&format!("{SOURCE}/settings"), shared("other"));
    super::simulation("cookbook cross namespace", register)
        .prepare(|server| {
            for name in ["default", "team"] {
                let namespace =
                    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
                server.seed(&namespace).unwrap();
            }
        })
        .workload(workload)
        .eventually("there is a copy if it is permitted", |server| {
            let source = server.get::<ConfigMap>("team", "settings");
            let is_shared = source.is_some_and(|it| {
                let with = it.annotations().get(SHARED_WITH);
                with.is_some_and(|with| with.contains("default"))
            });
            let is_copied = server.get::<ConfigMap>("default", "a").is_some();
            (is_shared == is_copied)
                .then_some(())
                .ok_or_else(|| format!("shared: {is_shared}, copied: {is_copied}"))
        })
        .run();
}
