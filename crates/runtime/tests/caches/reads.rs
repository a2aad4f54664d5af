//! Reads through listers and indexes.
use crate::caches::script::{informer, map, map_with};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube_codegen_runtime::{
    informer::{IndexError, InformerConfig, NAMESPACE_INDEX, SharedInformer},
    lister::parse_selector,
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

fn names(objects: &[Arc<ConfigMap>]) -> Vec<String> {
    let mut names: Vec<_> = objects
        .iter()
        .filter_map(|object| object.metadata.name.clone())
        .collect();
    names.sort();
    names
}

#[tokio::test(start_paused = true)]
async fn lists_by_namespace_and_selector() {
    let (informer, mut server) = informer();
    let mut elsewhere = map("a", "3");
    elsewhere["metadata"]["namespace"] = json!("other");
    let watch = server
        .stream(&[map("a", "1"), map("b", "2"), elsewhere], "3")
        .await;
    informer.wait_synced().await.unwrap();
    let lister = informer.lister();
    let selector = parse_selector("app in (a, x)").unwrap();
    assert_eq!(names(&lister.all()), ["a", "a", "b"]);
    assert_eq!(names(&lister.list(&selector)), ["a", "a"]);
    assert_eq!(names(&lister.namespaced("ns").list(&selector)), ["a"]);
    assert_eq!(names(&lister.namespaced("ns").all()), ["a", "b"]);
    assert_eq!(
        names(&lister.namespaced("none").all()),
        Vec::<String>::new()
    );
    assert_eq!(
        names(&lister.by_index(NAMESPACE_INDEX, "other").unwrap()),
        ["a"]
    );
    let mut namespaces = informer.index_values(NAMESPACE_INDEX).unwrap();
    namespaces.sort();
    assert_eq!(namespaces, ["ns", "other"]);
    let got = lister.namespaced("ns").get("b").unwrap();
    assert!(
        Arc::ptr_eq(&got, &lister.namespaced("ns").get("b").unwrap()),
        "objects are shared, not copied"
    );
    watch.send("DELETED", &{
        let mut gone = map("a", "4");
        gone["metadata"]["namespace"] = json!("other");
        gone
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        informer.index_values(NAMESPACE_INDEX).unwrap(),
        ["ns"],
        "a namespace without objects is not listed"
    );
}

#[tokio::test(start_paused = true)]
async fn not_found_has_the_servers_message() {
    let (informer, _server) = informer();
    let error = informer.lister().namespaced("ns").get("x").unwrap_err();
    assert_eq!(error.to_string(), "configmaps \"x\" not found");
    assert!(
        matches!(kube::Error::from(error), kube::Error::Api(status) if status.is_not_found() && status.code == 404)
    );
    let (client, _server) = crate::caches::script::server();
    let deployments = SharedInformer::<k8s_openapi::api::apps::v1::Deployment>::new(
        client,
        InformerConfig::default(),
    );
    assert_eq!(
        deployments
            .lister()
            .namespaced("ns")
            .get("x")
            .unwrap_err()
            .to_string(),
        "deployments.apps \"x\" not found"
    );
}

#[tokio::test(start_paused = true)]
async fn cluster_scoped_objects_are_read_without_a_namespace() {
    let (client, mut server) = crate::caches::script::server();
    let nodes = SharedInformer::<Node>::new(client, InformerConfig::default());
    nodes.start();
    let _watch = server
        .stream(
            &[json!({ "metadata": { "name": "n1", "resourceVersion": "1" } })],
            "1",
        )
        .await;
    nodes.wait_synced().await.unwrap();
    assert_eq!(
        nodes.lister().get("n1").unwrap().metadata.name.as_deref(),
        Some("n1")
    );
    assert!(nodes.lister().get("n2").is_err());
}

#[tokio::test(start_paused = true)]
async fn indexes_follow_every_change_and_can_be_added_late() {
    let (informer, mut server) = informer();
    let values = |object: &ConfigMap| {
        object
            .data
            .iter()
            .flatten()
            .map(|(_, value)| value.clone())
            .collect::<Vec<_>>()
    };
    let watch = server
        .stream(
            &[
                map_with("a", "1", "u", "x"),
                map_with("b", "2", "u", "x"),
                map_with("c", "3", "u", "y"),
            ],
            "3",
        )
        .await;
    informer.wait_synced().await.unwrap();
    informer.add_index("value", values).unwrap();
    assert_eq!(
        informer.add_index("value", values),
        Err(IndexError::Exists("value".into()))
    );
    assert_eq!(
        informer.add_index(NAMESPACE_INDEX, values),
        Err(IndexError::Exists(NAMESPACE_INDEX.into()))
    );
    assert_eq!(
        informer.by_index("other", "x").unwrap_err(),
        IndexError::Unknown("other".into())
    );
    let found = |value: &str| names(&informer.by_index("value", value).unwrap());
    assert_eq!(
        (found("x"), found("y")),
        (vec!["a".into(), "b".into()], vec!["c".to_owned()])
    );
    watch.send("MODIFIED", &map_with("a", "4", "u", "y"));
    watch.send("DELETED", &map_with("b", "5", "u", "x"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        (found("x"), found("y")),
        (vec![], vec!["a".into(), "c".to_owned()])
    );
    assert_eq!(informer.index_values("value").unwrap(), ["y"]);
    watch.send("ERROR", &crate::caches::script::status(410, "Expired"));
    let _watch = server.stream(&[map_with("c", "6", "u", "x")], "9").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        (found("x"), found("y")),
        (vec!["c".to_owned()], vec![]),
        "a relist replaces the indexes, too"
    );
}
