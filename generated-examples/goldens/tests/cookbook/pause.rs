//! Does nothing for an object while a user works on its children.

// ANCHOR: recipe
use std::sync::Arc;

use k8s_openapi::api::apps::v1::Deployment;
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{children::ChildError, controller::Action, manager::Manager};

use super::{Context, deployment, owner, report};

fn register(manager: &Manager) {
    let (controller, context) = owner(manager);
    controller.run(reconcile, context);
}

async fn reconcile(app: Arc<App>, context: Arc<Context>) -> Result<Action, ChildError> {
    // First: an object that is deleted while it is paused must not stay, so a clean-up belongs here, too.
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    if app.spec.paused == Some(true) {
        // Visible, and of this generation: a user sees that the operator has read the field.
        let message = "children stay as they are until spec.paused is removed";
        report(&context.client, &app, false, "Paused", message).await?;
        return Ok(Action::await_change());
    }
    context
        .deployments
        .apply(&*app, deployment(&app, None))
        .await?;
    report(&context.client, &app, true, "Deployed", "").await?;
    Ok(Action::await_change())
}
// ANCHOR_END: recipe

#[test]
fn a_paused_object_is_left_alone() {
    use kube_codegen_simulation::Workload;
    use serde_json::json;

    let path = format!("{}/a", super::APPS);
    let child = "/apis/apps/v1/namespaces/default/deployments/a";
    let workload = Workload::new("a user repairs a paused object by hand")
        .create(super::APPS, super::app("a", &json!({})))
        .phase("pause")
        .patch(&path, json!({"spec": {"paused": true}}))
        .phase("repair")
        .patch(child, json!({"spec": {"paused": true}}))
        .patch(&path, json!({"spec": {"image": "example.com/app:2"}}))
        .phase("resume")
        .patch(child, json!({"spec": {"paused": null}}))
        .patch(
            &path,
            json!({"spec": {"paused": null, "image": "example.com/app:1"}}),
        )
        .same_as("create")
        .phase("delete")
        .delete(&path)
        .leaves_nothing();
    super::simulation("cookbook pause", register)
        .workload(workload)
        .eventually("a paused object keeps its image", |server| {
            let paused = server
                .list::<App>()
                .iter()
                .any(|it| it.spec.paused == Some(true));
            let images = server
                .list::<Deployment>()
                .into_iter()
                .filter_map(|it| it.spec?.template.spec?.containers.pop()?.image);
            let changed = images.into_iter().any(|image| image != "example.com/app:1");
            (!paused || !changed)
                .then_some(())
                .ok_or_else(|| "it was changed".to_owned())
        })
        .run();
}
