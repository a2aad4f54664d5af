//! One kind, reconciled across three clusters that fail, leave and come back.
use std::{convert::Infallible, sync::Arc};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::{
    client::{NotLeading, TypedClient},
    controller::{Action, Controller, OnError},
    informer::ObjectKey,
    leader_election::LeaderElectionConfig,
    manager::Manager,
};
use kube_codegen_testing::{ApiServer, Failure, On};
use serde_json::json;
use tokio::time::sleep;

use super::{Fleet, SECOND, control, reconciled, seed};

/// Nothing answers any more: open watches end, and requests have no answer.
fn vanish(server: &ApiServer) {
    server.fail_always(On::any(), Failure::disconnect());
    server.cut_watches(&On::any());
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_cluster_affects_no_other() {
    let [hub, oslo, paris, rome] = [(); 4].map(|()| ApiServer::new());
    for server in [&oslo, &paris, &rome] {
        seed(server, "a");
    }
    vanish(&oslo);
    let fleet = Fleet::start(&hub);
    for (name, server) in [("oslo", &oslo), ("paris", &paris), ("rome", &rome)] {
        fleet.join(name, server);
    }
    reconciled(&paris, "a", "paris").await;
    reconciled(&rome, "a", "rome").await;
    assert!((fleet.is_ready)());
    assert_eq!(fleet.clusters.names(), ["oslo", "paris", "rome"]);
    assert!(
        oslo.get::<ConfigMap>("default", "a")
            .unwrap()
            .data
            .is_none()
    );

    // One more goes away. The third one notices nothing.
    vanish(&paris);
    let watches = |server: &ApiServer| {
        server
            .requests()
            .iter()
            .filter(|it| it.verb == "watch")
            .count()
    };
    let before = watches(&rome);
    for round in 0..5 {
        let name = format!("round-{round}");
        seed(&paris, &name);
        seed(&rome, &name);
        reconciled(&rome, &name, "rome").await;
        sleep(60 * SECOND).await;
    }
    assert_eq!(watches(&rome), before, "one watch, which goes on");
    assert_eq!(fleet.starts.of("rome"), 1);

    // Both come back. Nothing starts again: the informers and queues have waited.
    oslo.clear_faults();
    paris.clear_faults();
    reconciled(&oslo, "a", "oslo").await;
    for round in 0..5 {
        reconciled(&paris, &format!("round-{round}"), "paris").await;
    }
    assert_eq!((fleet.starts.of("oslo"), fleet.starts.of("paris")), (1, 1));
    fleet.stop().await;
}

#[cfg(feature = "metrics")]
#[tokio::test(start_paused = true)]
async fn metrics_have_the_cluster() {
    use std::collections::BTreeMap;

    let [hub, oslo, rome] = [(); 3].map(|()| ApiServer::new());
    seed(&rome, "a");
    vanish(&oslo);
    let fleet = Fleet::start(&hub);
    fleet.join("oslo", &oslo);
    fleet.join("rome", &rome);
    reconciled(&rome, "a", "rome").await;
    // The reconcile of its own change.
    sleep(SECOND).await;
    let (oslo, rome) = (fleet.series("oslo"), fleet.series("rome"));
    let is = |all: &BTreeMap<String, f64>, series: &str| all.get(series).copied();
    let reconciles = |name| {
        format!(
            "controller_runtime_reconcile_total{{controller=\"configmap\",cluster=\"{name}\",result=\"success\"}}"
        )
    };
    assert_eq!(is(&oslo, &reconciles("oslo")), Some(0.0));
    assert_eq!(is(&rome, &reconciles("rome")), Some(2.0));
    assert_eq!(
        is(&oslo, "member_cluster_synced{cluster=\"oslo\"}"),
        Some(0.0)
    );
    assert_eq!(
        is(&rome, "member_cluster_synced{cluster=\"rome\"}"),
        Some(1.0)
    );
    for family in [
        "informer_objects{",
        "reflector_lists_total{",
        "workqueue_adds_total{",
        "event_recorder_dropped_total{",
    ] {
        let found = rome
            .keys()
            .filter(|series| series.starts_with(family))
            .count();
        assert_eq!(found, 1, "{family} of {rome:#?}");
    }
    assert!(fleet.metrics.queues(1).contains_key("rome/configmap"));

    // What has left has no series.
    fleet.leave("rome");
    sleep(60 * SECOND).await;
    assert_eq!(fleet.series("rome"), BTreeMap::new());
    assert!(!fleet.series("oslo").is_empty());
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_leaves_stops_alone() {
    let [hub, paris, rome] = [(); 3].map(|()| ApiServer::new());
    let fleet = Fleet::start(&hub);
    fleet.join("paris", &paris);
    fleet.join("rome", &rome);
    seed(&paris, "a");
    reconciled(&paris, "a", "paris").await;
    fleet.leave("paris");
    fleet.leave("unknown");
    sleep(60 * SECOND).await;
    assert_eq!(fleet.clusters.names(), ["rome"]);
    assert!(fleet.clusters.client("paris").is_none());
    paris.clear_requests();
    seed(&paris, "b");
    seed(&rome, "b");
    reconciled(&rome, "b", "rome").await;
    sleep(600 * SECOND).await;
    assert_eq!(paris.requests(), []);

    // It joins again.
    fleet.join("paris", &paris);
    reconciled(&paris, "b", "paris").await;
    assert_eq!((fleet.starts.of("paris"), fleet.starts.of("rome")), (2, 1));
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn members_run_and_write_only_while_the_hub_elects_this_replica() {
    let [hub, rome] = [(); 2].map(|()| ApiServer::new());
    seed(&rome, "a");
    let replica = |identity: &str| {
        let config = LeaderElectionConfig::new("fleet").namespace("default");
        let manager = Manager::builder(hub.client(), "fleet")
            .leader_election(config.identity(identity))
            .build()
            .unwrap();
        Fleet::run(manager, control)
    };
    let (first, second) = (replica("first"), replica("second"));
    first.join("rome", &rome);
    reconciled(&rome, "a", "rome").await;
    second.join("rome", &rome);
    sleep(60 * SECOND).await;
    assert_eq!((first.starts.of("rome"), second.starts.of("rome")), (1, 0));
    assert!((second.is_ready)());
    assert_eq!(second.clusters.names(), Vec::<String>::new());

    let clients = [
        first.clusters.client("rome").unwrap(),
        first.starts.client("rome"),
    ];
    first.stop().await;
    seed(&rome, "b");
    reconciled(&rome, "b", "rome").await;
    assert_eq!(second.starts.of("rome"), 1);
    for client in clients {
        let maps = TypedClient::<ConfigMap>::namespaced(client, "default");
        let patch = kube::api::Patch::Merge(json!({}));
        let rejected = maps.patch("a", &patch).await.unwrap_err();
        assert!(NotLeading::caused(&rejected), "{rejected}");
    }
    second.stop().await;
}

/// Copies the `ConfigMap`s of the hub into a cluster, and repairs them there.
#[tokio::test(start_paused = true)]
async fn objects_of_the_hub_are_copied_into_each_cluster() {
    let [hub, oslo, rome] = [(); 3].map(|()| ApiServer::new());
    seed(&hub, "a");
    vanish(&oslo);
    let manager = Manager::builder(hub.client(), "fleet").build().unwrap();
    let of_hub = manager.factory().informer::<ConfigMap>();
    let fleet = Fleet::run(manager, move |cluster| {
        let copies = cluster.factory().informer::<ConfigMap>();
        let controller =
            Controller::for_informer(&of_hub).watches(&copies, |copy| vec![ObjectKey::of(&**copy)]);
        let maps = TypedClient::<ConfigMap>::namespaced(cluster.client(), "default");
        let copy = |map: Arc<ConfigMap>, maps: Arc<TypedClient<ConfigMap>>| async move {
            let name = map.metadata.name.as_deref().unwrap_or_default();
            let copy = json!({"metadata": {"name": name}, "data": {"seen": "hub"}});
            maps.apply(&copy, "fleet").await?;
            Ok::<_, kube::Error>(Action::await_change())
        };
        cluster.controller(controller, move |controller| {
            controller.run(copy, |_, _, _| OnError::Backoff, Arc::new(maps))
        });
    });
    fleet.join("oslo", &oslo);
    fleet.join("rome", &rome);
    reconciled(&rome, "a", "hub").await;
    rome.delete::<ConfigMap>("default", "a").unwrap();
    reconciled(&rome, "a", "hub").await;
    seed(&hub, "b");
    reconciled(&rome, "b", "hub").await;
    oslo.clear_faults();
    reconciled(&oslo, "a", "hub").await;
    reconciled(&oslo, "b", "hub").await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn workers_of_a_kind_may_be_those_of_members() {
    let [hub, rome] = [(); 2].map(|()| ApiServer::new());
    let builder = Manager::builder(hub.client(), "fleet").workers(2);
    let manager = builder.workers_of("ConfigMap", 7).build().unwrap();
    let (sender, workers) = std::sync::mpsc::channel();
    let fleet = Fleet::run(manager, move |cluster| {
        let controller = Controller::for_informer(&cluster.factory().informer::<ConfigMap>());
        sender.send(controller.metrics()).unwrap();
        let reconcile = async |_, _| Ok::<_, Infallible>(Action::await_change());
        cluster.controller(controller, move |controller| {
            controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(()))
        });
    });
    fleet.join("rome", &rome);
    sleep(SECOND).await;
    let metrics = workers.recv().unwrap();
    assert_eq!(metrics.get().workers, 7);
    assert_eq!(metrics.cluster().as_deref(), Some("rome"));
    fleet.stop().await;
}
