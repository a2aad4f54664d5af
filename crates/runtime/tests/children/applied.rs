//! Children that are kept.
use k8s_openapi::api::{core::v1::ConfigMap, rbac::v1::ClusterRole};
use kube::api::DeleteParams;
use kube_codegen_runtime::{
    children::{ChildError, ChildState, MANAGED_BY, OWNER},
    client::TypedClient,
};
use kube_codegen_testing::{Failure, On};
use serde_json::json;

use crate::children::stage::{Stage, cache, child};

#[tokio::test]
async fn a_child_is_created_once_and_then_left_alone() {
    let stage = Stage::new().await;
    stage.server.clear_requests();
    // The watch delivers nothing: the cache shows the writes of the client.
    stage.server.stall_watches(&On::any());
    let config = child("a", &[("x", "1")]);
    let found = stage
        .children
        .apply(&stage.owner, config.clone())
        .await
        .unwrap();
    assert!(matches!(found, ChildState::Created(_)), "{found:?}");
    for _ in 0..3 {
        let found = stage
            .children
            .apply(&stage.owner, config.clone())
            .await
            .unwrap();
        assert!(matches!(found, ChildState::Unchanged(_)), "{found:?}");
    }
    assert_eq!(stage.writes(), ["patch a 201"]);
    let meta = stage.get("a").metadata;
    let owner = &meta.owner_references.unwrap()[0];
    assert_eq!(
        (owner.controller, owner.block_owner_deletion),
        (Some(true), Some(true))
    );
    let labels = meta.labels.unwrap();
    assert_eq!(Some(&labels[OWNER]), stage.owner.metadata.uid.as_ref());
    assert_eq!(labels[MANAGED_BY], "test-controller");
}

#[tokio::test]
async fn drift_is_corrected_and_fields_of_others_are_left_alone() {
    let stage = Stage::new().await;
    let config = child("a", &[("x", "1"), ("y", "2")]);
    stage
        .children
        .apply(&stage.owner, config.clone())
        .await
        .unwrap();
    let edit = |data: serde_json::Value| {
        stage
            .server
            .edit::<ConfigMap>("default", "a", |map| map["data"] = data)
            .unwrap();
    };
    let caught_up = async |key: &str, value: Option<&str>| {
        let lister = stage
            .factory
            .informer::<ConfigMap>()
            .lister()
            .namespaced("default");
        for _ in 0..500 {
            let map = lister.get("a").unwrap();
            if map.data.as_ref().unwrap().get(key).map(String::as_str) == value {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("{key} is not {value:?} in the cache");
    };
    stage.writes();

    edit(json!({"x": "1", "y": "2", "z": "of another manager"}));
    caught_up("z", Some("of another manager")).await;
    let found = stage
        .children
        .apply(&stage.owner, config.clone())
        .await
        .unwrap();
    assert!(matches!(found, ChildState::Unchanged(_)), "{found:?}");
    assert_eq!(stage.writes(), [""; 0]);

    edit(json!({"x": "5", "z": "of another manager"}));
    caught_up("y", None).await;
    let found = stage.children.apply(&stage.owner, config).await.unwrap();
    assert!(matches!(found, ChildState::Corrected(_)), "{found:?}");
    let data = json!({"x": "1", "y": "2", "z": "of another manager"});
    assert_eq!(json!(stage.get("a").data), data);

    // A field that is no longer wanted is removed.
    let less = child("a", &[("x", "1")]);
    let found = stage.children.apply(&stage.owner, less).await.unwrap();
    assert!(found.is_written(), "{found:?}");
    let data = json!({"x": "1", "z": "of another manager"});
    assert_eq!(json!(stage.get("a").data), data);
    assert_eq!(stage.writes(), ["patch a 200", "patch a 200"]);
}

#[tokio::test]
async fn after_a_start_nothing_changes_in_the_cluster() {
    let stage = Stage::new().await;
    let config = child("a", &[("x", "1")]);
    stage
        .children
        .apply(&stage.owner, config.clone())
        .await
        .unwrap();
    let before = stage.get("a").metadata.resource_version;
    stage.writes();
    for (keep_managed_fields, expected) in [(false, vec!["patch a 200"]), (true, vec![])] {
        let (_factory, children) = cache(&stage.server, keep_managed_fields).await;
        for _ in 0..2 {
            let found = children.apply(&stage.owner, config.clone()).await.unwrap();
            assert!(matches!(found, ChildState::Unchanged(_)), "{found:?}");
        }
        assert_eq!(stage.writes(), expected);
    }
    assert_eq!(stage.get("a").metadata.resource_version, before);
}

#[tokio::test]
async fn pruning_deletes_the_other_children_of_this_owner_and_manager() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c"] {
        stage
            .children
            .apply(&stage.owner, child(name, &[]))
            .await
            .unwrap();
    }
    // One without our label, and one of another owner.
    let labels =
        |map: &mut serde_json::Value| map["metadata"]["labels"][MANAGED_BY] = json!("another");
    stage
        .server
        .edit::<ConfigMap>("default", "c", labels)
        .unwrap();
    let mut other = stage.owner.clone();
    other.metadata.name = Some("other".to_owned());
    other.metadata.uid = None;
    other.metadata.resource_version = None;
    let other = stage.owners.create(&other).await.unwrap();
    stage.children.apply(&other, child("d", &[])).await.unwrap();
    let (_factory, children) = cache(&stage.server, false).await;
    assert_eq!(children.prune(&stage.owner, ["a"]).await.unwrap(), ["b"]);
    assert_eq!(children.prune(&stage.owner, ["a"]).await.unwrap(), [""; 0]);
    let left: Vec<_> = stage
        .server
        .list::<ConfigMap>()
        .into_iter()
        .filter_map(|map| map.metadata.name)
        .collect();
    assert_eq!(left, ["a", "c", "d"]);
}

