//! The operator as a process, with the permissions of `deploy/rbac.yaml` alone, on a real control plane.
use example_test_support::cluster::{WITHIN, logged, operator, shared};
use kube_codegen_runtime::webhook::ClientConfig;
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use serde_json::json;
use virtualmachine_operator::{REPORTER, webhooks};

use crate::stage::free_port;

const PROGRAM: &str = env!("CARGO_BIN_EXE_virtualmachine-operator");
const CRD: &str = "virtualmachines.infra.example.com";

const MANIFESTS: [&str; 2] = [
    include_str!("../../deploy/crd.yaml"),
    include_str!("../../deploy/rbac.yaml"),
];

fn machine(version: &str, namespace: &str, name: &str, spec: &str) -> String {
    format!(
        "{{apiVersion: infra.example.com/{version}, kind: VirtualMachine, metadata: {{name: {name}, namespace: {namespace}}}, spec: {spec}}}"
    )
}

/// Returns a field of a machine in a version.
async fn field(
    plane: &ControlPlane,
    version: &str,
    namespace: &str,
    name: &str,
    path: &str,
) -> Result<String, kube_codegen_testenv::Error> {
    let kind = format!("virtualmachines.{version}.infra.example.com");
    let path = format!("jsonpath={{{path}}}");
    plane
        .kubectl(["get", &kind, name, "-n", namespace, "-o", &path])
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_are_completed_rejected_converted_and_cleaned_up() -> TestResult {
    let Some(plane) = shared(&MANIFESTS).await? else {
        return Ok(());
    };
    let namespace = plane.namespace("machines").await?;
    let name = namespace.name();
    // The processes of the control plane reach this one without a Service.
    let port = free_port();
    let url = format!("https://127.0.0.1:{port}");
    let configurations = webhooks().configurations(&ClientConfig::url(&url));
    plane.apply(&configurations.to_yaml()?).await?;
    let patch = json!([{
        "op": "replace", "path": "/spec/conversion/webhook/clientConfig", "value": {"url": format!("{url}/convert")},
    }]);
    plane
        .kubectl(["patch", "crd", CRD, "--type=json", "-p", &patch.to_string()])
        .await?;

    let flags = [
        format!("--webhook-port={port}"),
        format!("--webhook-url={url}"),
    ];
    let flags = [&*flags[0], &*flags[1], "--namespace", name];
    let process = operator(plane, REPORTER, PROGRAM, &flags).await?;
    logged(
        &process,
        "the API server has the certificates of the webhooks",
    )
    .await?;

    // The API server takes some time to use new configurations.
    eventually("the defaulting webhook", WITHIN, async || {
        plane
            .apply(&machine("v1", name, "a", "{memory: 4Gi}"))
            .await?;
        match field(plane, "v1", name, "a", ".spec.cpu").await?.as_str() {
            "2" => Ok(()),
            _ => {
                plane.kubectl(["delete", "vm", "a", "-n", name]).await?;
                Err(kube_codegen_testenv::Error::Absent("cpu"))
            }
        }
    })
    .await?;
    eventually("the phase", WITHIN, async || {
        match field(plane, "v1", name, "a", ".status.phase").await {
            Ok(phase) if phase == "Running" => Ok(()),
            other => Err(format!("{other:?}: {}", process.log())),
        }
    })
    .await?;

    let rejected = plane
        .apply(&machine("v1", name, "b", "{memory: 100Mi}"))
        .await;
    let rejected = rejected.unwrap_err().to_string();
    let message = r#"The VirtualMachine "b" is invalid: spec.memory: Invalid value: "100Mi": must be at least 256Mi"#;
    assert!(rejected.contains(message), "{rejected}");
    let shrunk = plane
        .apply(&machine("v1", name, "a", "{memory: 1Gi}"))
        .await;
    let shrunk = shrunk.unwrap_err().to_string();
    assert!(
        shrunk.contains("spec.memory: Forbidden: a running machine cannot lose memory"),
        "{shrunk}"
    );

    // Stored as v1, read as v2.
    assert_eq!(
        field(plane, "v2", name, "a", ".spec.resources.memory").await?,
        "4Gi"
    );
    assert_eq!(field(plane, "v2", name, "a", ".spec.memory").await?, "");
    // Written as v2: the webhooks for v1 get v1.
    plane
        .apply(&machine("v2", name, "c", "{resources: {memory: 8Gi}}"))
        .await?;
    assert_eq!(field(plane, "v1", name, "c", ".spec.memory").await?, "8Gi");
    assert_eq!(field(plane, "v2", name, "c", ".spec.cpu").await?, "2");
    let rejected = plane
        .apply(&machine("v2", name, "d", "{resources: {memory: 1Mi}}"))
        .await;
    assert!(
        rejected
            .unwrap_err()
            .to_string()
            .contains("must be at least 256Mi")
    );
    let shown = plane
        .kubectl(["get", "virtualmachines.v2.infra.example.com", "-n", name])
        .await?;
    let memory: Vec<_> = shown
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    assert_eq!(memory, ["MEMORY", "4Gi", "8Gi"], "{shown}");

    plane
        .kubectl(["delete", "vm", "--all", "-n", name, "--timeout=60s"])
        .await?;
    assert!(process.terminate(WITHIN).await?.success());
    Ok(())
}
