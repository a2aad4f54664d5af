//! Objects that cannot be children, or cannot be yet.
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube_codegen_runtime::{
    children::{ChildError, ChildState, Children},
    informer::InformerFactory,
    record::apply::Apply,
};
use kube_codegen_testing::{Action, On};
use serde_json::json;

use crate::children::stage::{MANAGER, Stage, cache, child};

/// Seeds an object. Its owners do not exist, and the garbage collector would delete it.
fn seed(stage: &Stage, name: &str, owners: &serde_json::Value) {
    stage.server.set_collection(false);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default", "ownerReferences": owners}, "data": {"k": "v"}});
    stage.server.seed(&map).unwrap();
}

#[tokio::test]
async fn a_foreign_object_is_not_changed() {
    let stage = Stage::new().await;
    let owner = json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u", "controller": true}]);
    seed(&stage, "a", &json!([]));
    seed(&stage, "b", &owner);
    let before = (stage.get("a"), stage.get("b"));
    // First by the server, as the cache is late; then by the cache.
    stage.server.stall_watches(&On::any());
    let (_factory, fresh) = cache(&stage.server, false).await;
    for children in [&stage.children, &fresh] {
        let messages = ["", ", but by Deployment web"];
        for (name, by) in ["a", "b"].into_iter().zip(messages) {
            let error = children
                .apply(&stage.owner, child(name, &[("x", "1")]))
                .await
                .unwrap_err();
            assert!(matches!(error, ChildError::Foreign { .. }), "{error:?}");
            let expected = format!(
                "ConfigMap {name:?} already exists and is not controlled by this object{by}"
            );
            assert_eq!(error.to_string(), expected);
        }
    }
    assert_eq!((stage.get("a"), stage.get("b")), before);
}

#[tokio::test]
async fn a_child_of_a_former_owner_is_awaited() {
    let stage = Stage::new().await;
    let former = json!([{"apiVersion": "v1", "kind": "ServiceAccount", "name": "owner", "uid": "gone", "controller": true}]);
    seed(&stage, "a", &former);
    let before = stage.get("a");
    let found = stage
        .children
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    assert!(matches!(found, ChildState::Waiting), "{found:?}");
    assert_eq!(stage.get("a"), before);
}

#[tokio::test]
async fn a_child_that_is_being_deleted_is_awaited() {
    let stage = Stage::new().await;
    stage
        .children
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    stage
        .server
        .edit::<ConfigMap>("default", "a", |map| {
            map["metadata"]["finalizers"] = json!(["example.com/hold"]);
        })
        .unwrap();
    stage.server.delete::<ConfigMap>("default", "a").unwrap();
    let (_factory, children) = cache(&stage.server, false).await;
    stage.writes();
    let found = children
        .apply(&stage.owner, child("a", &[("x", "1")]))
        .await
        .unwrap();
    assert!(matches!(found, ChildState::Waiting), "{found:?}");
    assert_eq!(stage.writes(), [""; 0]);
}

#[tokio::test]
async fn owner_and_child_must_be_in_one_namespace() {
    let stage = Stage::new().await;
    let elsewhere = Apply::<ConfigMap>::namespaced("a", "elsewhere");
    let error = stage
        .children
        .apply(&stage.owner, elsewhere)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"ConfigMap "a" cannot be a child: it is in namespace "elsewhere", the owner in namespace "default""#
    );
    let factory = InformerFactory::new(stage.server.client());
    let namespaces = Children::new(
        stage.server.client(),
        &factory.informer::<Namespace>(),
        MANAGER,
    );
    let error = namespaces
        .apply(&stage.owner, Apply::<Namespace>::cluster("a"))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"Namespace "a" cannot be a child: it is in no namespace, the owner in namespace "default""#
    );
    let mut unstored = stage.owner.clone();
    unstored.metadata.uid = None;
    let error = stage
        .children
        .apply(&unstored, child("a", &[]))
        .await
        .unwrap_err();
    assert!(matches!(error, ChildError::NoOwner), "{error:?}");
}

#[tokio::test]
async fn an_object_that_appears_before_the_creation_is_rejected() {
    let stage = Stage::new().await;
    stage.server.stall_watches(&On::any());
    // Deleted and created again by another client: the cache has the former one.
    stage
        .children
        .apply(&stage.owner, child("a", &[]))
        .await
        .unwrap();
    stage.server.delete::<ConfigMap>("default", "a").unwrap();
    seed(&stage, "a", &json!([]));
    let before = stage.get("a");
    let error = stage
        .children
        .apply(&stage.owner, child("a", &[("x", "1")]))
        .await
        .unwrap_err();
    assert!(matches!(error, ChildError::Foreign { .. }), "{error:?}");
    assert_eq!(stage.get("a"), before);
}

#[tokio::test]
async fn an_object_that_appears_between_look_up_and_creation_is_rejected() {
    let stage = Stage::new().await;
    let server = stage.server.clone();
    let seeded = AtomicBool::new(false);
    // No field of the foreign object conflicts with the child's.
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}, "data": {"k": "v"}});
    stage.server.intercept(move |request| {
        if request.verb == "patch" && !seeded.swap(true, Ordering::SeqCst) {
            server.seed(&map).unwrap();
        }
        Action::Pass
    });
    let error = stage
        .children
        .apply(&stage.owner, child("a", &[("x", "1")]))
        .await
        .unwrap_err();
    assert!(matches!(error, ChildError::Foreign { .. }), "{error:?}");
    let found = stage.get("a");
    assert_eq!(found.metadata.owner_references, None);
    assert_eq!(found.metadata.labels, None);
    assert_eq!(found.data.unwrap().keys().collect::<Vec<_>>(), ["k"]);
}
