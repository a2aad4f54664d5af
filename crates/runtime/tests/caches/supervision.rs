//! Panics and failures: a controller and an informer survive them, or report them; neither ends in silence.
use crate::caches::{
    reconciling::{SECOND, Step, deployment, setup},
    script::{informer, map, map_with, recorder, server},
};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube_codegen_runtime::{
    controller::{Action, Controller, OnError, RunError},
    informer::{InformerConfig, InformerError, InformerFactory, ObjectKey, SharedInformer},
    queue::{RateLimiter, TokenBucket},
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

#[tokio::test(start_paused = true)]
async fn an_informer_survives_a_panic_of_an_index_function() {
    let (informer, mut server) = informer();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&reports);
    informer.set_error_handler(move |error| received.lock().unwrap().push(error.to_string()));
    let by_value = |object: &ConfigMap| {
        let value = object.data.as_ref().unwrap()["value"].clone();
        assert_ne!(value, "bad", "scripted");
        vec![value]
    };
    informer.add_index("value", by_value).unwrap();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    let watch = server.stream(&[map_with("a", "1", "u", "bad")], "1").await;
    assert_eq!(log.next().await, "+a@1!");
    watch.send("ADDED", &map_with("b", "2", "v", "good"));
    watch.send("MODIFIED", &map_with("b", "3", "v", "bad"));
    watch.send("MODIFIED", &map_with("a", "4", "u", "good"));
    for expected in ["+b@2", "~b@2>3", "~a@1>4"] {
        assert_eq!(log.next().await, expected);
    }
    assert!(informer.has_synced() && !informer.is_stopped());
    assert_eq!(
        (informer.metrics().objects, informer.lister().all().len()),
        (2, 2)
    );
    let good = informer.by_index("value", "good").unwrap();
    assert_eq!(good.len(), 1, "a, but not b any more");
    let reports = reports.lock().unwrap();
    assert_eq!(reports.len(), 2, "{reports:?}");
    assert!(
        reports[0].contains("index \"value\" panicked on ConfigMap ns/a"),
        "{reports:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_informer_survives_a_panic_of_a_transform() {
    let (client, mut server) = crate::caches::script::server();
    let informer = SharedInformer::<ConfigMap>::new(client, InformerConfig::default());
    informer
        .set_transform(|object: &mut ConfigMap| {
            assert_ne!(object.data.as_ref().unwrap()["value"], "bad", "scripted");
        })
        .unwrap();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler(handler);
    informer.start();
    let watch = server
        .stream(&[map("a", "1"), map_with("b", "1", "v", "bad")], "1")
        .await;
    assert_eq!(log.next().await, "+a@1!");
    watch.send("MODIFIED", &map_with("a", "2", "uid-a", "bad"));
    watch.send("MODIFIED", &map("b", "3"));
    assert_eq!(log.next().await, "+b@3");
    let cached = informer.lister().namespaced("ns").get("a").unwrap();
    assert_eq!(
        crate::caches::script::version(&cached),
        "1",
        "the last good state"
    );
    watch.send("DELETED", &map_with("a", "4", "uid-a", "bad"));
    assert_eq!(log.next().await, "-a@1?");
    assert_eq!(informer.metrics().failures, 3);
}

#[tokio::test(start_paused = true)]
async fn an_informer_survives_a_panic_of_the_error_handler() {
    let (informer, mut server) = informer();
    informer.set_error_handler(|error: &InformerError| panic!("scripted: {error}"));
    server.watch().await.fail(503, "ServiceUnavailable");
    let _watch = server.stream(&[map("a", "1")], "1").await;
    informer.wait_synced().await.unwrap();
    assert_eq!(informer.lister().all().len(), 1);
}

/// Runs a controller whose informer of `ConfigMap`s, or of Deployments, was started on a runtime of its own, which then ends.
async fn run_with_a_failing_informer(primary_fails: bool) -> Result<(), RunError> {
    let (client, mut server) = server();
    let config = InformerConfig::default;
    let maps = SharedInformer::<ConfigMap>::new(client.clone(), config());
    let deployments = SharedInformer::<Deployment>::new(client, config());
    let other = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    {
        let _entered = other.enter();
        if primary_fails {
            maps.start();
        } else {
            deployments.start();
        }
    }
    let controller = Controller::for_informer(&maps).owns(&deployments);
    let (sender, mut reconciled) = tokio::sync::mpsc::unbounded_channel();
    let reconcile = move |_: Arc<ConfigMap>, _: Arc<()>| {
        let _ = sender.send(());
        async { Ok::<_, String>(Action::await_change()) }
    };
    let running = tokio::spawn(controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(())));
    let mut watches = Vec::new();
    for _ in 0..2 {
        let call = server.watch().await;
        let is_map = call.path.ends_with("configmaps");
        let watch = call.open();
        if is_map {
            watch.send("ADDED", &map("a", "1"));
        }
        watch.end_of_list("1");
        watches.push(watch);
    }
    reconciled.recv().await.unwrap();
    other.shutdown_background();
    tokio::time::timeout(Duration::from_secs(30), running)
        .await
        .expect("the controller notices")
        .unwrap()
}

