//! The recipes of docs/cookbook.md: each file has the code of one, which the page includes, and its simulation.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod adopt;
mod cross_namespace;
mod dry_run;
mod external;
mod pause;
mod periodic;
mod rolling;
mod secret;
mod summary;
mod wait;

use k8s_openapi::{api::apps::v1::Deployment, apimachinery::pkg::apis::meta::v1::Condition};
use kube::{Client, CustomResourceExt as _, ResourceExt as _};
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{
    children::{Children, OWNER},
    client::TypedClient,
    condition::{condition, set_condition},
    controller::{Controller, Managed},
    manager::Manager,
    record::apply::{Apply, Items as _},
};
use kube_codegen_simulation::{Budget, Simulation};
use serde_json::{Value, json};

const APPS: &str = "/apis/example.com/v1/namespaces/default/apps";

// ANCHOR: shared
/// What the reconcile of most recipes needs.
struct Context {
    client: Client,
    deployments: Children<Deployment>,
}

/// A controller of the Apps that own Deployments.
fn owner(manager: &Manager) -> (Controller<App, Managed<&Manager>>, Context) {
    let mut controller = manager.reconcile();
    let context = Context {
        client: manager.client(),
        deployments: controller.children(),
    };
    (controller, context)
}

/// The Deployment of an App: named like it, or one of several, with a number.
fn deployment(app: &App, member: Option<i32>) -> Apply<Deployment> {
    let number = member.map_or_else(String::new, |member| format!("-{member}"));
    let labels = [
        (OWNER.to_owned(), app.uid().unwrap_or_default()),
        (
            "example.com/member".to_owned(),
            member.unwrap_or(0).to_string(),
        ),
    ];
    Apply::namespaced(
        app.name_any() + &number,
        app.namespace().unwrap_or_default(),
    )
    .with(|it: &mut Deployment| {
        let spec = it.spec.get_or_insert_default();
        spec.selector.match_labels = Some(labels.clone().into());
        spec.template.metadata.get_or_insert_default().labels = Some(labels.into());
        let pod = spec.template.spec.get_or_insert_default();
        pod.containers.item("app").image = Some(app.spec.image.clone());
    })
}

/// Whether the Deployment's newest Pods are available: its status must be of the newest spec.
fn is_ready(it: &Deployment) -> bool {
    let (Some(spec), Some(status)) = (&it.spec, &it.status) else {
        return false;
    };
    let wanted = Some(spec.replicas.unwrap_or(1));
    status.observed_generation >= it.metadata.generation
        && status.updated_replicas == wanted
        && status.available_replicas == wanted
}

/// Sets the condition `Ready`. Nothing is sent if nothing changes.
async fn report(
    client: &Client,
    app: &App,
    ready: bool,
    reason: &str,
    message: &str,
) -> kube::Result<()> {
    let apps = TypedClient::namespaced(client.clone(), &app.namespace().unwrap_or_default());
    let set = |it: &mut App| {
        let conditions = it
            .status
            .get_or_insert_default()
            .conditions
            .get_or_insert_default();
        let new = Condition {
            observed_generation: app.metadata.generation,
            ..condition("Ready", ready, reason, message)
        };
        set_condition(conditions, new);
    };
    apps.modify_status_from(app, set).await.map(drop)
}
// ANCHOR_END: shared

/// Returns the simulation of a recipe: all single faults, and a few combinations of them.
fn simulation(
    recipe: &str,
    register: impl Fn(&Manager) + Clone + Send + Sync + 'static,
) -> Simulation {
    Simulation::new(recipe)
        .crd(&App::crd())
        .operator(move |client| {
            let register = register.clone();
            async move {
                let manager = Manager::builder(client, "apps").build()?;
                register(&manager);
                manager.run(std::future::pending()).await
            }
        })
        .budget(Budget::Coverage(5))
}

fn app(name: &str, spec: &Value) -> Value {
    let mut app = json!({"apiVersion": "example.com/v1", "kind": "App", "metadata": {"name": name}, "spec": spec});
    let image = &mut app["spec"]["image"];
    if image.is_null() {
        *image = "example.com/app:1".into();
    }
    app
}
