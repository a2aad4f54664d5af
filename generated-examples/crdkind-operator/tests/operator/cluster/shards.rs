//! Processes of the operator that share its objects: two, four, and two again, of which one is paused and one is killed.
use std::{collections::BTreeMap, time::Duration};

use crdkind_operator::generated::iksoon_test_com::v1::CrdKindSpec;
use k8s_openapi::api::{apps::v1::Deployment, coordination::v1::Lease};
use kube::{Api, api::ListParams};
use kube_codegen_testenv::{Error, Process, Proxy, TestResult, eventually};
use tokio::time::sleep;

use crate::cluster::stage::{Stage, WITHIN, operator, shared};

const RANGES: usize = 16;
const OBJECTS: usize = 8;

/// A replica with a connection of its own, so that its requests are known.
struct Replica {
    proxy: Proxy,
    process: Process,
}

impl Replica {
    async fn start(stage: &Stage<'_>, workers: usize) -> Result<Self, Error> {
        let proxy = stage.plane.proxy().await?;
        let namespace = stage.namespace.name();
        let flags = [
            &format!("--shards={RANGES}"),
            "--leader-elect-resource-namespace=crdkind-operator",
            &format!("--leader-elect-resource-name={namespace}"),
            "--namespace",
            namespace,
            // The last flag names the log.
            &format!("--workers={workers}"),
        ];
        let process = operator(stage.plane, proxy.kubeconfig(), &flags)?;
        Ok(Self { proxy, process })
    }

    /// Returns how often this replica wrote to each Deployment, by name.
    fn writes(&self) -> BTreeMap<String, usize> {
        let mut writes = BTreeMap::new();
        for request in self.proxy.requests() {
            let name = request.uri.path().rsplit_once("/deployments/");
            if let Some((_, name)) = name.filter(|_| request.method != "GET") {
                *writes.entry(name.to_owned()).or_default() += 1;
            }
        }
        writes
    }
}

/// Returns how many ranges each replica holds.
async fn shares(stage: &Stage<'_>) -> Result<Vec<usize>, Error> {
    let leases: Api<Lease> = Api::namespaced(stage.plane.client()?, "crdkind-operator");
    let mut shares = BTreeMap::<_, usize>::new();
    for lease in leases.list(&ListParams::default()).await? {
        let range = format!("{}-shard-", stage.namespace.name());
        if lease
            .metadata
            .name
            .is_some_and(|name| name.starts_with(&range))
        {
            let holder = lease.spec.and_then(|spec| spec.holder_identity);
            *shares.entry(holder.unwrap_or_default()).or_default() += 1;
        }
    }
    Ok(shares.into_values().collect())
}

async fn shared_by(stage: &Stage<'_>, replicas: usize) -> Result<(), Error> {
    let share = RANGES / replicas;
    eventually(&format!("{replicas} equal shares"), WITHIN, async || {
        let shares = shares(stage).await.map_err(|error| error.to_string())?;
        let is_fair = shares == vec![share; replicas];
        is_fair.then_some(()).ok_or_else(|| format!("{shares:?}"))
    })
    .await
}

/// Changes all objects, and waits until their children are as desired.
async fn change_all(stage: &Stage<'_>, choice: &str) -> Result<(), Error> {
    for number in 0..OBJECTS {
        let set = |spec: &mut CrdKindSpec| {
            spec.choice = Some(choice.to_owned());
        };
        stage.change(&format!("kind-{number}"), set).await?;
    }
    for number in 0..OBJECTS {
        stage
            .settled(&format!("kind-{number}"), &format!("iksoon_{choice}"), 1)
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn replicas_share_the_objects_while_others_come_pause_and_crash() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "shards").await?;
    for number in 0..OBJECTS {
        stage
            .create(&format!("kind-{number}"), Some("mysql"), Some(1))
            .await?;
    }
    let first = Replica::start(&stage, 1).await?;
    let second = Replica::start(&stage, 2).await?;
    shared_by(&stage, 2).await?;
    change_all(&stage, "tomcat").await?;

    let third = Replica::start(&stage, 3).await?;
    let fourth = Replica::start(&stage, 4).await?;
    shared_by(&stage, 4).await?;
    let before = [&first, &second, &third, &fourth].map(Replica::writes);
    change_all(&stage, "mysql").await?;
    // Each object was written by one replica, and by no other.
    let after = [&first, &second, &third, &fourth].map(Replica::writes);
    for number in 0..OBJECTS {
        let children = stage
            .children::<Deployment>(&format!("kind-{number}"))
            .await?;
        for name in children
            .iter()
            .filter_map(|child| child.metadata.name.as_ref())
        {
            let count = |writes: &BTreeMap<String, usize>| writes.get(name).copied().unwrap_or(0);
            let authors = before
                .iter()
                .zip(&after)
                .filter(|(before, after)| count(before) < count(after));
            assert_eq!(authors.count(), 1, "{name}: {before:?}, then {after:?}");
        }
    }

    first.process.pause()?;
    let written = first.writes();
    third.process.kill();
    sleep(Duration::from_secs(1)).await;
    // The others take the ranges of both when their Leases have expired.
    change_all(&stage, "tomcat").await?;
    shared_by(&stage, 2).await?;
    first.process.resume()?;
    let status = first.process.wait(WITHIN).await?;
    assert_eq!(status.code(), Some(1), "{}", first.process.log());
    assert_eq!(
        first.writes(),
        written,
        "a replica whose term is over writes nothing"
    );

    // One that is asked to stop frees its ranges at once.
    let status = second.process.terminate(WITHIN).await?;
    assert!(status.success(), "{status}");
    shared_by(&stage, 1).await?;
    change_all(&stage, "mysql").await?;
    Ok(())
}
