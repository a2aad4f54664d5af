//! The operator as a process, with the permissions of `deploy/rbac.yaml` alone, on a real control plane.
use example_test_support::cluster::{WITHIN, logged, operator, shared};
use kube_codegen_runtime::informer::ObjectKey;
use kube_codegen_testenv::{TestResult, eventually};
use network_controller::{REPORTER, networks::Networks};
use tempfile::TempDir;

fn network(namespace: &str, gateway: &str) -> String {
    format!(
        "{{apiVersion: samplecrd.k8s.io/v1, kind: Network, metadata: {{name: a, namespace: {namespace}}}, spec: {{cidr: 192.168.0.0/16, gateway: {gateway}}}}}"
    )
}

#[tokio::test]
async fn networks_follow_their_objects() -> TestResult {
    let manifests = [
        include_str!("../../deploy/crd.yaml"),
        include_str!("../../deploy/rbac.yaml"),
    ];
    let Some(plane) = shared(&manifests).await? else {
        return Ok(());
    };
    let namespace = plane.namespace("networks").await?;
    let (name, directory) = (namespace.name(), TempDir::new().unwrap());
    let networks = Networks::new(directory.path().to_owned());
    let path = directory.path().display().to_string();
    let program = env!("CARGO_BIN_EXE_network-controller");
    let flags = ["--namespace", name, "--directory", &path];
    let operator = operator(plane, REPORTER, program, &flags).await?;
    plane.apply(&network(name, "192.168.0.1")).await?;
    logged(
        &operator,
        &format!("created: {name}/a: 192.168.0.0/16 via 192.168.0.1"),
    )
    .await?;
    plane.apply(&network(name, "10.0.0.1")).await?;
    logged(&operator, "spec.gateway 10.0.0.1 is not in 192.168.0.0/16").await?;
    plane.apply(&network(name, "192.168.0.2")).await?;
    logged(
        &operator,
        &format!("updated: {name}/a: 192.168.0.0/16 via 192.168.0.2"),
    )
    .await?;
    let shown = plane.kubectl(["get", "networks", "-n", name]).await?;
    assert!(shown.contains("192.168.0.0/16   192.168.0.2"), "{shown}");

    plane
        .kubectl(["delete", "network", "a", "-n", name])
        .await?;
    logged(
        &operator,
        &format!("onDelete: {name}/a: 192.168.0.0/16 via 192.168.0.2"),
    )
    .await?;
    let key = ObjectKey::namespaced(name, "a");
    eventually("the network is removed", WITHIN, async || {
        match networks.get(&key) {
            Ok(None) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await?;
    assert!(operator.terminate(WITHIN).await?.success());
    Ok(())
}
