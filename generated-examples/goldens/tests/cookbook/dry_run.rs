//! Shows in the status what would be written, and writes nothing.

// ANCHOR: recipe
use std::sync::Arc;

use k8s_openapi::api::apps::v1::Deployment;
use kube::{Client, ResourceExt as _};
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{
    client::{Applied, FieldManager, TypedClient},
    controller::{Action, is_controlled_by, owned_by},
    manager::Manager,
};

use super::deployment;

const MANAGER: FieldManager<'static> = FieldManager::new("apps").force();

fn register(manager: &Manager) {
    let deployments = manager.factory().informer::<Deployment>();
    let controller = manager.reconcile().owns(&deployments);
    controller.run(reconcile, manager.client());
}

async fn reconcile(app: Arc<App>, client: Arc<Client>) -> kube::Result<Action> {
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let namespace = app.namespace().unwrap_or_default();
    let mut deployments = TypedClient::<Deployment>::namespaced((*client).clone(), &namespace);
    // The only difference: with `dryRun=All`, the server checks, defaults and admits a write, and stores nothing.
    let is_dry = app.spec.dry_run == Some(true);
    if is_dry {
        deployments = deployments.dry_run();
    }
    let child = deployment(&app, None)
        .with(|it| it.metadata.owner_references = owned_by(&*app).map(|owner| vec![owner]));
    let plan = match deployments.get_opt(&app.name_any()).await? {
        None => {
            let created = deployments.apply(&child, MANAGER).await?;
            vec![format!("create Deployment {}", created.name_any())]
        }
        Some(live) if !is_controlled_by(&live, &*app) => {
            vec![format!(
                "nothing: Deployment {} is another's",
                live.name_any()
            )]
        }
        Some(live) => match deployments.apply_from(&live, &child, MANAGER).await? {
            Applied::Unchanged => Vec::new(),
            Applied::Changed { diff, .. } => {
                diff.changes().iter().map(ToString::to_string).collect()
            }
        },
    };
    let apps = TypedClient::<App>::namespaced((*client).clone(), &namespace);
    apps.modify_status_from(&app, |app| {
        app.status.get_or_insert_default().plan = is_dry.then(|| plan.clone());
    })
    .await?;
    Ok(Action::await_change())
}
// ANCHOR_END: recipe

#[test]
fn a_dry_run_says_what_would_happen_and_changes_nothing() {
    use kube_codegen_simulation::{FaultKind, Workload};
    use serde_json::json;

    let path = format!("{}/a", super::APPS);
    let workload = Workload::new("a dry run before the creation, and one before a change")
        .create(super::APPS, super::app("a", &json!({"dryRun": true})))
        .phase("create")
        .patch(&path, json!({"spec": {"dryRun": null}}))
        .phase("try a change")
        .patch(
            &path,
            json!({"spec": {"dryRun": true, "image": "example.com/app:2"}}),
        )
        .phase("delete")
        .delete(&path)
        .leaves_nothing();
    super::simulation("cookbook dry run", register)
        .workload(workload)
        // What others do to the child meanwhile stays as it is.
        .without_fault(FaultKind::Delete)
        .without_fault(FaultKind::Drift)
        .truth("App", "/status/plan", |server, app| {
            let is_dry = app["spec"]["dryRun"] == true;
            let plan = match server.get::<Deployment>("default", "a") {
                None => "create Deployment a",
                Some(_) => r#".spec.template.spec.containers[name="app"].image: "example.com/app:1" → "example.com/app:2""#,
            };
            if is_dry { json!([plan]) } else { json!(null) }
        })
        .run();
}
