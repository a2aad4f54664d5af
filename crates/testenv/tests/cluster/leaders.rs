//! Leader election against a real API server.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client};
use kube_codegen_runtime::leader_election::{LeaderElectionConfig, LeaderElector, Term};
use kube_codegen_testenv::{ControlPlane, TestResult};
use tokio::{task::JoinHandle, time::timeout};

use crate::cluster::support::gated;

const WITHIN: Duration = Duration::from_secs(90);

/// Takes part in the election until the term ends, and returns why it ended.
fn candidate(client: &Client, config: LeaderElectionConfig) -> (Term, JoinHandle<String>) {
    let elector = LeaderElector::new(client, config).unwrap();
    let term = elector.term();
    let task = tokio::spawn(async move {
        let led = elector.run(async |_| std::future::pending::<()>().await);
        led.await.unwrap_err().to_string()
    });
    (term, task)
}

async fn leads(term: &Term) -> TestResult {
    timeout(WITHIN, term.started()).await??;
    Ok(())
}

#[tokio::test]
async fn the_server_accepts_each_step_of_the_election() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let namespace = plane.namespace("election").await?;
    let client = plane.client()?;
    let config = |identity: &str| {
        LeaderElectionConfig::new("election")
            .namespace(namespace.name())
            .identity(identity)
            .lease_duration(Duration::from_secs(3))
            .renew_deadline(Duration::from_secs(2))
            .retry_period(Duration::from_millis(500))
            .labels([("team", identity)])
    };
    // Creates, renews and releases.
    let elector = LeaderElector::new(&client, config("a"))?;
    let work = async |term: Term| {
        tokio::time::sleep(Duration::from_secs(5)).await;
        term.is_active()
    };
    assert!(elector.run(work).await?);
    let leases: Api<Lease> = Api::namespaced(client.clone(), namespace.name());
    let spec = leases.get("election").await?.spec.unwrap();
    assert_eq!(spec.holder_identity.as_deref(), Some(""));
    assert!(spec.renew_time.is_some());

    // Takes the released lease, and then the expired one of a process that disappeared.
    let (b, task) = candidate(&client, config("b"));
    leads(&b).await?;
    let first = b.number();
    task.abort();
    let (c, _task) = candidate(&client, config("c"));
    leads(&c).await?;
    assert!(first.is_some() && c.number() > first && !b.is_active());
    let lease = leases.get("election").await?;
    assert_eq!(lease.spec.unwrap().lease_transitions, Some(2));
    assert_eq!(lease.metadata.labels.unwrap()["team"], "c");
    Ok(())
}

#[tokio::test]
async fn the_server_chooses_the_candidate_with_the_oldest_version() -> TestResult {
    let Some(plane) = gated().await? else {
        return Ok(());
    };
    let client = plane.client()?;
    let config = |version: &str, identity: &str| {
        LeaderElectionConfig::new("election")
            .namespace("default")
            .identity(identity)
            .coordinated(version)
    };
    let (newer, end) = candidate(&client, config("1.3.0", "newer"));
    leads(&newer).await?;
    // The older version is preferred, so that replicas of several versions do not take turns.
    let (older, _task) = candidate(&client, config("1.2.0", "older"));
    leads(&older).await?;
    assert!(!newer.is_active());
    assert_eq!(
        end.await?,
        "lost the lease default/election: the API server prefers another leader"
    );
    let leases: Api<Lease> = Api::namespaced(client, "default");
    let spec = leases.get("election").await?.spec.unwrap();
    assert_eq!(spec.holder_identity.as_deref(), Some("older"));
    assert_eq!(spec.strategy.as_deref(), Some("OldestEmulationVersion"));
    Ok(())
}
