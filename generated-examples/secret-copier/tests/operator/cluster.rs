//! The operator as a process, with the permissions of `deploy/rbac.yaml` alone, on a real control plane.
use example_test_support::cluster::{WITHIN, logged, operator, shared};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube_codegen_testenv::{ControlPlane, Error, TestResult, eventually};
use secret_copier::{REPORTER, copies::TYPE};

fn secret(namespace: &str, name: &str, type_: &str, value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}, namespace: {namespace}}}\ntype: {type_}\nstringData: {{key: {value}}}\n---\n"
    )
}

/// Waits until a Secret has this value, or does not exist.
async fn has(
    plane: &ControlPlane,
    namespace: &str,
    name: &str,
    value: Option<&str>,
) -> Result<(), Error> {
    let secrets: Api<Secret> = Api::namespaced(plane.client()?, namespace);
    let what = format!("{namespace}/{name} is {value:?}");
    eventually(&what, WITHIN, async || {
        let found = secrets
            .get_opt(name)
            .await
            .map_err(|error| error.to_string())?;
        let data = found.and_then(|secret| secret.data?.remove("key"));
        let text = data.map(|bytes| String::from_utf8_lossy(&bytes.0).into_owned());
        if text.as_deref() == value {
            Ok(())
        } else {
            Err(format!("{text:?}"))
        }
    })
    .await
}

#[tokio::test]
async fn secrets_are_copied_corrected_and_deleted() -> TestResult {
    let Some(plane) = shared(&[include_str!("../../deploy/rbac.yaml")]).await? else {
        return Ok(());
    };
    let (source, one) = (
        plane.namespace("source").await?,
        plane.namespace("one").await?,
    );
    let (source, one) = (source.name(), one.name());
    let manifests = [
        secret(source, "s", TYPE, "first"),
        secret(source, "opaque", "Opaque", "first"),
        secret(source, "taken", TYPE, "first"),
        secret(one, "elsewhere", TYPE, "first"),
        secret(one, "taken", "Opaque", "foreign"),
    ];
    plane.apply(&manifests.concat()).await?;
    let program = env!("CARGO_BIN_EXE_secret-copier");
    let operator = operator(plane, REPORTER, program, &["--source-namespace", source]).await?;
    has(plane, one, "s", Some("first")).await?;
    has(plane, "default", "s", Some("first")).await?;
    logged(&operator, &format!("skipped: {one}/elsewhere")).await?;
    logged(&operator, &format!("skipped: {source}/opaque")).await?;
    logged(&operator, &format!("skipped: a Secret {one}/taken exists")).await?;

    // Changes, drift and new namespaces.
    plane.apply(&secret(source, "s", TYPE, "second")).await?;
    has(plane, one, "s", Some("second")).await?;
    plane.kubectl(["delete", "secret", "s", "-n", one]).await?;
    has(plane, one, "s", Some("second")).await?;
    let later = plane.namespace("later").await?;
    has(plane, later.name(), "s", Some("second")).await?;
    has(plane, "kube-system", "s", None).await?;

    // A namespace that is deleted does not disturb the others.
    plane
        .kubectl(["delete", "namespace", later.name(), "--wait=false"])
        .await?;
    plane.apply(&secret(source, "s", TYPE, "third")).await?;
    has(plane, "default", "s", Some("third")).await?;
    plane
        .kubectl(["delete", "secret", "s", "taken", "-n", source])
        .await?;
    has(plane, one, "s", None).await?;
    has(plane, "default", "s", None).await?;
    has(plane, "default", "taken", None).await?;
    has(plane, one, "taken", Some("foreign")).await?;
    assert!(operator.terminate(WITHIN).await?.success());
    Ok(())
}
