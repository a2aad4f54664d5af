//! Two processes of the operator, of which one leads.

use std::{path::Path, time::Duration};

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube_codegen_testenv::{ControlPlane, Error, Process, Proxy, TestResult, eventually};
use tokio::time::sleep;

use crate::cluster::stage::{Stage, WITHIN, operator, shared};

/// Starts a replica for the namespace of the stage.
fn replica(
    plane: &ControlPlane,
    stage: &Stage<'_>,
    kubeconfig: &Path,
    workers: usize,
) -> Result<Process, Error> {
    let namespace = stage.namespace.name();
    operator(
        plane,
        kubeconfig,
        &[
            "--leader-elect",
            "--leader-elect-resource-namespace=crdkind-operator",
            &format!("--leader-elect-resource-name={namespace}"),
            "--namespace",
            namespace,
            // The last flag names the log.
            &format!("--workers={workers}"),
        ],
    )
}

/// Returns the number of requests that change objects, without those of the election and events.
fn writes(proxy: &Proxy) -> usize {
    let requests = proxy.requests();
    let is_write = |path: &str| !path.contains("/leases") && !path.contains("/events");
    requests
        .iter()
        .filter(|request| request.method != "GET" && is_write(request.uri.path()))
        .count()
}

#[tokio::test]
async fn a_paused_leader_is_replaced_and_writes_nothing_when_it_wakes_up() -> TestResult {
    let Some(plane) = shared().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "leaders").await?;
    let leases: Api<Lease> = Api::namespaced(plane.client()?, "crdkind-operator");
    let holder = async || -> Result<String, Error> {
        let lease = leases.get(stage.namespace.name()).await?;
        Ok(lease
            .spec
            .and_then(|spec| spec.holder_identity)
            .unwrap_or_default())
    };
    let proxy = plane.proxy().await?;
    let account = "crdkind-operator";
    let first = replica(
        plane,
        &stage,
        &proxy.kubeconfig_for(account, account).await?,
        1,
    )?;
    let leader = eventually("a leader", WITHIN, async || holder().await).await?;
    let second = replica(
        plane,
        &stage,
        &plane.kubeconfig_for(account, account).await?,
        2,
    )?;
    stage.create("a", Some("mysql"), Some(1)).await?;
    stage.settled("a", "iksoon_mysql", 1).await?;
    sleep(Duration::from_secs(5)).await;
    assert_eq!(holder().await?, leader);

    first.pause()?;
    let before = writes(&proxy);
    assert!(before > 0);
    stage
        .change("a", |spec| spec.choice = Some("tomcat".to_owned()))
        .await?;
    // The second one waits until the lease has expired.
    stage.settled("a", "iksoon_tomcat", 1).await?;
    let next = holder().await?;
    assert!(next != leader && !next.is_empty(), "{next}");
    stage
        .change("a", |spec| spec.choice = Some("mysql".to_owned()))
        .await?;
    stage.settled("a", "iksoon_mysql", 1).await?;

    first.resume()?;
    let status = first.wait(WITHIN).await?;
    assert_eq!(status.code(), Some(1));
    assert!(
        first
            .log()
            .contains("the leadership was lost: lost the lease "),
        "{}",
        first.log()
    );
    assert_eq!(writes(&proxy), before);
    assert_eq!(holder().await?, next);

    // A leader that is asked to stop releases the lease.
    let status = second.terminate(WITHIN).await?;
    assert!(status.success(), "{status}");
    assert_eq!(holder().await?, "");
    Ok(())
}
