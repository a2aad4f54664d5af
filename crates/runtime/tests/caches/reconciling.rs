//! A scripted controller: each reconcile takes the next step and reports it to the test.
use crate::caches::script::{Server, Watch, server};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube_codegen_runtime::{
    controller::{Action, Controller, MetricsHandle, OnError, RunError},
    informer::{InformerFactory, ObjectKey},
};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::Instant,
};

pub const SECOND: Duration = Duration::from_secs(1);

/// What a scripted reconcile does.
#[derive(Clone, Copy)]
pub enum Step {
    Done,
    Requeue(Duration),
    RequeueWithPriority(Duration, i32),
    Fail,
    Panic,
    Sleep(Duration),
}

/// What the reconcile function shares with the test.
struct Context {
    steps: Mutex<VecDeque<Step>>,
    calls: mpsc::UnboundedSender<(String, Instant)>,
    on_error: OnError,
}

async fn reconcile(object: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, String> {
    let name = object.metadata.name.clone().unwrap_or_default();
    context.calls.send((name.clone(), Instant::now())).unwrap();
    let step = context
        .steps
        .lock()
        .unwrap()
        .pop_front()
        .unwrap_or(Step::Done);
    match step {
        Step::Done => Ok(Action::await_change()),
        Step::Requeue(delay) => Ok(Action::requeue(delay)),
        Step::RequeueWithPriority(delay, priority) => {
            Ok(Action::requeue(delay).with_priority(priority))
        }
        Step::Fail => Err("scripted".into()),
        Step::Panic => panic!("scripted"),
        Step::Sleep(time) => {
            tokio::time::sleep(time).await;
            context
                .calls
                .send((format!("{name} ended"), Instant::now()))
                .unwrap();
            Ok(Action::await_change())
        }
    }
}

pub struct Setup {
    pub server: Server,
    pub maps: Watch,
    pub deployments: Watch,
    pub calls: mpsc::UnboundedReceiver<(String, Instant)>,
    pub metrics: MetricsHandle,
    pub stop: oneshot::Sender<()>,
    pub running: JoinHandle<Result<(), RunError>>,
    pub factory: InformerFactory,
}

impl Setup {
    pub async fn call(&mut self) -> (String, Instant) {
        tokio::time::timeout(3600 * SECOND, self.calls.recv())
            .await
            .expect("no reconcile within an hour")
            .unwrap()
    }

    pub async fn names(&mut self, count: usize) -> Vec<String> {
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(self.call().await.0);
        }
        names.sort();
        names
    }

    /// Asserts that nothing is reconciled for `time`.
    pub async fn quiet_for(&mut self, time: Duration) {
        if let Ok(Some((name, _))) = tokio::time::timeout(time, self.calls.recv()).await {
            panic!("unexpected reconcile of {name}");
        }
    }
}

/// Starts a controller of `ConfigMap`s that own Deployments, and syncs both caches.
pub async fn setup(
    maps: &[Value],
    steps: &[Step],
    on_error: OnError,
    change: impl FnOnce(Controller<ConfigMap>) -> Controller<ConfigMap>,
) -> Setup {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client)
        .resync(600 * SECOND)
        .build();
    let (calls, received) = mpsc::unbounded_channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let watched = factory.informer::<Deployment>();
    let controller = Controller::for_informer(&factory.informer::<ConfigMap>())
        .owns(&factory.informer::<Deployment>())
        .watches(&watched, |deployment| {
            let named = deployment
                .metadata
                .labels
                .as_ref()
                .and_then(|labels| labels.get("for"));
            named
                .map(|name| ObjectKey::namespaced("ns", name))
                .into_iter()
                .collect()
        })
        .graceful_shutdown_on(async move { drop(stopped.await) });
    let controller = change(controller);
    let metrics = controller.metrics();
    let context = Arc::new(Context {
        steps: Mutex::new(steps.iter().copied().collect()),
        calls,
        on_error,
    });
    let running =
        tokio::spawn(controller.run(reconcile, |_, _, context| context.on_error, context));
    let first = server.watch().await;
    let second = server.watch().await;
    let (map_call, deployment_call) = if first.path.ends_with("configmaps") {
        (first, second)
    } else {
        (second, first)
    };
    assert_eq!(deployment_call.path, "/apis/apps/v1/deployments");
    let map_watch = map_call.open();
    for object in maps {
        map_watch.send("ADDED", object);
    }
    map_watch.end_of_list("10");
    let mut received = received;
    assert!(
        tokio::time::timeout(SECOND, received.recv()).await.is_err(),
        "reconciled before all caches were synced"
    );
    let deployment_watch = deployment_call.open();
    deployment_watch.end_of_list("10");
    Setup {
        server,
        maps: map_watch,
        deployments: deployment_watch,
        calls: received,
        metrics,
        stop,
        running,
        factory,
    }
}

pub fn deployment(name: &str, version: &str, owner: Option<&str>) -> Value {
    let owners: Vec<_> =
        owner.iter().map(|owner| json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": format!("uid-{owner}"), "controller": true })).collect();
    json!({ "metadata": { "name": name, "namespace": "ns", "resourceVersion": version, "uid": name, "ownerReferences": owners } })
}
