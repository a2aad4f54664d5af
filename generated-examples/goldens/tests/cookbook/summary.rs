//! Sums up children in the status.

// ANCHOR: recipe
use std::sync::Arc;

use k8s_openapi::{api::apps::v1::Deployment, apimachinery::pkg::apis::meta::v1::Condition};
use kube::ResourceExt as _;
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{
    children::ChildError,
    client::TypedClient,
    condition::{condition, set_condition},
    controller::Action,
    manager::Manager,
};

use super::{Context, deployment, is_ready, owner};

fn register(manager: &Manager) {
    let (controller, context) = owner(manager);
    controller.run(reconcile, context);
}

async fn reconcile(app: Arc<App>, context: Arc<Context>) -> Result<Action, ChildError> {
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let (members, mut ready) = (app.spec.members.unwrap_or(1), 0);
    let names = (0..members).map(|member| format!("{}-{member}", app.name_any()));
    context.deployments.prune(&*app, names).await?;
    for member in 0..members {
        let state = context
            .deployments
            .apply(&*app, deployment(&app, Some(member)))
            .await?;
        ready += i32::from(state.object().is_some_and(|it| is_ready(it)));
    }
    // Computed from what is there, never by adding to the count before: a lost event cannot make it wrong for ever.
    let reason = if ready == members {
        "AllReady"
    } else {
        "SomeNotReady"
    };
    let message = format!("{ready} of {members} members are ready");
    let apps = TypedClient::<App>::namespaced(
        context.client.clone(),
        &app.namespace().unwrap_or_default(),
    );
    let set = |it: &mut App| {
        let status = it.status.get_or_insert_default();
        status.ready = Some(ready);
        let new = Condition {
            observed_generation: app.metadata.generation,
            ..condition("Ready", ready == members, reason, &message)
        };
        set_condition(status.conditions.get_or_insert_default(), new);
    };
    apps.modify_status_from(&app, set).await?;
    Ok(Action::await_change())
}
// ANCHOR_END: recipe

#[test]
fn the_status_counts_what_is_ready() {
    super::simulation("cookbook summary", register)
        .sample(&super::app("a", &serde_json::json!({"members": 2})))
        .truth("App", "/status/ready", |server, app| {
            let namespace = app["metadata"]["namespace"].as_str().unwrap_or_default();
            let mut all = server.list::<Deployment>();
            all.retain(|it| {
                let owner = it.owner_references().first();
                let is_child = owner.is_some_and(|owner| app["metadata"]["uid"] == owner.uid);
                is_child && it.namespace().as_deref() == Some(namespace) && is_ready(it)
            });
            all.len().into()
        })
        .run();
}
