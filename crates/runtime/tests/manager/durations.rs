//! Every duration that a program may set, with the shortest and the longest values.
use std::{convert::Infallible, sync::Arc, time::Duration};

use k8s_openapi::api::{coordination::v1::Lease, core::v1::ConfigMap};
use kube_codegen_runtime::{
    client::{self, ErrorExt, TypedClient},
    controller::{Action, Controller, OnError},
    informer::{EventHandlerFuncs, InformerConfig, InformerFactory, SharedInformer},
    leader_election::LeaderElectionConfig,
    manager::{CancellationToken, Manager, ManagerBuilder, Runnable},
    queue::{ExponentialLimiter, MaxOf, RateLimiter, TokenBucket, WorkQueue},
    server::Server,
};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::{
    net::TcpListener,
    sync::oneshot,
    time::{sleep, timeout},
};

#[path = "../../../testing/tests/server/extremes.rs"]
mod extremes;

use extremes::EXTREMES;

const SECOND: Duration = Duration::from_secs(1);

/// Runs a leader for a minute and stops it. Returns who holds the Lease afterwards.
async fn holder_after(set: impl FnOnce(ManagerBuilder) -> ManagerBuilder, next: OnError) -> String {
    let server = ApiServer::new();
    server
        .seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}))
        .unwrap();
    let election = LeaderElectionConfig::new("operator")
        .namespace("default")
        .identity("a")
        .seed(1);
    let builder = Manager::builder(server.client(), "operator").leader_election(election);
    let mut manager = set(builder).build().unwrap();
    let controller = Controller::for_informer(&manager.factory().informer::<ConfigMap>());
    let reconcile = move |_, _| async move {
        match next {
            OnError::After(delay) => Ok(Action::requeue(delay)),
            _ => Err("always"),
        }
    };
    manager.controller(controller, move |controller| {
        controller.run(reconcile, move |_, _, _| next, Arc::new(()))
    });
    manager.add(Runnable::new("busy", async |stop: CancellationToken| {
        stop.cancelled().await;
        sleep(SECOND / 100).await;
        Ok::<_, Infallible>(())
    }));
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(manager.run(async { drop(stopped.await) }));
    sleep(60 * SECOND).await;
    drop(stop);
    // A time-out without any time is one, and nothing else goes wrong.
    let _ = running.await.unwrap();
    let lease: Option<Lease> = server.get("default", "operator");
    let holder = lease.and_then(|lease| lease.spec?.holder_identity);
    holder.unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_manager_stops_and_releases_its_lease_whatever_its_durations_are() {
    for duration in EXTREMES {
        let holders = [
            holder_after(|builder| builder.grace_period(duration), OnError::Drop).await,
            holder_after(
                |builder| builder.cache_sync_timeout(duration),
                OnError::Drop,
            )
            .await,
            holder_after(|builder| builder.reconcile_timeout(duration), OnError::Drop).await,
            holder_after(
                |builder| builder.informers(|informers| informers.resync(duration)),
                OnError::After(duration),
            )
            .await,
        ];
        assert_eq!(holders, [""; 4], "{duration:?}");
    }
}

#[test]
fn an_election_rejects_what_it_cannot_keep() {
    let config = LeaderElectionConfig::new("a").namespace("n");
    for lease in EXTREMES.into_iter().chain([15 * SECOND]) {
        for renew in EXTREMES.into_iter().chain([10 * SECOND]) {
            for retry in EXTREMES.into_iter().chain([2 * SECOND]) {
                let config = config.clone().lease_duration(lease).renew_deadline(renew);
                let is_valid = config.retry_period(retry).validate().is_ok();
                let normal = [15 * SECOND, 10 * SECOND];
                let expected = [lease, renew] == normal
                    && [Duration::from_nanos(1), 2 * SECOND].contains(&retry);
                assert_eq!(is_valid, expected, "{lease:?} {renew:?} {retry:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn queues_and_limiters_take_any_delay() {
    for duration in EXTREMES {
        let bucket = TokenBucket::new(1.0 / duration.as_secs_f64(), u32::MAX);
        let limiter = MaxOf(ExponentialLimiter::new(duration, Duration::MAX), bucket);
        for _ in 0..80 {
            limiter.when(&"a");
        }
        let queue = WorkQueue::with_limiter(limiter);
        queue.add_after("a", duration);
        queue.add_after_with_priority("b", duration, 1);
        queue.add_rate_limited("c");
        queue.add("d");
        assert!(queue.get().await.is_some());
        queue.snapshot(10);
        queue.metrics();
    }
}

#[tokio::test(start_paused = true)]
async fn informers_take_any_period() {
    for duration in EXTREMES {
        let server = ApiServer::new();
        let config = InformerConfig {
            watch_timeout: duration,
            ..InformerConfig::default()
        };
        let informer =
            SharedInformer::<ConfigMap>::with_resync(server.client(), config, Some(duration));
        let first = informer.add_event_handler(EventHandlerFuncs::new());
        let second = informer.add_event_handler_with_resync(EventHandlerFuncs::new(), duration);
        informer.start();
        timeout(SECOND, informer.wait_synced())
            .await
            .unwrap()
            .unwrap();
        sleep(SECOND).await;
        drop((first, second));
        informer.shutdown().await;

        let factory = InformerFactory::new(server.client());
        factory.informer::<ConfigMap>();
        factory.start();
        let synced = factory.wait_for_cache_sync_within(duration).await;
        assert!(synced.is_ok() || duration < SECOND, "{duration:?}");
    }
}

#[tokio::test]
async fn servers_and_connections_take_any_period() {
    for duration in EXTREMES {
        let listening = Server::plain("127.0.0.1:0").reload_every(duration).bind();
        let listening = listening.await.unwrap();
        listening.serve(sleep(SECOND / 50)).await;

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let config = kube::Config::new(address.parse().unwrap());
        let connected = client::builder(config, duration).unwrap().build();
        let maps = TypedClient::<ConfigMap>::namespaced(connected, "default");
        let (error, ()) = tokio::join!(maps.get("a"), async {
            drop(listener.accept().await.unwrap());
            drop(listener);
        });
        assert!(error.unwrap_err().status().is_none());
    }
}
