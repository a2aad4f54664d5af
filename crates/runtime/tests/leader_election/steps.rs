//! The steps of the election, one by one, with two candidates and no randomness but the seeds.
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::{
    api::{
        coordination::v1::{Lease, LeaseSpec},
        core::v1::ConfigMap,
        events::v1::Event,
    },
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};
use kube::{
    Api,
    api::{DeleteParams, PatchParams, PostParams},
};
use kube_codegen_runtime::{
    client::{ErrorExt, TypedClient},
    event::EventRecorder,
    leader_election::{LeaderElectionConfig, LeaderElector, NotLeading, Term},
};
use kube_codegen_testing::{ApiServer, Failure, On};
use serde_json::json;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};

const SECOND: Duration = Duration::from_secs(1);

fn config(identity: &str) -> LeaderElectionConfig {
    LeaderElectionConfig::new("election")
        .namespace("default")
        .identity(identity)
        .seed(1)
}

fn elector(server: &ApiServer, identity: &str) -> LeaderElector {
    LeaderElector::new(&server.client(), config(identity)).unwrap()
}

/// Leads until the term is lost, and returns the error.
fn lead(elector: LeaderElector) -> (Term, JoinHandle<String>) {
    let term = elector.term();
    let task = tokio::spawn(async move {
        let led = elector.run(async |_| std::future::pending::<()>().await);
        led.await.unwrap_err().to_string()
    });
    (term, task)
}

fn spec(server: &ApiServer) -> LeaseSpec {
    server
        .get::<Lease>("default", "election")
        .unwrap()
        .spec
        .unwrap()
}

/// Returns the resource version of the Lease.
fn lease_version(server: &ApiServer) -> Option<u64> {
    let lease = server.get::<Lease>("default", "election")?;
    lease.metadata.resource_version?.parse().ok()
}

fn holder(server: &ApiServer) -> String {
    spec(server).holder_identity.unwrap()
}

fn map(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.to_owned());
    map
}

