//! Deletion: finalizers, preconditions, collections, garbage collection.
use std::sync::{Arc, Mutex};

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{
    Api,
    api::{
        DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions, WatchEvent,
        WatchParams,
    },
    runtime::{
        controller::Action,
        finalizer::{Event, finalizer},
    },
};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::{crdkind, crdkinds, create, map, maps, object, rejected, server};

#[tokio::test]
async fn an_object_is_removed_with_its_last_finalizer() {
    let server = server(&crdkind());
    let kinds = crdkinds(&server);
    let mut held = object("a", &json!({}));
    held.metadata.finalizers = Some(vec!["x.io/one".to_owned()]);
    kinds.create(&PostParams::default(), &held).await.unwrap();
    let answer = kinds.delete("a", &DeleteParams::default()).await.unwrap();
    let marked = answer.left().expect("the object, as it is not gone");
    assert!(marked.metadata.deletion_timestamp.is_some());
    assert_eq!(marked.metadata.generation, Some(2));

    let more = Patch::Merge(json!({"metadata": {"finalizers": ["x.io/one", "x.io/two"]}}));
    let status = rejected(kinds.patch("a", &PatchParams::default(), &more).await);
    assert!(
        status
            .message
            .contains("no new finalizers can be added if the object is being deleted"),
        "{}",
        status.message
    );
    kinds
        .patch(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({"metadata": {"finalizers": null}})),
        )
        .await
        .unwrap();
    assert_eq!(rejected(kinds.get("a").await).code, 404);
}

#[tokio::test]
async fn preconditions_are_checked() {
    let server = ApiServer::new();
    let maps = maps(&server);
    let old = create(&maps, "a").await;
    let only = |uid: Option<String>, resource_version: Option<String>| {
        DeleteParams::default().preconditions(Preconditions {
            uid,
            resource_version,
        })
    };
    assert_eq!(
        rejected(maps.delete("a", &only(Some("other".into()), None)).await).code,
        409
    );
    assert_eq!(
        rejected(maps.delete("a", &only(None, Some("1".into()))).await).code,
        409
    );
    let gone = maps
        .delete(
            "a",
            &only(
                old.metadata.uid.clone(),
                old.metadata.resource_version.clone(),
            ),
        )
        .await
        .unwrap();
    assert_eq!(
        gone.right().unwrap().details.unwrap().uid,
        old.metadata.uid.unwrap()
    );
}

#[tokio::test]
async fn a_collection_is_deleted_by_selector() {
    let server = ApiServer::new();
    let maps = maps(&server);
    for name in ["a", "b"] {
        let mut map = map(name);
        map.metadata.labels = Some([("name".to_owned(), name.to_owned())].into());
        maps.create(&PostParams::default(), &map).await.unwrap();
    }
    maps.delete_collection(
        &DeleteParams::default(),
        &ListParams::default().labels("name=a"),
    )
    .await
    .unwrap();
    let left = maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(left.items.len(), 1);
}

/// Creates an owner `o` and a dependent `ConfigMap` `d`.
async fn owned(server: &ApiServer, more: serde_json::Value) {
    let owner = crdkinds(server)
        .create(&PostParams::default(), &object("o", &json!({})))
        .await
        .unwrap();
    let mut reference = json!({"apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", "name": "o", "uid": owner.metadata.uid, "controller": true});
    reference["blockOwnerDeletion"] = json!(true);
    let mut map = json!({"metadata": {"name": "d", "ownerReferences": [reference]}});
    map["metadata"]
        .as_object_mut()
        .unwrap()
        .append(&mut more.as_object().unwrap().clone());
    maps(server)
        .create(
            &PostParams::default(),
            &serde_json::from_value::<ConfigMap>(map).unwrap(),
        )
        .await
        .unwrap();
}

#[tokio::test]
async fn dependents_are_collected_or_orphaned() {
    let server = server(&crdkind());
    owned(&server, json!({})).await;
    crdkinds(&server)
        .delete("o", &DeleteParams::default())
        .await
        .unwrap();
    assert!(server.get::<ConfigMap>("default", "d").is_none());

    owned(&server, json!({})).await;
    crdkinds(&server)
        .delete("o", &DeleteParams::orphan())
        .await
        .unwrap();
    assert_eq!(
        server
            .get::<ConfigMap>("default", "d")
            .unwrap()
            .metadata
            .owner_references
            .unwrap_or_default(),
        []
    );
}

#[tokio::test]
async fn foreground_deletion_waits_for_the_dependents() {
    let server = server(&crdkind());
    owned(&server, json!({"finalizers": ["x.io/hold"]})).await;
    crdkinds(&server)
        .delete("o", &DeleteParams::foreground())
        .await
        .unwrap();
    assert!(server.is_terminating::<ConfigMap>("default", "d"));
    assert!(
        crdkinds(&server)
            .get("o")
            .await
            .unwrap()
            .metadata
            .deletion_timestamp
            .is_some()
    );
    maps(&server)
        .patch(
            "d",
            &PatchParams::default(),
            &Patch::Merge(json!({"metadata": {"finalizers": null}})),
        )
        .await
        .unwrap();
    assert_eq!(rejected(crdkinds(&server).get("o").await).code, 404);
}

