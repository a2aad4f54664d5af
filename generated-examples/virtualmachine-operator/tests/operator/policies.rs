//! What `kube-codegen policy` prints rejects and fills in what the CRD does.
use std::time::Duration;

use example_test_support::cluster::WITHIN;
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use serde_json::{Value, json};

/// Rules on an object, its fields, items and values, and defaults.
const CRD: &str = include_str!("../../../../tests/cli/policy.in/machines.yaml");
/// Has the policies of this CRD, as the program prints them.
const TRANSCRIPT: &str = include_str!("../../../../tests/cli/policy.md");

/// Returns the policies in the transcript.
fn policies() -> String {
    let (_, after) = TRANSCRIPT
        .split_once("$ kube-codegen policy -f machines.yaml\n")
        .unwrap();
    let (printed, _) = after.split_once("\n\n$ ").unwrap();
    let lines = printed
        .lines()
        .filter(|line| !line.starts_with("warning: "));
    lines.map(|line| format!("{line}\n")).collect()
}

fn machine(namespace: &str, name: &str, spec: &Value) -> String {
    json!({
        "apiVersion": "example.com/v1", "kind": "Machine",
        "metadata": {"name": name, "namespace": namespace}, "spec": spec,
    })
    .to_string()
}

/// Returns the verdict on each object, which replaces the one before if it has the same name.
async fn verdicts(
    plane: &ControlPlane,
    namespace: &str,
) -> Result<Vec<Option<String>>, kube_codegen_testenv::Error> {
    let ok = json!({"zone": "a", "disks": [{"size": 1}], "labels": {"a": "b"}});
    let objects = [
        ("a", ok.clone()),
        ("a", json!({"zone": "b"})),
        ("b", json!({"minReplicas": 5})),
        ("b", json!({"minReplicas": 5, "maxReplicas": 6})),
        ("c", json!({"disks": [{"size": 1}, {"size": 0}]})),
        ("d", json!({"labels": {"a": "much too long"}})),
        ("e", json!({"namespace": "kube-system"})),
        ("a-name-that-is-much-too-long", ok),
        ("f", json!({})),
    ];
    let mut verdicts = Vec::new();
    for (name, spec) in objects {
        let result = plane.apply(&machine(namespace, name, &spec)).await;
        verdicts.push(result.err().map(|error| error.to_string()));
    }
    plane
        .kubectl(["delete", "machines", "--all", "-n", namespace])
        .await?;
    Ok(verdicts)
}

/// Removes the rules and defaults of a CRD.
fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !matches!(&**name, "x-kubernetes-validations" | "default"));
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_reject_what_the_rules_reject() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let namespace = plane.namespace("policies").await?;
    let name = namespace.name();
    plane.install(&[CRD]).await?;
    let expected = verdicts(plane, name).await?;
    let rejected: Vec<_> = expected.iter().map(Option::is_some).collect();
    assert_eq!(
        rejected,
        [false, true, true, false, true, true, true, true, false],
        "{expected:?}"
    );

    let crd = plane
        .kubectl(["get", "crd", "machines.example.com", "-o", "json"])
        .await?;
    let mut crd: Value = serde_json::from_str(&crd)?;
    strip(&mut crd["spec"]);
    crd["metadata"] = json!({"name": "machines.example.com"});
    plane
        .kubectl(["delete", "crd", "machines.example.com"])
        .await?;
    plane.install(&[&crd.to_string()]).await?;
    plane.apply(&policies()).await?;
    let mut probes = 0;
    eventually("the policies", WITHIN, async || {
        tokio::time::sleep(Duration::from_millis(500)).await;
        // kubectl sends no request for an object that is unchanged.
        probes += 1;
        let spec = json!({"namespace": "kube-system"});
        let probe = machine(name, &format!("probe-{probes}"), &spec);
        match plane.apply(&probe).await {
            // The server also rejects objects while its policies do not know a new kind.
            Err(error) if error.to_string().contains("denied request") => Ok(()),
            _ => Err("not enforced yet"),
        }
    })
    .await?;
    let found = verdicts(plane, name).await?;
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(
            expected.is_some(),
            found.is_some(),
            "{expected:?}\n{found:?}"
        );
    }
    for (index, message) in [
        (1, "the zone cannot change"),
        (2, "at least five"),
        (4, "a disk has a size"),
        (5, "short labels only"),
        (7, "the name is too long"),
    ] {
        for verdicts in [&expected, &found] {
            let text = verdicts[index].as_deref().unwrap_or_default();
            assert!(text.contains(message), "{message}: {text}");
        }
    }

    let spec = json!({"disks": [{"size": 1}, {"size": 2, "type": "hdd"}]});
    plane.apply(&machine(name, "defaults", &spec)).await?;
    let stored = plane
        .kubectl(["get", "machine", "defaults", "-n", name, "-o", "json"])
        .await?;
    let stored: Value = serde_json::from_str(&stored)?;
    let completed = json!({
        "minReplicas": 1, "maxReplicas": 3, "disks": [{"size": 1, "type": "ssd"}, {"size": 2, "type": "hdd"}],
    });
    assert_eq!(stored["spec"], completed);
    Ok(())
}
