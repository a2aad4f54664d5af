//! Changes several children, one after the other.

// ANCHOR: recipe
use std::sync::Arc;

use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt;
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
    let members = 0..app.spec.members.unwrap_or(1);
    let name = |member| format!("{}-{member}", app.name_any());
    context
        .deployments
        .prune(&*app, members.clone().map(name))
        .await?;
    // If a member is not ready, no other one changes: the image may change again before the end.
    let mut known = context.deployments.of(&*app);
    known.retain(|it| !is_ready(it) && members.clone().any(|member| it.name_any() == name(member)));
    let broken = known.first().map(|it| it.name_any());
    for member in members {
        if broken.as_ref().is_some_and(|it| *it != name(member)) {
            continue;
        }
        let child = deployment(&app, Some(member));
        // The answer has the generation of this write: a status of the version before does not count.
        let state = context.deployments.apply(&*app, child).await?;
        if !state.object().is_some_and(|it| is_ready(it)) {
            let message = format!("member {member} is not ready");
            report(&context.client, &app, false, "Rolling", &message).await?;
            return Ok(Action::await_change());
        }
    }
    report(&context.client, &app, true, "Running", "").await?;
    Ok(Action::await_change())
}
// ANCHOR_END: recipe

#[test]
fn one_member_at_a_time_is_not_ready() {
    use kube_codegen_simulation::{FaultKind, Workload};
    use serde_json::json;

    let path = format!("{}/a", super::APPS);
    let image = |version: u32| json!({"spec": {"image": format!("example.com/app:{version}")}});
    let workload = Workload::new("three members get a new image")
        .create(super::APPS, super::app("a", &json!({"members": 3})))
        .phase("change")
        .patch(&path, image(2))
        .phase("change back")
        .patch(&path, image(1))
        .same_as("create")
        .phase("fewer")
        .patch(&path, json!({"spec": {"members": 1}}))
        .phase("delete")
        .delete(&path)
        .leaves_nothing();
    super::simulation("cookbook rolling", register)
        .workload(workload)
        // What another client deletes is not ready, whatever the operator does.
        .without_fault(FaultKind::Delete)
        .always("one member at a time", |server| {
            let mut all = server.list::<Deployment>();
            all.retain(|it| it.metadata.deletion_timestamp.is_none() && !is_ready(it));
            let names: Vec<_> = all.iter().map(ResourceExt::name_any).collect();
            (names.len() <= 1)
                .then_some(())
                .ok_or_else(|| format!("{names:?} are not ready"))
        })
        .run();
}
