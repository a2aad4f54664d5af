//! Coordinated election: the API server, played by the test, chooses among the candidates.
use std::time::Duration;

use k8s_openapi::{
    api::coordination::{
        v1::{Lease, LeaseSpec},
        v1beta1::LeaseCandidate,
    },
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};
use kube_codegen_runtime::leader_election::{LeaderElectionConfig, LeaderElector};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::time::{sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

/// Returns a server that serves `leasecandidates`.
fn coordinating() -> ApiServer {
    let server = ApiServer::new();
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    server
        .register_crd(&json!({
            "metadata": {"name": "leasecandidates.coordination.k8s.io"},
            "spec": {
                "group": "coordination.k8s.io",
                "scope": "Namespaced",
                "names": {"plural": "leasecandidates", "singular": "leasecandidate", "kind": "LeaseCandidate", "listKind": "LeaseCandidateList"},
                "versions": [{"name": "v1beta1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        }))
        .unwrap();
    server
}

fn elector(server: &ApiServer, identity: &str) -> LeaderElector {
    let config = LeaderElectionConfig::new("election")
        .namespace("default")
        .identity(identity)
        .coordinated("1.2.0");
    LeaderElector::new(&server.client(), config).unwrap()
}

/// Gives the lease to a candidate, as the API server does.
fn give(server: &ApiServer, identity: &str) {
    let mut lease = Lease::default();
    lease.metadata.name = Some("election".to_owned());
    lease.spec = Some(LeaseSpec {
        holder_identity: Some(identity.to_owned()),
        lease_duration_seconds: Some(5),
        renew_time: Some(MicroTime(Timestamp::now())),
        strategy: Some("OldestEmulationVersion".to_owned()),
        ..LeaseSpec::default()
    });
    server.seed(&lease).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_candidate_leads_only_when_the_server_has_chosen_it() {
    let server = coordinating();
    let elector = elector(&server, "a");
    let term = elector.term();
    let task = tokio::spawn(elector.run(async |_| std::future::pending::<()>().await));
    let candidate: LeaseCandidate = server.until(|server| server.get("default", "a")).await;
    let spec = candidate.spec.unwrap();
    assert_eq!(
        (&*spec.lease_name, &*spec.binary_version, &*spec.strategy),
        ("election", "1.2.0", "OldestEmulationVersion")
    );
    // It never creates the lease itself, nor takes an expired one.
    sleep(60 * SECOND).await;
    assert!(server.get::<Lease>("default", "election").is_none());
    give(&server, "b");
    sleep(60 * SECOND).await;
    assert!(!term.is_active());

    give(&server, "a");
    timeout(5 * SECOND, term.started()).await.unwrap().unwrap();
    sleep(60 * SECOND).await;
    assert!(term.is_active());
    let lease: Lease = server.get("default", "election").unwrap();
    assert_eq!(lease.spec.unwrap().lease_duration_seconds, Some(15));

    // The server prefers another candidate.
    server
        .edit::<Lease>("default", "election", |lease| {
            lease["spec"]["preferredHolder"] = "b".into();
        })
        .unwrap();
    let error = task.await.unwrap().unwrap_err().to_string();
    assert_eq!(
        error,
        "lost the lease default/election: the API server prefers another leader"
    );
}

#[tokio::test(start_paused = true)]
async fn a_candidate_answers_pings_also_of_a_server_whose_clock_is_ahead() {
    let server = coordinating();
    let elector = elector(&server, "a");
    let _task = tokio::spawn(elector.run(async |_| ()));
    let first: LeaseCandidate = server.until(|server| server.get("default", "a")).await;
    sleep(SECOND).await;
    server.clear_requests();
    let ping = "2200-01-01T00:00:00.000000Z";
    server
        .edit::<LeaseCandidate>("default", "a", |candidate| {
            candidate["spec"]["pingTime"] = ping.into();
        })
        .unwrap();
    sleep(SECOND).await;
    let candidate: LeaseCandidate = server.get("default", "a").unwrap();
    let spec = candidate.spec.unwrap();
    assert!(spec.renew_time > spec.ping_time && spec.renew_time > first.spec.unwrap().renew_time);
    assert_eq!(server.writes().len(), 1, "{:?}", server.writes());
    // Without a ping, it is renewed every five minutes.
    sleep(310 * SECOND).await;
    assert_eq!(server.writes().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn without_leasecandidates_the_candidates_elect_a_leader_themselves() {
    let server = ApiServer::new();
    let elector = elector(&server, "a");
    let led = timeout(5 * SECOND, elector.run(async |term| term.is_active()));
    assert_eq!(led.await.unwrap(), Ok(true));
}
