//! Informers of metadata alone: protobuf on the wire, with the same result as JSON.

use futures::future::try_join_all;
use http::{HeaderMap, header};
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube::{
    Client, Resource,
    api::{DeleteParams, Patch},
    core::PartialObjectMeta,
};
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{InformerConfig, InitialList, SharedInformer},
};
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use serde_json::json;

use super::received::{Received, refused};
use crate::cluster::support::{WITHIN, config_map};

type Metadata = SharedInformer<PartialObjectMeta<ConfigMap>>;

/// Leaves JSON as the only form that a request asks for.
fn ask_for_json(headers: &mut HeaderMap) {
    let accept = headers[header::ACCEPT].to_str().unwrap();
    let (_, json) = accept.split_once(',').unwrap();
    let json = json.parse().unwrap();
    headers.insert(header::ACCEPT, json);
}

fn informer(client: Client, namespace: &str, initial_list: InitialList) -> Metadata {
    let config = InformerConfig {
        namespaces: namespace.into(),
        initial_list,
        ..InformerConfig::default()
    };
    let informer = Metadata::new(client, config);
    informer.start();
    informer
}

/// Returns the cached metadata without managed fields, sorted by name.
fn cached(informer: &Metadata) -> Vec<ObjectMeta> {
    let all = informer.lister().all();
    let mut all: Vec<_> = all.iter().map(|object| object.metadata.clone()).collect();
    for meta in &mut all {
        meta.managed_fields = None;
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

#[tokio::test]
async fn protobuf_gives_the_metadata_that_json_gives() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    for list in [
        InitialList::Streaming,
        InitialList::WatchCache,
        InitialList::Paged(30),
    ] {
        let ns = plane.namespace("metadata").await?;
        let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
        let owner = maps.create(&config_map("owner", 0)).await?;
        let create = (0..100).map(|n| {
            let mut map = config_map(&format!("map-{n}"), n);
            map.metadata.annotations = Some([("note".to_owned(), "ä".to_owned())].into());
            map.metadata.finalizers = Some(vec!["example.com/wait".to_owned()]);
            map.metadata.owner_references = owner.owner_ref(&()).map(|owner| vec![owner]);
            let maps = maps.clone();
            async move { maps.create(&map).await }
        });
        try_join_all(create).await?;

        let (protobuf, json) = (Received::default(), Received::default());
        let ours = informer(protobuf.client(plane.client()?, |_| {}), ns.name(), list);
        let theirs = informer(json.client(plane.client()?, ask_for_json), ns.name(), list);
        ours.wait_synced().await?;
        theirs.wait_synced().await?;
        let has_only = |received: &Received, form: &str| {
            let forms = received.forms();
            !forms.is_empty() && forms.iter().all(|one| one == form)
        };
        assert!(has_only(
            &protobuf,
            "application/vnd.kubernetes.protobuf plain"
        ));
        assert!(has_only(&json, "application/json plain"));
        let cached_ours = cached(&ours);
        assert!(cached_ours.len() > 100);
        assert_eq!(cached_ours, cached(&theirs), "{list:?}");
        let (ours_bytes, theirs_bytes) = (protobuf.bytes(), json.bytes());
        println!("{list:?}: {ours_bytes} bytes in protobuf, {theirs_bytes} in JSON");
        assert!(ours_bytes < theirs_bytes, "{list:?}");

        maps.patch(
            "map-1",
            &Patch::Merge(json!({"metadata": {"labels": {"new": "yes"}}})),
        )
        .await?;
        maps.delete("map-2", &DeleteParams::default()).await?;
        let remove = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        maps.patch("map-3", &remove).await?;
        maps.delete("map-3", &DeleteParams::default()).await?;
        eventually("the changes", WITHIN, async || {
            let ours = cached(&ours);
            let is_complete = ours.len() + 1 == cached_ours.len()
                && ours.iter().any(|meta| meta.deletion_timestamp.is_some())
                && ours == cached(&theirs);
            if is_complete {
                Ok(())
            } else {
                Err(format!("{} objects", ours.len()))
            }
        })
        .await?;
        for n in 0..100 {
            let _ = maps.patch(&format!("map-{n}"), &remove).await;
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_error_in_protobuf_is_read() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let config = InformerConfig::default();
    refused::<PartialObjectMeta<ConfigMap>>(plane.client()?, config).await?;
    Ok(())
}
