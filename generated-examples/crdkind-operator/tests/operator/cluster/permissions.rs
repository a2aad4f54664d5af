//! Without a right of `deploy/rbac.yaml` the operator reports which one is missing. The other tests show that the permissions suffice.

use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use serde_json::{Value, json};

use crate::cluster::stage::{Stage, WITHIN, own};

/// Sets the rules of the operator's role.
async fn set_rules(plane: &ControlPlane, rules: &Value) -> TestResult {
    let patch = json!({ "rules": rules }).to_string();
    let role = ["patch", "clusterrole", "crdkind-operator"];
    plane
        .kubectl(role.into_iter().chain(["--type=merge", "-p", &patch]))
        .await?;
    Ok(())
}

#[tokio::test]
async fn a_missing_verb_is_named() -> TestResult {
    let Some(plane) = own().await? else {
        return Ok(());
    };
    let role: Value = serde_json::from_str(
        &plane
            .kubectl(["get", "clusterrole", "crdkind-operator", "-o", "json"])
            .await?,
    )
    .unwrap();
    for (resource, verb) in [("services", "create"), ("deployments", "watch")] {
        let mut rules = role["rules"].clone();
        let mut removed = 0;
        for rule in rules.as_array_mut().unwrap() {
            if rule["resources"]
                .as_array()
                .is_some_and(|resources| resources.contains(&json!(resource)))
            {
                let verbs = rule["verbs"].as_array_mut().unwrap();
                let before = verbs.len();
                verbs.retain(|have| have != verb);
                removed += before - verbs.len();
            }
        }
        assert!(removed > 0, "{verb} {resource} is not among {rules}");
        set_rules(&plane, &rules).await?;

        let stage = Stage::new(&plane, "verbs").await?;
        let operator = stage.operator().await?;
        stage.create("a", Some("mysql"), Some(1)).await?;
        let message = format!("cannot {verb} resource \"{resource}\"");
        eventually(&message, WITHIN, async || {
            if operator.log().contains(&message) {
                Ok(())
            } else {
                Err(operator.log())
            }
        })
        .await?;

        if verb == "create" {
            let note = stage.event("a", "Warning").await?.note.unwrap_or_default();
            assert!(note.contains(&message), "{note}");
        }

        // With the verb restored, the operator recovers.
        set_rules(&plane, &role["rules"]).await?;
        stage.settled("a", "iksoon_mysql", 1).await?;
    }
    Ok(())
}