#[tokio::test(start_paused = true)]
async fn the_first_candidate_creates_the_lease_and_renews_it_every_two_seconds() {
    let server = ApiServer::new();
    let (term, _task) = lead(elector(&server, "a"));
    term.started().await.unwrap();
    let first = spec(&server);
    assert_eq!(first.holder_identity.as_deref(), Some("a"));
    assert_eq!(
        (first.lease_duration_seconds, first.lease_transitions),
        (Some(15), Some(0))
    );
    assert_eq!(first.acquire_time, first.renew_time);
    let number = term.number();
    assert_eq!(number, lease_version(&server));

    sleep(20 * SECOND).await;
    let later = spec(&server);
    assert!(later.renew_time > first.renew_time);
    assert_eq!(later.acquire_time, first.acquire_time);
    assert!(term.number() == number && number < lease_version(&server));
    // One read, one create, and then one write per renewal without reading.
    let verbs: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.verb)
        .collect();
    assert_eq!(verbs[..2], ["get", "create"]);
    assert!(verbs[2..].iter().all(|verb| *verb == "update"), "{verbs:?}");
    assert!((9..=10).contains(&verbs[2..].len()), "{verbs:?}");
    assert!(term.remaining() > 7 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_taken_after_its_own_duration_whatever_its_times_say() {
    for year in ["1970", "2200"] {
        let server = ApiServer::new();
        let time: Timestamp = format!("{year}-01-01T00:00:00Z").parse().unwrap();
        let lease = Lease {
            metadata: map("election").metadata,
            spec: Some(LeaseSpec {
                holder_identity: Some("gone".to_owned()),
                lease_duration_seconds: Some(40),
                lease_transitions: Some(7),
                renew_time: Some(MicroTime(time)),
                ..LeaseSpec::default()
            }),
        };
        let api: Api<Lease> = Api::default_namespaced(server.client());
        api.create(&PostParams::default(), &lease).await.unwrap();
        let started = Instant::now();
        let (term, _task) = lead(elector(&server, "a"));
        term.started().await.unwrap();
        let waited = started.elapsed();
        assert!(
            (40 * SECOND..45 * SECOND).contains(&waited),
            "{year}: {waited:?}"
        );
        assert_eq!(
            (spec(&server).lease_transitions, term.number()),
            (Some(8), lease_version(&server))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_released_lease_is_taken_at_the_next_attempt() {
    let server = ApiServer::new();
    let first = elector(&server, "a");
    let leads = first.term();
    let release = tokio::spawn(first.run(async |_| sleep(5 * SECOND).await));
    leads.started().await.unwrap();
    let (term, _task) = lead(elector(&server, "b"));
    release.await.unwrap().unwrap();
    let released = spec(&server);
    assert_eq!(
        (
            released.holder_identity.as_deref(),
            released.lease_duration_seconds
        ),
        (Some(""), Some(1))
    );
    let started = Instant::now();
    term.started().await.unwrap();
    assert!(started.elapsed() < 5 * SECOND, "{:?}", started.elapsed());
    assert_eq!(
        (holder(&server), spec(&server).lease_transitions),
        ("b".to_owned(), Some(1))
    );
}

#[tokio::test(start_paused = true)]
async fn without_release_on_stop_the_lease_stays() {
    let server = ApiServer::new();
    let config = config("a").release_on_stop(false);
    let elector = LeaderElector::new(&server.client(), config).unwrap();
    elector.run(async |_| ()).await.unwrap();
    assert_eq!(holder(&server), "a");
}

#[tokio::test(start_paused = true)]
async fn a_write_without_a_response_delays_the_release() {
    let server = ApiServer::new();
    let elector = elector(&server, "a");
    server.fail_next(
        On::verb("create").resource("configmaps"),
        Failure::delay(20 * SECOND),
    );
    let maps =
        TypedClient::<ConfigMap>::namespaced(elector.term().fence(&server.client()), "default");
    let started = Instant::now();
    let work = async |_| {
        let created = tokio::time::timeout(SECOND, maps.create(&map("slow"))).await;
        assert!(created.is_err());
    };
    Box::pin(elector.run(work)).await.unwrap();
    // The lease duration minus the renew deadline after it was sent.
    assert_eq!(started.elapsed().as_secs(), 5);
    assert_eq!(holder(&server), "");
}

#[tokio::test(start_paused = true)]
async fn without_renewals_the_term_ends_ten_seconds_after_the_last_one() {
    let server = ApiServer::new();
    let (term, task) = lead(elector(&server, "a"));
    term.started().await.unwrap();
    sleep(SECOND).await;
    server.fail_always(On::any(), Failure::status(500));
    let before = term.remaining();
    term.ended().await;
    assert!(!term.is_active() && term.check().is_err());
    let error = task.await.unwrap();
    assert!(
        before > 8 * SECOND && error.contains("lost the lease default/election"),
        "{error}"
    );
    assert!(
        error.contains("no renewal within 10s: ") && error.contains("injected failure 500"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn one_request_without_a_response_does_not_cost_the_lease() {
    let server = ApiServer::new();
    let elector = elector(&server, "a");
    let status = elector.status();
    let (term, task) = lead(elector);
    term.started().await.unwrap();
    server.fail_next(
        On::verb("update").resource("leases"),
        Failure::delay(3600 * SECOND),
    );
    sleep(60 * SECOND).await;
    assert!(term.is_active() && !task.is_finished());
    // The renewal after it had to read the lease first.
    assert_eq!(status.slow_paths(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_whose_response_was_lost_is_repeated() {
    let server = ApiServer::new();
    let (term, _task) = lead(elector(&server, "a"));
    term.started().await.unwrap();
    server.fail_next(
        On::verb("update").resource("leases"),
        Failure::lost_answer(),
    );
    sleep(60 * SECOND).await;
    assert!(term.is_active());
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_sees_another_holder_ends_at_once() {
    let server = ApiServer::new();
    let (term, task) = lead(elector(&server, "a"));
    term.started().await.unwrap();
    server
        .edit::<Lease>("default", "election", |lease| {
            lease["spec"]["holderIdentity"] = "b".into();
        })
        .unwrap();
    let started = Instant::now();
    assert_eq!(
        task.await.unwrap(),
        "lost the lease default/election: b holds it"
    );
    assert!(started.elapsed() <= 2 * SECOND && !term.is_active());
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_is_created_again_by_its_leader() {
    let server = ApiServer::new();
    let (term, _task) = lead(elector(&server, "a"));
    term.started().await.unwrap();
    server.delete::<Lease>("default", "election").unwrap();
    sleep(3 * SECOND).await;
    assert!(term.is_active());
    assert_eq!(holder(&server), "a");
}

#[tokio::test(start_paused = true)]
async fn the_fence_rejects_writes_outside_of_the_term_and_passes_reads() {
    let server = ApiServer::new();
    let elector = elector(&server, "a");
    let client = elector.term().fence(&server.client());
    let maps = TypedClient::<ConfigMap>::namespaced(client.clone(), "default");
    let plain: Api<ConfigMap> = Api::default_namespaced(client);
    assert_eq!(maps.get_opt("a").await.unwrap(), None);
    for rejected in [
        maps.create(&map("a")).await.map(drop),
        maps.delete("a", &DeleteParams::default()).await.map(drop),
        plain
            .patch(
                "a",
                &PatchParams::default(),
                &kube::api::Patch::Merge(json!({})),
            )
            .await
            .map(drop),
    ] {
        let error = rejected.unwrap_err();
        assert!(
            NotLeading::caused(&error) && error.status().is_none(),
            "{error}"
        );
    }
    assert!(server.writes().is_empty());

    let (term, _task) = lead(elector);
    term.started().await.unwrap();
    maps.create(&map("a")).await.unwrap();
    // Errors of the server pass unchanged.
    assert!(
        maps.create(&map("a"))
            .await
            .unwrap_err()
            .is_already_exists()
    );
    server.fail_always(On::verb("update").resource("leases"), Failure::disconnect());
    server.fail_next(
        On::verb("create").resource("configmaps"),
        Failure::delay(60 * SECOND),
    );
    let started = Instant::now();
    let error = maps.create(&map("b")).await.unwrap_err();
    // The write was still on its way at the deadline.
    assert!(NotLeading::caused(&error) && started.elapsed() <= 10 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_term_is_over_at_its_deadline_even_if_the_elector_does_not_run() {
    let server = ApiServer::new();
    let elector = elector(&server, "a");
    let term = elector.term();
    let mut led = Box::pin(elector.run(async |_| std::future::pending::<()>().await));
    tokio::select! {
        _ = &mut led => panic!("the term has ended"),
        started = term.started() => started.unwrap(),
    }
    sleep(9 * SECOND).await;
    assert!(term.is_active());
    sleep(2 * SECOND).await;
    assert!(term.deadline().is_some(), "the elector has noticed it");
    assert_eq!(term.remaining(), Duration::ZERO);
    assert!(!term.is_active());
    term.check().unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_elector_ends_its_term_and_keeps_the_lease() {
    let server = ApiServer::new();
    let (term, task) = lead(elector(&server, "a"));
    term.started().await.unwrap();
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    term.ended().await;
    assert!(!term.is_active());
    assert!(term.started().await.is_err());
    assert_eq!(holder(&server), "a");
}

#[tokio::test(start_paused = true)]
async fn labels_callbacks_and_events_name_the_leader() {
    let server = ApiServer::new();
    let recorder = EventRecorder::new(server.client(), "operator");
    let leaders = Arc::new(Mutex::new(Vec::new()));
    for identity in ["a", "b"] {
        let leaders = Arc::clone(&leaders);
        let config = config(identity).labels([("team", identity)]);
        LeaderElector::new(&server.client(), config)
            .unwrap()
            .recorder(&recorder)
            .on_new_leader(move |leader| leaders.lock().unwrap().push(leader.to_owned()))
            .run(async |_| sleep(SECOND).await)
            .await
            .unwrap();
    }
    recorder.shutdown().await;
    assert_eq!(*leaders.lock().unwrap(), ["a", "b"]);
    let lease: Lease = server.get("default", "election").unwrap();
    assert_eq!(lease.metadata.labels.unwrap()["team"], "b");
    let notes: Vec<_> = server
        .list::<Event>()
        .into_iter()
        .map(|event| {
            assert_eq!(event.regarding.unwrap().kind.as_deref(), Some("Lease"));
            event.note.unwrap()
        })
        .collect();
    for note in [
        "a became leader",
        "a stopped leading",
        "b became leader",
        "b stopped leading",
    ] {
        assert!(notes.iter().any(|found| found == note), "{note}: {notes:?}");
    }
}

/// What a real API server accepts.
#[tokio::test(start_paused = true)]
async fn every_lease_that_the_server_accepts_is_taken_over_once_it_expires() {
    for spec in [
        json!({"holderIdentity": "gone", "leaseDurationSeconds": 1, "renewTime": "9999-12-31T23:59:59.999999Z"}),
        json!({"holderIdentity": "gone", "leaseDurationSeconds": 1, "renewTime": "9999-12-30T22:00:00.999999Z"}),
        json!({"holderIdentity": "gone", "leaseDurationSeconds": 1, "renewTime": "2090-01-01T00:00:00.000000Z"}),
        json!({"holderIdentity": "", "acquireTime": "9999-12-31T23:59:59.000000Z"}),
        json!({"holderIdentity": "gone", "renewTime": null}),
        json!({"holderIdentity": "gone", "leaseDurationSeconds": 1, "leaseTransitions": i32::MAX}),
        json!({"holderIdentity": "gone", "leaseDurationSeconds": -5}),
        json!({}),
    ] {
        let server = ApiServer::new();
        server
            .seed(&json!({
                "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                "metadata": {"name": "election", "namespace": "default"}, "spec": spec,
            }))
            .unwrap();
        let (term, task) = lead(elector(&server, "a"));
        sleep(20 * SECOND).await;
        assert!(term.is_active(), "{spec}");
        task.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_for_years_is_respected_and_the_wait_is_logged() {
    let (log, _guard) = crate::log::Log::collect();
    let server = ApiServer::new();
    server
        .seed(&json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": "election", "namespace": "default"},
            "spec": {"holderIdentity": "gone", "leaseDurationSeconds": i32::MAX},
        }))
        .unwrap();
    let (term, task) = lead(elector(&server, "a"));
    sleep(3600 * SECOND).await;
    assert!(!term.is_active());
    let text = log.text();
    assert_eq!(text.matches("delete the Lease").count(), 1, "{text}");
    server.delete::<Lease>("default", "election").unwrap();
    sleep(20 * SECOND).await;
    assert!(term.is_active());
    task.abort();
}
