//! What enqueues besides informers, what is filtered out, and reconciles by key.
use crate::caches::script::{Server, Watch, map, server};
use futures::{channel::mpsc as stream, stream::pending};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube_codegen_runtime::{
    controller::{Action, Controller, OnError, RunError, predicate},
    informer::{InformerFactory, ObjectKey},
    lister::parse_selector,
};
use serde_json::{Value, json};
use std::{sync::Arc, task::Poll, time::Duration};
use tokio::sync::mpsc;

type Keys = mpsc::UnboundedReceiver<String>;

/// Runs a controller that reports each key, with the version of the object or `gone`.
fn run(controller: Controller<ConfigMap>) -> (Keys, tokio::task::JoinHandle<Result<(), RunError>>) {
    let (sender, keys) = mpsc::unbounded_channel();
    let reconcile = move |key: ObjectKey, object: Option<Arc<ConfigMap>>, _: Arc<()>| {
        let state = object.map(|object| crate::caches::script::version(&object).to_owned());
        let _ = sender.send(format!("{key} {}", state.as_deref().unwrap_or("gone")));
        async { Ok::<_, String>(Action::await_change()) }
    };
    let running = tokio::spawn(controller.run_keyed(
        reconcile,
        |_: &ObjectKey, _, _| OnError::Backoff,
        Arc::new(()),
    ));
    (keys, running)
}

async fn next(keys: &mut Keys) -> String {
    let next = tokio::time::timeout(Duration::from_secs(3600), keys.recv()).await;
    next.expect("no reconcile within an hour").unwrap()
}

async fn quiet(keys: &mut Keys) {
    let next = tokio::time::timeout(Duration::from_secs(60), keys.recv()).await;
    assert!(next.is_err(), "{next:?}");
}

async fn synced(server: &mut Server, objects: &[Value]) -> Watch {
    server.stream(objects, "10").await
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_by_key_sees_deletions() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client);
    let (mut keys, _running) = run(Controller::for_informer(&factory.informer()));
    let watch = synced(&mut server, &[map("a", "1")]).await;
    assert_eq!(next(&mut keys).await, "ns/a 1");
    watch.send("DELETED", &map("a", "11"));
    assert_eq!(next(&mut keys).await, "ns/a gone");
    watch.send("ADDED", &map("a", "12"));
    assert_eq!(next(&mut keys).await, "ns/a 12");
    quiet(&mut keys).await;
}

#[tokio::test(start_paused = true)]
async fn streams_enqueue_keys() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client);
    let (sender, source) = stream::unbounded();
    sender
        .unbounded_send(ObjectKey::namespaced("ns", "b"))
        .unwrap();
    let controller = Controller::for_informer(&factory.informer())
        .enqueue_from(source)
        .enqueue_from(pending::<ObjectKey>());
    let (mut keys, running) = run(controller);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(keys.try_recv().is_err(), "not before the caches are synced");
    let _watch = synced(&mut server, &[map("a", "1")]).await;
    let mut first = [next(&mut keys).await, next(&mut keys).await];
    first.sort();
    assert_eq!(first, ["ns/a 1", "ns/b gone"]);
    sender
        .unbounded_send(ObjectKey::namespaced("ns", "a"))
        .unwrap();
    assert_eq!(next(&mut keys).await, "ns/a 1");
    drop(sender);
    quiet(&mut keys).await;
    assert!(
        !running.is_finished(),
        "the end of a stream is not the controller's"
    );
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_panics_ends_the_controller() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client);
    let source = futures::stream::poll_fn(|_| -> Poll<Option<ObjectKey>> { panic!("scripted") });
    let (_keys, running) = run(Controller::for_informer(&factory.informer()).enqueue_from(source));
    let _watch = synced(&mut server, &[]).await;
    let message = "scripted".to_owned();
    assert_eq!(
        running.await.unwrap(),
        Err(RunError::WorkerPanicked { message })
    );
}

fn generation(version: &str, generation: u32, label: &str) -> Value {
    let mut object = map("a", version);
    object["metadata"]["generation"] = json!(generation);
    object["metadata"]["labels"] = json!({ "app": label });
    object
}

#[tokio::test(start_paused = true)]
async fn predicates_decide_which_events_enqueue() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client);
    let controller = Controller::for_informer(&factory.informer::<ConfigMap>())
        .filter(|event| predicate::generation_changed(event) || predicate::labels_changed(event))
        .filter(predicate::resource_version_changed);
    let (mut keys, _running) = run(controller);
    let watch = synced(&mut server, &[generation("1", 1, "x")]).await;
    assert_eq!(next(&mut keys).await, "ns/a 1");
    watch.send("MODIFIED", &generation("11", 1, "x"));
    quiet(&mut keys).await;
    watch.send("MODIFIED", &generation("12", 2, "x"));
    assert_eq!(next(&mut keys).await, "ns/a 12");
    watch.send("MODIFIED", &generation("13", 2, "y"));
    assert_eq!(next(&mut keys).await, "ns/a 13");
    watch.send("DELETED", &generation("14", 2, "y"));
    assert_eq!(next(&mut keys).await, "ns/a gone");
}

#[tokio::test(start_paused = true)]
async fn a_resync_reconciles_every_object_whose_changes_are_filtered() {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client)
        .resync(Duration::from_secs(600))
        .build();
    let app = parse_selector("app=x").unwrap();
    let controller = Controller::for_informer(&factory.informer::<ConfigMap>())
        .filter(predicate::generation_changed)
        .filter(predicate::labels_match(app));
    let (mut keys, _running) = run(controller);
    let mut other = generation("2", 1, "y");
    other["metadata"]["name"] = json!("b");
    let watch = synced(&mut server, &[generation("1", 1, "x"), other]).await;
    assert_eq!(next(&mut keys).await, "ns/a 1");
    watch.send("MODIFIED", &generation("11", 1, "x"));
    quiet(&mut keys).await;
    assert_eq!(next(&mut keys).await, "ns/a 11");
    quiet(&mut keys).await;
}

#[tokio::test(start_paused = true)]
async fn predicates_of_children_and_others_are_their_own() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client);
    let deployments = factory.informer::<Deployment>();
    let controller = Controller::for_informer(&factory.informer::<ConfigMap>())
        .owns_if(&deployments, predicate::generation_changed)
        .watches_if(
            &deployments,
            |event| {
                assert!(predicate::annotations_changed(event), "scripted");
                false
            },
            |_| vec![ObjectKey::namespaced("ns", "watched")],
        );
    let (mut keys, _running) = run(controller);
    let mut watches = Vec::new();
    for _ in 0..2 {
        let call = server.watch().await;
        let is_child = call.path.ends_with("deployments");
        let watch = call.open();
        watch.end_of_list("1");
        if is_child {
            watches.insert(0, watch);
        } else {
            watches.push(watch);
        }
    }
    let mut child = crate::caches::reconciling::deployment("d", "11", Some("a"));
    child["metadata"]["generation"] = json!(1);
    watches[0].send("ADDED", &child);
    assert_eq!(next(&mut keys).await, "ns/a gone");
    child["metadata"]["resourceVersion"] = json!("12");
    watches[0].send("MODIFIED", &child);
    assert_eq!(
        next(&mut keys).await,
        "ns/watched gone",
        "a predicate that panics accepts"
    );
    quiet(&mut keys).await;
}
