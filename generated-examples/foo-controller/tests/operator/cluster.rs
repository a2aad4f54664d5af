//! The operator as a process, with the permissions of `deploy/rbac.yaml` alone, on a real control plane.
use example_test_support::cluster::{WITHIN, logged, operator, shared};
use foo_controller::REPORTER;
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_foo-controller");

const MANIFESTS: [&str; 2] = [
    include_str!("../../deploy/crd.yaml"),
    include_str!("../../deploy/rbac.yaml"),
];

fn foo(namespace: &str, replicas: i32) -> String {
    format!(
        "{{apiVersion: example.com/v1alpha1, kind: Foo, metadata: {{name: a, namespace: {namespace}}}, spec: {{deploymentName: web, replicas: {replicas}}}}}"
    )
}

#[tokio::test]
async fn the_three_steps() -> TestResult {
    let Some(plane) = shared(&MANIFESTS).await? else {
        return Ok(());
    };
    let namespace = plane.namespace("foos").await?;
    let name = namespace.name();
    let rejected = plane.apply(&foo(name, 11)).await.unwrap_err().to_string();
    assert!(
        rejected.contains("spec.replicas in body should be less than or equal to 10"),
        "{rejected}"
    );

    plane.apply(&foo(name, 1)).await?;
    let listing = operator(plane, REPORTER, PROGRAM, &["list", "--every=1s"]).await?;
    logged(&listing, &format!("listed: {name}/a: 1 of web")).await?;
    assert!(listing.terminate(WITHIN).await?.success());

    let watching = operator(plane, REPORTER, PROGRAM, &["watch", "--namespace", name]).await?;
    logged(&watching, &format!("added: {name}/a: 1 of web")).await?;
    plane.apply(&foo(name, 2)).await?;
    logged(&watching, &format!("updated: {name}/a: 2 of web")).await?;
    assert!(watching.terminate(WITHIN).await?.success());

    let controlling = operator(plane, REPORTER, PROGRAM, &["--namespace", name]).await?;
    let available = if plane.has_controllers() { "2" } else { "0" };
    let status = [
        "get",
        "foo",
        "a",
        "-n",
        name,
        "-o",
        "jsonpath={.status.availableReplicas}",
    ];
    eventually("the status", WITHIN, async || {
        match plane.kubectl(status).await {
            Ok(text) if text == available => Ok(()),
            other => Err(format!("{other:?}: {}", controlling.log())),
        }
    })
    .await?;
    let shown = plane.kubectl(["get", "fo", "-n", name]).await?;
    assert!(
        shown.contains("DEPLOYMENT   REPLICAS   AVAILABLE"),
        "{shown}"
    );
    plane.apply(&foo(name, 3)).await?;
    let replicas = [
        "get",
        "deployment",
        "web",
        "-n",
        name,
        "-o",
        "jsonpath={.spec.replicas}",
    ];
    eventually("the Deployment", WITHIN, async || {
        match plane.kubectl(replicas).await {
            Ok(text) if text == "3" => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await?;
    assert!(controlling.terminate(WITHIN).await?.success());
    Ok(())
}

/// Removes a verb from the rules of the ClusterRole for Foos.
async fn without_watch(plane: &ControlPlane) -> TestResult {
    let get = ["get", "clusterrole", REPORTER, "-o", "json"];
    let mut role: Value = serde_json::from_str(&plane.kubectl(get).await?)?;
    let verbs = role["rules"][0]["verbs"].as_array_mut().unwrap();
    assert!(verbs.contains(&json!("watch")), "{verbs:?}");
    verbs.retain(|verb| verb != "watch");
    plane.apply(&role.to_string()).await?;
    Ok(())
}

#[tokio::test]
async fn the_rights_contain_watch_and_the_log_says_if_it_is_missing() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    plane.install(&MANIFESTS).await?;
    without_watch(&plane).await?;
    let operator = operator(&plane, REPORTER, PROGRAM, &[]).await?;
    logged(&operator, "cannot watch resource \"foos\"").await?;
    plane.apply(MANIFESTS[1]).await?;
    logged(&operator, "caches are synced").await?;
    Ok(())
}
