//! `make deploy` and `make undeploy`, with objects that a finalizer keeps.
use std::path::Path;

use example_test_support::cluster::{WITHIN, installed, logged, make, operator};
use kube_codegen_runtime::webhook::ClientConfig;
use kube_codegen_testenv::{ControlPlane, TestResult, eventually, skip};
use serde_json::json;
use virtualmachine_operator::{REPORTER, webhooks};

use crate::stage::free_port;

const PROGRAM: &str = env!("CARGO_BIN_EXE_virtualmachine-operator");
const CRD: &str = "virtualmachines.infra.example.com";

#[tokio::test(flavor = "multi_thread")]
async fn undeploy_waits_for_the_finalizers_and_leaves_nothing() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    if !plane.has_controllers() {
        return Ok(skip("namespaces are not deleted here")?);
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(installed(&plane, directory).await?, [""; 0]);
    make(&plane, directory, "deploy").await?;
    let wait = format!("wait --for=condition=established crd/{CRD} --timeout=60s");
    plane.kubectl(wait.split(' ')).await?;
    assert!(installed(&plane, directory).await?.len() > 18);

    // The process takes the place of the Pods, and so its address that of the Service.
    let port = free_port();
    let url = format!("https://127.0.0.1:{port}");
    let configurations = webhooks().configurations(&ClientConfig::url(&url));
    for kind in ["mutating", "validating"] {
        let name = format!("{REPORTER}-{kind}");
        let kind = format!("{kind}webhookconfiguration");
        plane.kubectl(["delete", &kind, &name]).await?;
    }
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
    let flags = [
        &*flags[0],
        &*flags[1],
        "--leader-elect",
        "--leader-elect-resource-namespace=virtualmachine-operator",
    ];
    let process = operator(&plane, REPORTER, PROGRAM, &flags).await?;
    logged(
        &process,
        "the API server has the certificates of the webhooks",
    )
    .await?;

    let path = directory.join("deploy/sample.yaml");
    eventually("the sample", WITHIN, async || {
        plane.kubectl(["apply", "-f", path.to_str().unwrap()]).await
    })
    .await?;
    let object = ["get", "vm", "example", "-o"];
    eventually("the finalizer", WITHIN, async || {
        let path = "jsonpath={.metadata.finalizers[0]}={.status.phase}";
        let text = plane.kubectl([&object[..], &[path]].concat()).await;
        match text {
            Ok(text) if text == "infra.example.com/machine=Running" => Ok(()),
            other => Err(format!("{other:?}: {}", process.log())),
        }
    })
    .await?;

    make(&plane, directory, "undeploy").await?;
    assert_eq!(installed(&plane, directory).await?, [""; 0]);
    process.terminate(WITHIN).await?;
    Ok(())
}
