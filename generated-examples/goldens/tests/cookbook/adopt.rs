//! Takes over an object that exists, if its owner agrees.

// ANCHOR: recipe
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, ResourceExt as _};
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{
    children::{ChildError, Children},
    client::TypedClient,
    controller::{Action, controller_of, owned_by},
    informer::ObjectKey,
    manager::Manager,
    record::apply::Apply,
};

use super::report;

/// The annotation by which the owner of an object agrees: the name of the App that may take it over.
const ADOPT: &str = "example.com/adopt-by";

struct Context {
    client: Client,
    maps: Children<ConfigMap>,
}

fn register(manager: &Manager) {
    let maps = manager.children();
    // An object without an owner enqueues the App of its name: it may be free now, or permitted.
    let same_name = |map: &Arc<ConfigMap>| vec![ObjectKey::of(&**map)];
    let controller = manager.reconcile().owns(&maps).watches(&maps, same_name);
    let context = Context {
        client: manager.client(),
        maps,
    };
    controller.run(reconcile, context);
}

async fn reconcile(app: Arc<App>, context: Arc<Context>) -> Result<Action, ChildError> {
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let child = Apply::namespaced(app.name_any(), app.namespace().unwrap_or_default()).with(
        |it: &mut ConfigMap| it.data = Some([("image".to_owned(), app.spec.image.clone())].into()),
    );
    let mut state = context.maps.apply(&*app, child.clone()).await;
    if let Err(ChildError::Foreign {
        controller: None, ..
    }) = state
        && adopt(&app, &context.client).await?
    {
        state = context.maps.apply(&*app, child).await;
    }
    match state {
        Ok(_) => report(&context.client, &app, true, "Written", "").await?,
        Err(error @ ChildError::Foreign { .. }) => {
            report(&context.client, &app, false, "Foreign", &error.to_string()).await?;
        }
        Err(error) => return Err(error),
    }
    Ok(Action::await_change())
}

/// Makes the App the controller of the object, if it may. Returns whether it is.
async fn adopt(app: &App, client: &Client) -> kube::Result<bool> {
    let namespace = app.namespace().unwrap_or_default();
    let maps = TypedClient::<ConfigMap>::namespaced(client.clone(), &namespace);
    let name = app.name_any();
    let adopted = maps.modify(&name, |map| {
        // Called with the state that is changed: if another controller is faster, it is called again.
        let may = map.annotations().get(ADOPT) == Some(&name);
        if may && controller_of(map).is_none() && map.metadata.deletion_timestamp.is_none() {
            map.owner_references_mut().extend(owned_by(app));
        }
    });
    Ok(controller_of(&adopted.await?).is_some_and(|it| Some(&it.uid) == app.metadata.uid.as_ref()))
}
// ANCHOR_END: recipe

#[test]
fn what_may_be_adopted_is_adopted_and_nothing_else() {
    use kube_codegen_simulation::Workload;
    use serde_json::json;

    const MAPS: &str = "/api/v1/namespaces/default/configmaps";
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"image": "by hand"}});
    let workload = Workload::new("a ConfigMap of a user, which is given away later")
        .create(MAPS, map)
        .create(super::APPS, super::app("a", &json!({})))
        .phase("permit")
        .patch(
            &format!("{MAPS}/a"),
            json!({"metadata": {"annotations": {ADOPT: "a"}}}),
        )
        .phase("delete")
        .delete(&format!("{}/a", super::APPS))
        .leaves_nothing();
    super::simulation("cookbook adopt", register)
        .workload(workload)
        .always("nothing is changed without permission", |server| {
            let map = server.get::<ConfigMap>("default", "a");
            let is_changed = map.is_some_and(|it| {
                !it.annotations().contains_key(ADOPT)
                    && it.data.unwrap_or_default()["image"] != "by hand"
            });
            (!is_changed)
                .then_some(())
                .ok_or_else(|| "it was changed".to_owned())
        })
        .eventually("what may be adopted is adopted", |server| {
            let map = server.get::<ConfigMap>("default", "a");
            let is_left = map.is_some_and(|it| {
                it.annotations().contains_key(ADOPT)
                    && it.data.unwrap_or_default()["image"] == "by hand"
            });
            (!is_left)
                .then_some(())
                .ok_or_else(|| "it was not adopted".to_owned())
        })
        .run();
}