#[tokio::test]
async fn owners_that_do_not_exist_count_for_nothing() {
    let server = server(&crdkind());
    let maps = maps(&server);
    let reference = |name: &str, uid: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid});
    let created = async |name: &str, owners: Value| {
        let map = json!({"metadata": {"name": name, "ownerReferences": owners}});
        let map: ConfigMap = serde_json::from_value(map).unwrap();
        maps.create(&PostParams::default(), &map).await.unwrap()
    };
    let owner = created("owner", json!([])).await.metadata.uid.unwrap();
    let (gone, there) = (reference("o", "dead"), reference("owner", &owner));
    let owners = |name: &str| {
        let found = server.get::<ConfigMap>("default", name)?;
        Some(found.metadata.owner_references.unwrap_or_default().len())
    };

    created("new", json!([gone])).await;
    assert_eq!(owners("new"), None);
    created("both", json!([gone, there, reference("p", "lost")])).await;
    assert_eq!(owners("both"), Some(1));
    created("changed", json!([])).await;
    let patch = Patch::Merge(json!({"metadata": {"ownerReferences": [gone]}}));
    maps.patch("changed", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(owners("changed"), None);
}

#[tokio::test]
async fn kubes_finalizer_helper_applies_and_cleans_up() {
    let server = ApiServer::new();
    let maps = maps(&server);
    create(&maps, "a").await;
    let seen = Mutex::new(Vec::new());
    let step = async || {
        let object: Arc<ConfigMap> = Arc::new(maps.get("a").await.unwrap());
        finalizer(&maps, "x.io/clean", object, |event| {
            seen.lock().unwrap().push(match event {
                Event::Apply(_) => "apply",
                Event::Cleanup(_) => "cleanup",
            });
            std::future::ready(Ok::<_, std::io::Error>(Action::await_change()))
        })
        .await
        .unwrap();
    };
    step().await;
    step().await;
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(server.is_terminating::<ConfigMap>("default", "a"));
    step().await;
    assert_eq!(*seen.lock().unwrap(), ["apply", "cleanup"]);
    assert!(server.get::<ConfigMap>("default", "a").is_none());
}

#[tokio::test]
async fn as_with_envtest_nothing_is_collected() {
    let server = ApiServer::builder().envtest().build();
    let maps = maps(&server);
    let owner = create(&maps, "owner").await;
    let mut child = map("child");
    child.metadata.owner_references = Some(vec![
        serde_json::from_value(json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.metadata.uid, "blockOwnerDeletion": true,
        }))
        .unwrap(),
    ]);
    maps.create(&PostParams::default(), &child).await.unwrap();

    maps.delete("owner", &DeleteParams::foreground())
        .await
        .unwrap();
    let waiting = maps.get("owner").await.unwrap();
    let finalizers = waiting.metadata.finalizers.unwrap();
    assert_eq!(finalizers, ["foregroundDeletion"]);
    let none = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    maps.patch("owner", &PatchParams::default(), &none)
        .await
        .unwrap();
    assert_eq!(rejected(maps.get("owner").await).code, 404);
    let left = maps.get("child").await.unwrap();
    assert!(left.metadata.deletion_timestamp.is_none());
    maps.delete("child", &DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(rejected(maps.get("child").await).code, 404);
}

#[tokio::test]
async fn an_owner_that_cannot_be_looked_up_may_exist() {
    let server = ApiServer::new();
    let owner = |api_version: &str, name: &str, uid: &str| json!({"ownerReferences": [{"apiVersion": api_version, "kind": "ConfigMap", "name": name, "uid": uid}]});
    server
        .seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner", "namespace": "a", "uid": "1"}}))
        .unwrap();
    let child = |kind: &str, api_version: &str, name: &str, mut metadata: serde_json::Value| {
        metadata["name"] = name.into();
        server
            .seed(&json!({"apiVersion": api_version, "kind": kind, "metadata": metadata}))
            .unwrap();
    };
    let rbac = "rbac.authorization.k8s.io/v1";
    child(
        "ClusterRole",
        rbac,
        "cluster-scoped",
        owner("v1", "owner", "1"),
    );
    child("ConfigMap", "v1", "unserved", owner("v9", "gone", "9"));
    child("ConfigMap", "v1", "gone", owner("v1", "gone", "9"));
    let names = server.filter_map(|object| object["metadata"]["name"].as_str().map(str::to_owned));
    assert!(names.contains(&"cluster-scoped".to_owned()), "{names:?}");
    assert!(names.contains(&"unserved".to_owned()), "{names:?}");
    assert!(!names.contains(&"gone".to_owned()), "{names:?}");
    let reasons = server.filter_map(|object| {
        let is_about = object["involvedObject"]["name"] == "cluster-scoped"
            || object["regarding"]["name"] == "cluster-scoped";
        is_about.then(|| object["reason"].clone())
    });
    assert_eq!(reasons, ["OwnerRefInvalidNamespace"]);
}

#[tokio::test]
async fn a_pod_is_marked_before_it_is_removed() {
    let server = ApiServer::new();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let pod =
        json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "a"}]}});
    pods.create(
        &PostParams::default(),
        &serde_json::from_value(pod).unwrap(),
    )
    .await
    .unwrap();
    let mut watch = Box::pin(pods.watch(&WatchParams::default(), "0").await.unwrap());
    pods.delete("a", &DeleteParams::default()).await.unwrap();
    let mut events = Vec::new();
    for _ in 0..3 {
        events.push(match watch.next().await.unwrap().unwrap() {
            WatchEvent::Added(pod) => ("added", pod.metadata.deletion_grace_period_seconds),
            WatchEvent::Modified(pod) => ("modified", pod.metadata.deletion_grace_period_seconds),
            WatchEvent::Deleted(pod) => ("deleted", pod.metadata.deletion_grace_period_seconds),
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(
        events,
        [("added", None), ("modified", Some(0)), ("deleted", Some(0))]
    );
}
