//! Helpers of the tests: a server with the CRD, a running operator, and assertions on its children.
use clap::Parser;
use crdkind_operator::generated::iksoon_test_com::v1::{CrdKind, CrdKindSpec};
use crdkind_operator::settings::Settings;
use crdkind_operator::{REPORTER, register};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::events::v1::Event;
use kube::CustomResourceExt;
use kube_codegen_runtime::manager::{Manager, ManagerArgs};
use kube_codegen_testing::{ApiServer, User};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Limit of every wait.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn server() -> ApiServer {
    let server = ApiServer::new();
    server.register_crd(&CrdKind::crd()).unwrap();
    server
}

pub(crate) fn crdkind(
    namespace: &str,
    name: &str,
    choice: Option<&str>,
    replicas: Option<i64>,
) -> CrdKind {
    let spec = CrdKindSpec {
        choice: choice.map(str::to_owned),
        replicas,
    };
    let mut object = CrdKind::new(name);
    object.spec = Some(spec);
    object.metadata.namespace = Some(namespace.to_owned());
    object
}

/// The flags of the program.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    settings: Settings,
}

/// An operator in this process. Dropping it stops it.
pub(crate) struct Operator {
    stop: oneshot::Sender<()>,
    task: tokio::task::JoinHandle<()>,
}

impl Operator {
    pub(crate) fn start(server: &ApiServer) -> Self {
        Self::start_in(server, None)
    }

    /// Starts the operator for one namespace, or for all.
    pub(crate) fn start_in(server: &ApiServer, namespace: Option<&str>) -> Self {
        let mut flags = vec![REPORTER, "--health-probe-bind-address=0"];
        flags.extend(namespace.into_iter().flat_map(|name| ["--namespace", name]));
        let args = Args::parse_from(flags);
        // Its requests are those of its account; other requests are steps of the test.
        let client = server.client_as(User::account(REPORTER, REPORTER));
        let builder = Manager::builder(client, REPORTER);
        let mut manager = args.manager.apply(builder).build().unwrap();
        register(&mut manager, args.settings);
        let (stop, stopped) = oneshot::channel();
        let running = manager.run(async { drop(stopped.await) });
        let task = tokio::spawn(async { running.await.unwrap() });
        Self { stop, task }
    }

    /// Stops the operator and waits until it has finished.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        timeout(PATIENCE, self.task)
            .await
            .expect("the operator stops")
            .unwrap();
    }
}

/// Waits for a state of the server.
pub(crate) async fn until<T>(
    server: &ApiServer,
    what: &str,
    check: impl FnMut(&ApiServer) -> Option<T>,
) -> T {
    timeout(PATIENCE, server.until(check))
        .await
        .unwrap_or_else(|_| panic!("timeout: {what}"))
}

/// Waits for a Deployment of this image and number of replicas, and for its Service.
pub(crate) async fn served(
    server: &ApiServer,
    namespace: &str,
    name: &str,
    image: &str,
    replicas: i32,
) -> (Deployment, Service) {
    until(
        server,
        &format!("{namespace}/{name}: {replicas} of {image}"),
        |server| {
            let deployment = server.get::<Deployment>(namespace, name)?;
            let service = server.get::<Service>(namespace, name)?;
            let spec = deployment.spec.as_ref()?;
            let container = spec.template.spec.as_ref()?.containers.first()?;
            let port = container.ports.as_ref()?.first()?.container_port;
            let fits =
                container.image.as_deref()?.contains(image) && spec.replicas == Some(replicas);
            let served = service.spec.as_ref()?.ports.as_ref()?.first()?.port;
            (fits && served == port).then_some((deployment, service))
        },
    )
    .await
}

/// Waits for an event about an object.
pub(crate) async fn event(server: &ApiServer, name: &str, reason: &str) -> Event {
    until(server, &format!("event {reason} about {name}"), |server| {
        let matches = |event: &Event| {
            let about = event
                .regarding
                .as_ref()
                .and_then(|regarding| regarding.name.as_deref());
            event.reason.as_deref() == Some(reason) && about == Some(name)
        };
        server.list::<Event>().into_iter().find(matches)
    })
    .await
}

/// Returns the successful writes other than events. (A lagging cache may cause a rejected create.)
pub(crate) fn writes(server: &ApiServer) -> Vec<String> {
    let writes = server
        .writes()
        .into_iter()
        .filter(|write| write.resource != "events" && write.status < 300);
    // An apply creates, too.
    let verb = |status, verb| if status == 201 { "create" } else { verb };
    writes
        .map(|write| format!("{} {}", verb(write.status, write.verb), write.resource))
        .collect()
}
