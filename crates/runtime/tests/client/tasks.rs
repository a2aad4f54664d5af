//! Every asynchronous verb runs in a reconcile and in a spawned task. This does not compile if the future of one is not `Send`.
use std::{error::Error, pin::pin, sync::Arc, time::Duration};

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::{Deployment, DeploymentStatus};
use kube::{
    Client,
    api::{DeleteParams, ListParams, Patch, WatchParams},
};
use kube_codegen_runtime::{
    client::{AllNamespaces, ErrorExt, TypedClient, retry},
    controller::{Action, Controller, OnError},
    event::{Event, EventRecorder, EventType},
    finalizer::{Step, finalize},
    informer::{EventHandlerFuncs, InformerFactory},
    queue::WorkQueue,
};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::{sync::mpsc, time::timeout};

type BoxError = Box<dyn Error + Send + Sync>;

fn deployment(name: &str) -> Deployment {
    let labels = json!({"app": name});
    let containers = json!([{"name": "a", "image": "a"}]);
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": containers}});
    let spec = json!({"selector": {"matchLabels": labels}, "template": template});
    serde_json::from_value(json!({"metadata": {"name": name}, "spec": spec})).unwrap()
}

/// Calls every verb of the clients, on an object of this name and on the cached one. Borrows what it uses, as a reconcile does.
async fn client_verbs(client: &Client, name: &str, cached: &Deployment) -> Result<(), BoxError> {
    let deployments = TypedClient::<Deployment>::namespaced(client.clone(), "default");
    deployments.create(&deployment(name)).await?;
    deployments.get(name).await?;
    deployments.get_opt(name).await?;
    deployments.list(&ListParams::default()).await?;
    pin!(deployments.pages(&ListParams::default(), 1))
        .try_next()
        .await?;
    let mut watch = pin!(deployments.watch(&WatchParams::default(), "0").await?);
    watch.try_next().await?;
    let replicas = &3;
    let set = |deployment: &mut Deployment| {
        deployment.spec.get_or_insert_default().replicas = Some(*replicas);
    };
    deployments.modify(name, set).await?;
    deployments.modify_from(cached, set).await?;
    let fail = |deployment: &mut Deployment| {
        let spec = deployment.spec.as_mut().ok_or("no spec")?;
        spec.paused.ok_or_else(|| format!("{name} is not paused"))?;
        Ok::<_, BoxError>(())
    };
    assert!(deployments.modify(name, fail).await.is_err());
    let observe = |deployment: &mut Deployment| {
        deployment
            .status
            .get_or_insert_default()
            .observed_generation = Some(1);
    };
    deployments.modify_status(name, observe).await?;
    deployments.modify_status_from(cached, observe).await?;
    deployments.replace(&deployments.get(name).await?).await?;
    let label = json!({"metadata": {"labels": {"a": "b"}}});
    deployments.patch(name, &Patch::Merge(&label)).await?;
    let applied = json!({"metadata": {"name": name, "labels": {"c": "d"}}});
    deployments.apply(&applied, "test").await?;
    let mut changed = deployments.get_status(name).await?;
    changed.status = Some(DeploymentStatus::default());
    deployments.replace_status(&changed).await?;
    deployments
        .patch_status(name, &Patch::Merge(json!({"status": {"replicas": 1}})))
        .await?;
    let applied = json!({"metadata": {"name": name}, "status": {"readyReplicas": 1}});
    deployments.apply_status(&applied, "test").await?;
    let scale = retry::on_conflict(retry::DEFAULT_RETRY, async || {
        let scale = deployments.scale().get(name).await?;
        deployments.scale().replace(name, &scale).await
    })
    .await?;
    deployments
        .scale()
        .patch(name, &Patch::Merge(&scale))
        .await?;
    let object = Arc::new(deployments.get(name).await?);
    finalize(&deployments, "example.com/test", object, async |step| {
        let (Step::Apply(object) | Step::Cleanup(object)) = step;
        deployments.modify_from(&object, set).await?;
        Ok::<_, BoxError>(Action::await_change())
    })
    .await?;
    deployments
        .modify(name, |object| object.metadata.finalizers = None)
        .await?;
    let all = AllNamespaces::<Deployment>::new(client.clone());
    all.list(&ListParams::default()).await?;
    pin!(all.pages(&ListParams::default(), 1))
        .try_next()
        .await?;
    pin!(all.watch(&WatchParams::default(), "0").await?)
        .try_next()
        .await?;
    let _ = deployments.delete(name, &DeleteParams::default()).await?;
    let none = ListParams::default().labels("none=true");
    let _ = deployments
        .delete_collection(&DeleteParams::default(), &none)
        .await?;
    assert!(
        deployments
            .get(name)
            .await
            .is_err_and(|error| error.is_not_found())
    );
    Ok(())
}

