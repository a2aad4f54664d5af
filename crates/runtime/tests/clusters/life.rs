//! How a member starts again, and how it ends.
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::{
    clusters::ClusterChange,
    controller::{Action, Controller, OnError},
    event::{Event, EventRecorder, EventType},
    informer::InformerFactory,
    manager::Manager,
};
use kube_codegen_testing::{ApiServer, Failure, On, User};
use tokio::time::sleep;

use super::{Fleet, SECOND, control, reconciled, seed};

#[tokio::test(start_paused = true)]
async fn a_cluster_that_fails_starts_again_and_no_other_does() {
    let [hub, oslo, rome] = [(); 3].map(|()| ApiServer::new());
    let manager = Manager::builder(hub.client(), "fleet").build().unwrap();
    let tries = AtomicUsize::new(0);
    let fleet = Fleet::run(manager, move |cluster| {
        control(cluster);
        if cluster.name() == "rome" {
            return;
        }
        match tries.fetch_add(1, Ordering::Relaxed) {
            0 => panic!("no such region"),
            // A second controller with the same name.
            1 => control(cluster),
            // An informer that cannot start.
            2 => {
                let factory = InformerFactory::builder(cluster.client())
                    .namespace("No!")
                    .build();
                let other = Controller::for_informer(&factory.informer::<ConfigMap>());
                let reconcile = async |_, _| Ok::<_, kube::Error>(Action::await_change());
                cluster.controller(other.named("other"), move |controller| {
                    controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(()))
                });
            }
            _ => {}
        }
    });
    fleet.join("oslo", &oslo);
    fleet.join("rome", &rome);
    seed(&rome, "a");
    reconciled(&rome, "a", "rome").await;
    seed(&oslo, "a");
    reconciled(&oslo, "a", "oslo").await;
    assert_eq!((fleet.starts.of("oslo"), fleet.starts.of("rome")), (4, 1));
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_renewed_client_keeps_the_caches() {
    let [hub, rome] = [(); 2].map(|()| ApiServer::new());
    let fleet = Fleet::start(&hub);
    fleet.join("rome", &rome);
    seed(&rome, "a");
    reconciled(&rome, "a", "rome").await;
    let lists = |server: &ApiServer| {
        let requests = server.requests();
        let lists = requests
            .iter()
            .filter(|it| it.path.contains("sendInitialEvents") || it.verb == "list");
        lists.count()
    };
    assert_eq!(lists(&rome), 1);

    fleet.send(ClusterChange::Renewed {
        name: "rome".into(),
        client: rome.client_as(User::new("renewed")),
    });
    seed(&rome, "b");
    reconciled(&rome, "b", "rome").await;
    assert_eq!(rome.writes().last().unwrap().user, "renewed");
    assert_eq!((lists(&rome), fleet.starts.of("rome")), (1, 1));

    // One that never joined.
    let oslo = ApiServer::new();
    seed(&oslo, "a");
    fleet.renew("oslo", &oslo);
    reconciled(&oslo, "a", "oslo").await;
    fleet.stop().await;
}

/// The number of reconciles at a time, and the most there were.
#[derive(Default)]
struct AtOnce(AtomicUsize, AtomicUsize);

#[tokio::test(start_paused = true)]
async fn a_cluster_that_joins_again_waits_for_its_last_reconcile() {
    let [hub, rome] = [(); 2].map(|()| ApiServer::new());
    seed(&rome, "a");
    let manager = Manager::builder(hub.client(), "fleet").build().unwrap();
    let at_once = Arc::new(AtOnce::default());
    let counted = Arc::clone(&at_once);
    let fleet = Fleet::run(manager, move |cluster| {
        let controller = Controller::for_informer(&cluster.factory().informer::<ConfigMap>());
        let slow = |_, at_once: Arc<AtOnce>| async move {
            let now = 1 + at_once.0.fetch_add(1, Ordering::Relaxed);
            at_once.1.fetch_max(now, Ordering::Relaxed);
            sleep(20 * SECOND).await;
            at_once.0.fetch_sub(1, Ordering::Relaxed);
            Ok::<_, kube::Error>(Action::await_change())
        };
        let counted = Arc::clone(&counted);
        cluster.controller(controller, move |controller| {
            controller.run(slow, |_, _, _| OnError::Backoff, counted)
        });
    });
    fleet.join("rome", &rome);
    for wait in [10, 30, 30, 1, 1, 1] {
        sleep(wait * SECOND).await;
        fleet.join("rome", &rome);
    }
    fleet.leave("rome");
    fleet.join("rome", &rome);
    sleep(600 * SECOND).await;
    assert_eq!(at_once.1.load(Ordering::Relaxed), 1);
    assert!(fleet.starts.of("rome") > 3);
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_manager_stops_within_its_grace_period() {
    let [hub, oslo] = [(); 2].map(|()| ApiServer::new());
    let builder = Manager::builder(hub.client(), "fleet").grace_period(5 * SECOND);
    seed(&oslo, "a");
    let fleet = Fleet::run(builder.build().unwrap(), |cluster| {
        let controller = Controller::for_informer(&cluster.factory().informer::<ConfigMap>());
        let stuck = async |map: Arc<ConfigMap>, recorder: Arc<EventRecorder>| {
            recorder.publish(
                &*map,
                Event {
                    type_: EventType::Warning,
                    reason: "Stuck".into(),
                    action: "Reconcile".into(),
                    note: None,
                    secondary: None,
                },
            );
            sleep(3600 * SECOND).await;
            Ok::<_, kube::Error>(Action::await_change())
        };
        let recorder = Arc::new(cluster.recorder());
        cluster.controller(controller, move |controller| {
            controller.run(stuck, |_, _, _| OnError::Backoff, recorder)
        });
    });
    fleet.join("oslo", &oslo);
    sleep(SECOND).await;
    oslo.fail_always(On::any(), Failure::disconnect());
    let before = tokio::time::Instant::now();
    fleet.stop().await;
    assert!(before.elapsed() < 6 * SECOND, "{:?}", before.elapsed());
}