#[tokio::test]
async fn a_controller_fails_with_any_of_its_informers() {
    for (primary_fails, expected) in [(true, "ConfigMap"), (false, "Deployment.apps")] {
        let result = run_with_a_failing_informer(primary_fails).await;
        let Err(RunError::InformerFailed { kind, message }) = result else {
            panic!("{result:?}")
        };
        assert_eq!(kind, expected);
        assert!(message.contains("runtime"), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_failed_is_not_synced() {
    let (client, _server) = server();
    let factory = InformerFactory::builder(client).namespace("..").build();
    let maps = factory.informer::<ConfigMap>();
    let run = Controller::for_informer(&maps).run(
        |_, _| async { Ok::<_, String>(Action::await_change()) },
        |_, _, _| OnError::Backoff,
        Arc::new(()),
    );
    let error = run.await.unwrap_err().to_string();
    assert!(
        error.starts_with("the informer of ConfigMap failed: \"..\" is not"),
        "{error}"
    );
    assert!(!maps.has_synced() && maps.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn caches_that_never_sync_end_the_controller() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client);
    let controller = Controller::for_informer(&factory.informer::<ConfigMap>())
        .owns(&factory.informer::<Deployment>());
    let running = tokio::spawn(controller.run(
        |_, _| async { Ok::<_, String>(Action::await_change()) },
        |_, _, _| OnError::Backoff,
        Arc::new(()),
    ));
    let mut watches = Vec::new();
    let began = tokio::time::Instant::now();
    let serve = async {
        loop {
            let call = server.next().await;
            if call.path.ends_with("configmaps") {
                let watch = call.open();
                watch.end_of_list("1");
                watches.push(watch);
            } else {
                call.fail(404, "NotFound");
            }
        }
    };
    let result = tokio::select! { result = running => result.unwrap(), () = serve => Ok(()) };
    let kinds = vec!["Deployment.apps".to_owned()];
    let timeout = 120 * SECOND;
    assert_eq!(result, Err(RunError::CacheSyncTimeout { kinds, timeout }));
    assert_eq!(began.elapsed().as_secs(), 120);
}

struct PanickingLimiter;

impl RateLimiter<ObjectKey> for PanickingLimiter {
    fn when(&self, _: &ObjectKey) -> Duration {
        panic!("scripted limiter")
    }

    fn forget(&self, _: &ObjectKey) {}

    fn num_requeues(&self, _: &ObjectKey) -> u32 {
        0
    }
}

#[tokio::test(start_paused = true)]
async fn a_limiter_that_panics_ends_the_controller_with_an_error() {
    let mut setup = setup(&[map("a", "1")], &[Step::Fail], OnError::Backoff, |c| {
        c.rate_limiter(PanickingLimiter)
    })
    .await;
    setup.call().await;
    let result = tokio::time::timeout(60 * SECOND, setup.running).await;
    let message = "scripted limiter".to_owned();
    assert_eq!(
        result.expect("the controller notices").unwrap(),
        Err(RunError::WorkerPanicked { message })
    );
}

#[tokio::test(start_paused = true)]
async fn the_longest_delay_does_not_end_the_worker() {
    let steps = [Step::Requeue(Duration::MAX), Step::Fail];
    let on_error = OnError::After(Duration::MAX);
    let mut setup = setup(&[map("a", "1")], &steps, on_error, |c| c).await;
    setup.call().await;
    for version in ["11", "12"] {
        setup.quiet_for(100 * SECOND).await;
        setup.maps.send("MODIFIED", &map("a", version));
        setup.call().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_mapper_that_panics_on_the_old_state_sees_the_new_one() {
    let (client, mut server) = server();
    let factory = InformerFactory::new(client);
    let deployments = factory.informer::<Deployment>();
    let (sender, mut calls) = tokio::sync::mpsc::unbounded_channel();
    let controller = Controller::for_informer(&factory.informer::<ConfigMap>()).watches(
        &deployments,
        |deployment| {
            let labels = deployment.metadata.labels.as_ref();
            vec![ObjectKey::namespaced(
                "ns",
                labels.expect("scripted")["for"].as_str(),
            )]
        },
    );
    let reconcile = move |object: Arc<ConfigMap>, _: Arc<()>| {
        let _ = sender.send(object.metadata.name.clone().unwrap());
        async { Ok::<_, String>(Action::await_change()) }
    };
    let running = tokio::spawn(controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(())));
    let mut watches = Vec::new();
    for _ in 0..2 {
        let call = server.watch().await;
        let is_map = call.path.ends_with("configmaps");
        let watch = call.open();
        if is_map {
            watch.send("ADDED", &map("a", "1"));
        } else {
            watch.send("ADDED", &deployment("d", "1", None));
        }
        watch.end_of_list("1");
        watches.push((is_map, watch));
    }
    assert_eq!(calls.recv().await.unwrap(), "a");
    let mut labelled = deployment("d", "2", None);
    labelled["metadata"]["labels"] = serde_json::json!({ "for": "a" });
    watches
        .iter()
        .find(|(is_map, _)| !is_map)
        .unwrap()
        .1
        .send("MODIFIED", &labelled);
    let call = tokio::time::timeout(60 * SECOND, calls.recv()).await;
    assert_eq!(call.expect("the new state enqueues a").unwrap(), "a");
    running.abort();
}

/// The reconcile blocks its thread, so the test needs a second one and with it the real clock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_grace_period_ends_even_if_a_reconcile_blocks_its_thread() {
    let (client, mut server) = server();
    let informer = SharedInformer::<ConfigMap>::new(client, InformerConfig::default());
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (entered, mut reconciling) = tokio::sync::mpsc::unbounded_channel();
    let controller = Controller::for_informer(&informer)
        .grace_period(Duration::from_millis(100))
        .graceful_shutdown_on(async move { drop(stopped.await) });
    let reconcile = move |_: Arc<ConfigMap>, _: Arc<()>| {
        let _ = entered.send(());
        let _ = released.lock().unwrap().recv();
        async { Ok::<_, String>(Action::await_change()) }
    };
    let running = tokio::spawn(controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(())));
    let _watch = server.stream(&[map("a", "1")], "1").await;
    reconciling.recv().await.unwrap();
    stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(30), running).await;
    drop(release);
    ended.expect("the grace period has ended").unwrap().unwrap();
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_without_a_delay_backs_off() {
    let steps = [Step::Requeue(Duration::ZERO); 100];
    let mut setup = setup(&[map("a", "1")], &steps, OnError::Backoff, |c| c).await;
    let began = setup.call().await.1;
    for _ in 0..7 {
        setup.call().await;
    }
    let last = setup.call().await.1;
    assert!(
        last - began > SECOND,
        "5 ms, doubled with each requeue: {:?}",
        last - began
    );

    let steps = [Step::Fail; 100];
    let mut setup = setup_failing(&steps).await;
    let began = setup.call().await.1;
    for _ in 0..7 {
        setup.call().await;
    }
    assert!(setup.call().await.1 - began > SECOND);
}

async fn setup_failing(steps: &[Step]) -> crate::caches::reconciling::Setup {
    setup(
        &[map("a", "1")],
        steps,
        OnError::After(Duration::ZERO),
        |c| c,
    )
    .await
}

#[tokio::test(start_paused = true)]
async fn max_retries_counts_with_any_limiter() {
    let mut setup = setup(&[map("a", "1")], &[Step::Fail; 10], OnError::Backoff, |c| {
        c.max_retries(3).rate_limiter(TokenBucket::new(1.0, 1))
    })
    .await;
    for _ in 0..4 {
        setup.call().await;
    }
    setup.quiet_for(500 * SECOND).await;
    assert_eq!(setup.metrics.get().dropped, 1);
}

#[tokio::test(start_paused = true)]
async fn the_longest_resync_period_means_never() {
    let (informer, mut server) = informer();
    let (handler, mut log) = recorder();
    let _registration = informer.add_event_handler_with_resync(handler, Duration::MAX);
    let watch = server.stream(&[map("a", "1")], "1").await;
    assert_eq!(log.next().await, "+a@1!");
    tokio::time::sleep(SECOND).await;
    watch.send("MODIFIED", &map("a", "2"));
    assert_eq!(log.next().await, "~a@1>2");
}

/// Panics when it is dropped.
struct PanicsInDrop;

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        panic!("scripted");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_a_reconcile_that_is_dropped_after_its_timeout_is_contained() {
    let server = kube_codegen_testing::ApiServer::new();
    let store = |name: &str| {
        let map = serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        server.seed(&map).unwrap();
    };
    store("bad");
    let factory = InformerFactory::new(server.client());
    let maps = factory.informer::<ConfigMap>();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let controller = Controller::for_informer(&maps).reconcile_timeout(SECOND);
    let log = Arc::clone(&seen);
    let reconcile = move |map: Arc<ConfigMap>, _: Arc<()>| {
        let name = map.metadata.name.clone().unwrap();
        log.lock().unwrap().push(name.clone());
        async move {
            if name == "bad" {
                let _held = PanicsInDrop;
                tokio::time::sleep(3600 * SECOND).await;
            }
            Ok::<_, std::convert::Infallible>(Action::await_change())
        }
    };
    let run = controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(()));
    let running = tokio::spawn(run);
    tokio::time::sleep(30 * SECOND).await;
    assert!(!running.is_finished());
    store("good");
    tokio::time::sleep(30 * SECOND).await;
    let seen = seen.lock().unwrap();
    assert!(seen.contains(&"good".to_owned()));
    let bad = seen.iter().filter(|name| *name == "bad").count();
    assert!(bad > 1, "it is retried: {seen:?}");
    running.abort();
}
