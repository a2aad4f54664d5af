//! Children that a former operator has written by `Update`.
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, api::PostParams};
use kube_codegen_runtime::children::Children;
use serde_json::json;

use super::stage::{Stage, cache, child};

/// Creates a child as controller-runtime's `CreateOrUpdate` does, with a field that the new operator does not set.
async fn left_by_go(stage: &Stage) -> ConfigMap {
    let owner = &stage.owner.metadata;
    let left = serde_json::from_value(json!({
        "metadata": {
            "name": "a", "namespace": "default",
            "labels": {"go": "yes"},
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "ServiceAccount", "name": owner.name, "uid": owner.uid,
                "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "data": {"kept": "old", "dropped": "old"},
    }));
    let api = Api::<ConfigMap>::namespaced(stage.server.client(), "default");
    let params = PostParams {
        field_manager: Some("manager".to_owned()),
        ..PostParams::default()
    };
    api.create(&params, &left.unwrap()).await.unwrap()
}

/// The names of data and labels that do not come from the new operator.
fn left(map: &ConfigMap) -> Vec<&str> {
    let data = map.data.iter().flatten();
    let labels = map.metadata.labels.iter().flatten();
    let names = data.chain(labels).map(|(name, _)| name.as_str());
    names
        .filter(|name| ["dropped", "go"].contains(name))
        .collect()
}

fn owners(map: &ConfigMap) -> Vec<String> {
    let entries = map.metadata.managed_fields.iter().flatten();
    let text = |it: &Option<String>| it.clone().unwrap_or_default();
    entries
        .map(|it| format!("{} {}", text(&it.operation), text(&it.manager)))
        .collect()
}

#[tokio::test]
async fn fields_of_a_former_manager_vanish_if_they_are_taken_over() {
    let stage = Stage::new().await;
    let before = left_by_go(&stage).await;
    // After a new start, the cache has the child.
    let (_factory, children) = cache(&stage.server, false).await;
    let wanted = || child("a", &[("kept", "new")]);
    assert!(
        children
            .apply(&stage.owner, wanted())
            .await
            .unwrap()
            .is_written()
    );
    assert_eq!(left(&stage.get("a")), ["dropped", "go"]);
    assert_eq!(
        owners(&stage.get("a")),
        ["Apply test-controller", "Update manager"]
    );

    let (_factory, children) = cache(&stage.server, false).await;
    let children: Children<ConfigMap> = children.take_over_from(["other", "manager"]);
    stage.server.clear_requests();
    assert!(
        children
            .apply(&stage.owner, wanted())
            .await
            .unwrap()
            .is_written()
    );
    let after = stage.get("a");
    assert_eq!(left(&after), [""; 0]);
    assert_eq!(after.data.as_ref().unwrap()["kept"], "new");
    assert_eq!(owners(&after), ["Apply test-controller"]);
    assert_eq!(after.metadata.uid, before.metadata.uid);
    assert_eq!(stage.writes(), ["patch a 200", "patch a 200"]);
    // There is nothing to take over any more, and nothing to write.
    assert!(
        !children
            .apply(&stage.owner, wanted())
            .await
            .unwrap()
            .is_written()
    );
    assert_eq!(stage.writes(), [""; 0]);
}

#[tokio::test]
async fn what_others_have_set_stays() {
    let stage = Stage::new().await;
    left_by_go(&stage).await;
    stage
        .server
        .edit::<ConfigMap>("default", "a", |it| it["data"]["theirs"] = "x".into())
        .unwrap();
    let (_factory, children) = cache(&stage.server, false).await;
    let children = children.take_over_from(["manager"]);
    let wanted = child("a", &[("kept", "new")]);
    children.apply(&stage.owner, wanted).await.unwrap();
    let data = stage.get("a").data.unwrap();
    assert_eq!(data.keys().collect::<Vec<_>>(), ["kept", "theirs"]);
}