#[tokio::test]
async fn a_child_that_was_replaced_is_not_pruned() {
    let stage = Stage::new().await;
    stage
        .children
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    stage.server.stall_watches(&On::any());
    stage.server.delete::<ConfigMap>("default", "a").unwrap();
    stage.server.seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}})).unwrap();
    assert_eq!(
        stage.children.prune(&stage.owner, [""; 0]).await.unwrap(),
        [""; 0]
    );
    assert!(stage.server.get::<ConfigMap>("default", "a").is_some());
}

#[tokio::test]
async fn a_child_that_could_not_be_pruned_is_pruned_by_the_next_attempt() {
    let stage = Stage::new().await;
    stage
        .children
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    stage
        .server
        .fail_next(On::verb("delete"), Failure::status(409));
    assert_eq!(
        stage.children.prune(&stage.owner, [""; 0]).await.unwrap(),
        ["a"]
    );
    assert!(stage.server.get::<ConfigMap>("default", "a").is_none());
    // The reconcile fails while the child remains, so that it is repeated.
    stage
        .children
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    stage
        .server
        .fail_always(On::verb("delete"), Failure::status(409));
    let error = stage
        .children
        .prune(&stage.owner, [""; 0])
        .await
        .unwrap_err();
    assert!(matches!(error, ChildError::Api(_)), "{error:?}");
    assert!(stage.server.get::<ConfigMap>("default", "a").is_some());
}

#[tokio::test]
async fn a_child_that_was_replaced_by_another_child_is_pruned() {
    let stage = Stage::new().await;
    stage
        .children
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    stage.server.stall_watches(&On::any());
    stage.server.delete::<ConfigMap>("default", "a").unwrap();
    let (_factory, other_process) = cache(&stage.server, false).await;
    other_process
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    assert_eq!(
        stage.children.prune(&stage.owner, [""; 0]).await.unwrap(),
        ["a"]
    );
    assert!(stage.server.get::<ConfigMap>("default", "a").is_none());
}

#[tokio::test]
async fn a_cluster_scoped_owner_has_children_in_namespaces() {
    let stage = Stage::new().await;
    let roles = TypedClient::<ClusterRole>::cluster(stage.server.client());
    let mut owner = ClusterRole::default();
    owner.metadata.name = Some("owner".to_owned());
    let owner = roles.create(&owner).await.unwrap();
    stage.children.apply(&owner, child("a", &[])).await.unwrap();
    assert_eq!(
        stage.get("a").metadata.owner_references.unwrap()[0].kind,
        "ClusterRole"
    );
    assert_eq!(
        stage.children.prune(&owner, [""; 0]).await.unwrap(),
        ["default/a"]
    );
}

#[tokio::test]
async fn a_child_is_not_created_for_a_deleted_owner() {
    let stage = Stage::new().await;
    stage
        .children
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    stage.server.stall_watches(&On::any());
    stage
        .owners
        .delete("owner", &DeleteParams::default())
        .await
        .unwrap();
    assert!(
        stage.server.get::<ConfigMap>("default", "a").is_none(),
        "garbage-collected"
    );
    stage.writes();
    // The cache has the child still, and an apply would create it again.
    for config in [child("a", &[("x", "changed")]), child("b", &[])] {
        let found = stage.children.apply(&stage.owner, config).await.unwrap();
        assert!(matches!(found, ChildState::Waiting), "{found:?}");
    }
    assert_eq!(stage.writes(), ["patch a 409"]);
    assert!(stage.server.list::<ConfigMap>().is_empty());
}
