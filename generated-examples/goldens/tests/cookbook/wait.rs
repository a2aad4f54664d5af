//! Creates a child when another one is ready.

// ANCHOR: recipe
use std::sync::Arc;

use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt as _;
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{children::ChildError, controller::Action, manager::Manager};

use super::{Context, deployment, is_ready, owner, report};

fn register(manager: &Manager) {
    let (controller, context) = owner(manager);
    controller.run(reconcile, context);
}

async fn reconcile(app: Arc<App>, context: Arc<Context>) -> Result<Action, ChildError> {
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    for (member, name) in ["database", "front end"].into_iter().enumerate() {
        let child = deployment(&app, i32::try_from(member).ok());
        let state = context.deployments.apply(&*app, child).await?;
        if !state.object().is_some_and(|it| is_ready(it)) {
            // No timer: the change of its status enqueues the App.
            let message = format!("the {name} is not ready");
            report(&context.client, &app, false, "Waiting", &message).await?;
            return Ok(Action::await_change());
        }
    }
    report(&context.client, &app, true, "Running", "").await?;
    Ok(Action::await_change())
}
// ANCHOR_END: recipe

#[test]
fn the_front_end_comes_after_the_database() {
    super::simulation("cookbook wait", register)
        .sample(&super::app("a", &serde_json::json!({})))
        .truth("App", "/status/conditions/0/status", |server, app| {
            let text = |key| app["metadata"][key].as_str().unwrap_or_default();
            let (namespace, name) = (text("namespace"), text("name"));
            let all = (0..2).all(|member| {
                let child = server.get::<Deployment>(namespace, &format!("{name}-{member}"));
                child.is_some_and(|it| {
                    // What the last App of this name has left is not this one's.
                    let owner = it.owner_references().first();
                    is_ready(&it) && owner.is_some_and(|it| app["metadata"]["uid"] == it.uid)
                })
            });
            if all { "True" } else { "False" }.into()
        })
        .run();
}
