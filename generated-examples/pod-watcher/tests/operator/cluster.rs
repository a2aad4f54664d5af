//! The operator as a process, with the permissions of `deploy/rbac.yaml` alone, on a real control plane.
use example_test_support::cluster::{WITHIN, logged, operator, shared};
use kube_codegen_testenv::TestResult;
use pod_watcher::REPORTER;

#[tokio::test]
async fn pods_are_logged_until_the_signal() -> TestResult {
    let Some(plane) = shared(&[include_str!("../../deploy/rbac.yaml")]).await? else {
        return Ok(());
    };
    let namespace = plane.namespace("pods").await?;
    let name = namespace.name();
    let program = env!("CARGO_BIN_EXE_pod-watcher");
    let operator = operator(plane, REPORTER, program, &["--namespace", name]).await?;
    let pod = format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: a, namespace: {name}}}, spec: {{containers: [{{name: c, image: example.com/c:1}}]}}}}"
    );
    plane.apply(&pod).await?;
    logged(&operator, &format!("onAdd: {name}/a")).await?;
    let labels = ["label", "pod", "a", "-n", name, "changed=yes"];
    plane.kubectl(labels).await?;
    logged(&operator, &format!("onUpdate: {name}/a")).await?;
    logged(&operator, &format!("phase: {name}/a is ")).await?;
    let delete = ["delete", "pod", "a", "-n", name, "--now"];
    plane.kubectl(delete).await?;
    logged(&operator, &format!("onDelete: {name}/a")).await?;
    assert!(operator.terminate(WITHIN).await?.success());
    Ok(())
}
