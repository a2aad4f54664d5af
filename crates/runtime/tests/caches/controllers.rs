//! The controller: what enqueues an object, when it is requeued, and how the controller ends.
use crate::caches::{
    reconciling::{SECOND, Step, deployment, setup},
    script::{map, server},
};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube_codegen_runtime::{
    controller::{Action, Controller, OnError, RunError},
    informer::InformerFactory,
    queue::ExponentialLimiter,
};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn changes_of_objects_and_children_enqueue() {
    let mut setup = setup(
        &[map("a", "1"), map("b", "2")],
        &[],
        OnError::Backoff,
        |c| c,
    )
    .await;
    assert_eq!(setup.names(2).await, ["a", "b"]);
    setup.maps.send("MODIFIED", &map("a", "11"));
    assert_eq!(setup.call().await.0, "a");
    setup
        .deployments
        .send("ADDED", &deployment("d", "12", Some("b")));
    assert_eq!(setup.call().await.0, "b");
    setup
        .deployments
        .send("MODIFIED", &deployment("d", "13", Some("a")));
    assert_eq!(
        setup.names(2).await,
        ["a", "b"],
        "the old owner and the new one"
    );
    setup
        .deployments
        .send("DELETED", &deployment("d", "14", Some("a")));
    assert_eq!(setup.call().await.0, "a");
    setup
        .deployments
        .send("ADDED", &deployment("foreign", "15", None));
    setup.quiet_for(10 * SECOND).await;
    let mut labelled = deployment("labelled", "16", None);
    labelled["metadata"]["labels"] = json!({ "for": "b" });
    setup.deployments.send("ADDED", &labelled);
    assert_eq!(setup.call().await.0, "b");
    setup.maps.send("DELETED", &map("a", "17"));
    setup
        .deployments
        .send("ADDED", &deployment("orphan", "18", Some("a")));
    setup.quiet_for(10 * SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn resyncs_enqueue_objects_but_not_owners_of_children() {
    let mut setup = setup(
        &[map("a", "1"), map("b", "2")],
        &[],
        OnError::Backoff,
        |c| c,
    )
    .await;
    assert_eq!(setup.names(2).await, ["a", "b"]);
    setup.maps.send("DELETED", &map("b", "11"));
    setup
        .deployments
        .send("ADDED", &deployment("d", "12", Some("a")));
    assert_eq!(setup.call().await.0, "a");
    setup.quiet_for(500 * SECOND).await;
    assert_eq!(setup.call().await.0, "a", "once per ten minutes");
    setup.quiet_for(500 * SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn failures_back_off_until_they_succeed() {
    let steps = [
        Step::Fail,
        Step::Fail,
        Step::Panic,
        Step::Fail,
        Step::Done,
        Step::Fail,
    ];
    let mut setup = setup(&[map("a", "1")], &steps, OnError::Backoff, |c| c).await;
    let mut times = Vec::new();
    for _ in 0..5 {
        times.push(setup.call().await.1);
    }
    let pauses: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (pause, expected) in pauses.iter().zip([5, 10, 20, 40]) {
        let expected = Duration::from_millis(expected);
        assert!((expected..expected * 2).contains(pause), "{pauses:?}");
    }
    setup.quiet_for(60 * SECOND).await;
    setup.maps.send("MODIFIED", &map("a", "11"));
    let failed = setup.call().await.1;
    assert!(
        setup.call().await.1 - failed < Duration::from_millis(10),
        "success resets the back-off"
    );
    let metrics = setup.metrics.get();
    assert_eq!(
        (metrics.errors, metrics.panics, metrics.queue.retries),
        (4, 1, 5)
    );
}

#[tokio::test(start_paused = true)]
async fn a_rate_limiter_replaces_the_default() {
    let mut setup = setup(&[map("a", "1")], &[Step::Fail; 2], OnError::Backoff, |c| {
        c.rate_limiter(ExponentialLimiter::new(60 * SECOND, 3600 * SECOND))
    })
    .await;
    let first = setup.call().await.1;
    let second = setup.call().await.1;
    assert_eq!((second - first).as_secs(), 60);
    assert_eq!((setup.call().await.1 - second).as_secs(), 120);
}

#[tokio::test(start_paused = true)]
async fn the_error_policy_decides_the_retry() {
    let mut after = setup(
        &[map("a", "1")],
        &[Step::Fail],
        OnError::After(30 * SECOND),
        |c| c,
    )
    .await;
    let failed = after.call().await.1;
    assert_eq!((after.call().await.1 - failed).as_secs(), 30);

    let mut dropped = setup(&[map("a", "1")], &[Step::Fail], OnError::Drop, |c| c).await;
    dropped.call().await;
    dropped.quiet_for(500 * SECOND).await;
    assert_eq!(dropped.metrics.get().dropped, 1);
    dropped.maps.send("MODIFIED", &map("a", "11"));
    dropped.call().await;
}

#[tokio::test(start_paused = true)]
async fn max_retries_limits_the_retries() {
    let mut setup = setup(&[map("a", "1")], &[Step::Fail; 10], OnError::Backoff, |c| {
        c.max_retries(3)
    })
    .await;
    for _ in 0..4 {
        setup.call().await;
    }
    setup.quiet_for(500 * SECOND).await;
    let metrics = setup.metrics.get();
    assert_eq!((metrics.errors, metrics.dropped), (4, 1));
}

#[tokio::test(start_paused = true)]
async fn a_slow_reconcile_is_dropped_and_retried() {
    let mut setup = setup(
        &[map("a", "1")],
        &[Step::Sleep(90 * SECOND)],
        OnError::Backoff,
        |c| c.named("slow").workers(2).reconcile_timeout(60 * SECOND),
    )
    .await;
    let first = setup.call().await.1;
    assert_eq!((setup.call().await.1 - first).as_secs(), 60);
    setup.quiet_for(SECOND).await;
    let metrics = setup.metrics.get();
    assert_eq!(
        (metrics.timeouts, metrics.errors, metrics.reconciles),
        (1, 0, 2)
    );
    assert_eq!(
        (setup.metrics.name().as_str(), metrics.workers),
        ("slow", 2)
    );
    assert_eq!(metrics.reconcile_time.up_to(60.0), 2);
}

#[tokio::test(start_paused = true)]
async fn a_requeue_happens_after_its_delay() {
    let mut setup = setup(
        &[map("a", "1")],
        &[Step::Requeue(90 * SECOND)],
        OnError::Backoff,
        |c| c,
    )
    .await;
    let first = setup.call().await.1;
    assert_eq!((setup.call().await.1 - first).as_secs(), 90);
    assert_eq!(setup.metrics.get().requeues, 1);
}

#[tokio::test(start_paused = true)]
async fn workers_run_concurrently_but_never_on_one_object() {
    let steps = [Step::Sleep(5 * SECOND); 4];
    let mut setup = setup(
        &[map("a", "1"), map("b", "2"), map("c", "3")],
        &steps,
        OnError::Backoff,
        |c| c.workers(2),
    )
    .await;
    let (first, began) = setup.call().await;
    let (second, also) = setup.call().await;
    assert_eq!(began, also, "two at once");
    assert_eq!(setup.metrics.get().active, 2);
    setup.maps.send("MODIFIED", &map(&first, "11"));
    let mut events = Vec::new();
    for _ in 0..4 {
        events.push(setup.call().await);
    }
    assert!(
        events.iter().all(|(_, at)| *at - began >= 5 * SECOND),
        "the third object and the changed one wait for a worker: {events:?}"
    );
    let mut names: Vec<_> = events.into_iter().map(|(name, _)| name).collect();
    names.sort();
    let third = ["a", "b", "c"]
        .into_iter()
        .find(|name| *name != first && *name != second)
        .unwrap();
    let mut expected = vec![
        format!("{first} ended"),
        format!("{second} ended"),
        first,
        third.to_owned(),
    ];
    expected.sort();
    assert_eq!(names, expected);
}

#[tokio::test(start_paused = true)]
async fn shutdown_finishes_running_reconciles_and_starts_none() {
    let steps = [Step::Sleep(20 * SECOND), Step::Sleep(20 * SECOND)];
    let mut setup = setup(
        &[map("a", "1"), map("b", "2")],
        &steps,
        OnError::Backoff,
        |c| c,
    )
    .await;
    let (name, _) = setup.call().await;
    setup.stop.send(()).unwrap();
    setup.running.await.unwrap().unwrap();
    assert_eq!(setup.calls.try_recv().unwrap().0, format!("{name} ended"));
    assert!(setup.calls.try_recv().is_err());
    assert!(
        !setup.factory.informer::<ConfigMap>().is_stopped(),
        "the informers keep running for their other users"
    );
    setup.factory.shutdown().await;
    setup.server.quiet_for(600 * SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn reconciles_are_dropped_after_the_grace_period() {
    let mut setup = setup(
        &[map("a", "1")],
        &[Step::Sleep(3600 * SECOND)],
        OnError::Backoff,
        |c| c.grace_period(15 * SECOND),
    )
    .await;
    setup.call().await;
    let began = Instant::now();
    setup.stop.send(()).unwrap();
    setup.running.await.unwrap().unwrap();
    assert_eq!(began.elapsed().as_secs(), 15);
    assert!(
        setup.calls.recv().await.is_none(),
        "the reconcile was dropped"
    );
}

#[tokio::test(start_paused = true)]
async fn a_controller_ends_with_its_informer() {
    let mut setup = setup(&[map("a", "1")], &[], OnError::Backoff, |c| c).await;
    setup.call().await;
    setup.factory.shutdown().await;
    setup.running.await.unwrap().unwrap();

    let (client, _server) = server();
    let factory = InformerFactory::new(client);
    let (maps, deployments) = (
        factory.informer::<ConfigMap>(),
        factory.informer::<Deployment>(),
    );
    deployments.shutdown().await;
    let controller = Controller::for_informer(&maps).owns(&deployments);
    let run = controller.run(
        |_, _| async { Ok::<_, String>(Action::await_change()) },
        |_, _, _| OnError::Backoff,
        Arc::new(()),
    );
    let kind = "Deployment.apps".to_owned();
    assert_eq!(
        run.await,
        Err(RunError::Stopped { kind }),
        "its cache never syncs"
    );
}
