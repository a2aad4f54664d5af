//! Watches the Secret that the spec names.

// ANCHOR: recipe
use std::{hash::Hasher as _, sync::Arc};

use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{Client, ResourceExt as _};
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{
    children::{ChildError, Children},
    controller::Action,
    informer::ObjectKey,
    lister::Lister,
    manager::Manager,
};

use super::{deployment, report};

struct Context {
    client: Client,
    secrets: Lister<Secret>,
    deployments: Children<Deployment>,
}

fn register(manager: &Manager) {
    let (known, secrets) = (manager.factory().informer(), manager.factory().informer());
    let known = known.lister().detached();
    let users = move |secret: &Arc<Secret>| -> Vec<ObjectKey> {
        let mut apps = known
            .namespaced(secret.namespace().unwrap_or_default())
            .all();
        apps.retain(|app: &Arc<App>| app.spec.secret_name == secret.metadata.name);
        apps.iter().map(|app| ObjectKey::of(&**app)).collect()
    };
    let mut controller = manager.reconcile().watches(&secrets, users);
    let context = Context {
        client: manager.client(),
        secrets: secrets.lister(),
        deployments: controller.children(),
    };
    controller.run(reconcile, context);
}

async fn reconcile(app: Arc<App>, context: Arc<Context>) -> Result<Action, ChildError> {
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let mut child = deployment(&app, None);
    if let Some(name) = &app.spec.secret_name {
        let secrets = context
            .secrets
            .namespaced(app.namespace().unwrap_or_default());
        let Ok(secret) = secrets.get(name) else {
            // Its creation enqueues the App.
            let message = format!("the Secret {name:?} does not exist");
            report(&context.client, &app, false, "SecretMissing", &message).await?;
            return Ok(Action::await_change());
        };
        child = child.with(|it| {
            let template = &mut it.spec.get_or_insert_default().template;
            let metadata = template.metadata.get_or_insert_default();
            // A new template starts new Pods, which read the new data.
            let annotation = ("example.com/secret".to_owned(), digest(&secret));
            metadata
                .annotations
                .get_or_insert_default()
                .extend([annotation]);
        });
    }
    context.deployments.apply(&*app, child).await?;
    report(&context.client, &app, true, "Deployed", "").await?;
    Ok(Action::await_change())
}

/// A number that changes with the data. Unlike the standard library's, it is the same in the next build.
fn digest(secret: &Secret) -> String {
    let mut hasher = fnv::FnvHasher::default();
    for (key, value) in secret.data.iter().flatten() {
        hasher.write(key.as_bytes());
        hasher.write(&value.0);
    }
    format!("{:016x}", hasher.finish())
}
// ANCHOR_END: recipe

#[test]
fn the_deployment_follows_the_secret() {
    let spec = serde_json::json!({"secretName": "password"});
    super::simulation("cookbook secret", register)
        .sample(&super::app("a", &spec))
        .run();
}