/// Waits for all that informers, queues and recorders can be awaited for.
async fn other_verbs(client: &Client, cached: &Deployment) -> Result<(), BoxError> {
    let events = EventRecorder::new(client.clone(), "test");
    events.publish(
        cached,
        Event {
            type_: EventType::Normal,
            reason: "Tested".into(),
            action: "Test".into(),
            note: Some("a note".into()),
            secondary: None,
        },
    );
    events.shutdown().await;

    let factory = InformerFactory::new(client.clone());
    let informer = factory.informer::<Deployment>();
    let registration = informer.add_event_handler(EventHandlerFuncs::<Deployment>::new());
    factory.start();
    factory.wait_for_cache_sync().await?;
    factory
        .wait_for_cache_sync_within(Duration::from_secs(9))
        .await?;
    informer.wait_synced().await?;
    registration.wait_synced().await?;
    assert!(informer.events().next().await.is_some());
    informer.shutdown().await;
    informer.stopped().await;
    factory.shutdown().await;

    let queue = WorkQueue::new();
    queue.add(1);
    assert_eq!(queue.get().await, Some(1));
    queue.done(&1);
    queue.shut_down_with_drain().await;
    Ok(())
}

type Context = (Client, mpsc::Sender<Result<(), BoxError>>);

async fn reconcile(object: Arc<Deployment>, context: Arc<Context>) -> Result<Action, BoxError> {
    let (client, finished) = &*context;
    if object.metadata.name.as_deref() == Some("cached") && finished.capacity() > 0 {
        let result = Box::pin(client_verbs(client, "reconciled", &object)).await;
        let result = result.and(other_verbs(client, &object).await);
        let _ = finished.try_send(result);
    }
    Ok(Action::await_change())
}

#[tokio::test]
async fn every_verb_runs_in_a_spawned_task_and_in_a_reconcile() {
    let server = ApiServer::new();
    let client = server.client();
    let deployments = TypedClient::<Deployment>::namespaced(client.clone(), "default");
    let cached = deployments.create(&deployment("cached")).await.unwrap();

    let task_client = client.clone();
    let task = tokio::spawn(async move {
        Box::pin(client_verbs(&task_client, "spawned", &cached)).await?;
        other_verbs(&task_client, &cached).await
    });
    timeout(Duration::from_secs(60), task)
        .await
        .unwrap()
        .unwrap()
        .unwrap();

    let factory = InformerFactory::new(client.clone());
    let (finished, mut results) = mpsc::channel(1);
    let (stop, mut stopped) = mpsc::channel::<()>(1);
    let controller = Controller::for_informer(&factory.informer::<Deployment>())
        .graceful_shutdown_on(async move { _ = stopped.recv().await })
        .run(
            reconcile,
            |_, _, _| OnError::Drop,
            Arc::new((client, finished)),
        );
    let controller = tokio::spawn(controller);
    timeout(Duration::from_secs(60), results.recv())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    drop(stop);
    controller.await.unwrap().unwrap();
    factory.shutdown().await;
}
