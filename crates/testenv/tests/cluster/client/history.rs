//! Paged lists and watches after a compaction.

use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, WatchEvent, WatchParams};
use kube_codegen_runtime::client::{ErrorExt as _, TypedClient};
use kube_codegen_testenv::{ControlPlane, Error, TestResult, eventually};
use serde_json::json;

use super::without_the_published_authority;
use crate::cluster::support::{WITHIN, config_map, n, name};

#[tokio::test]
async fn pages_survive_an_expired_token() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, "default");
    for i in 0..7 {
        maps.create(&config_map(&format!("m{i}"), i)).await?;
    }
    let params = without_the_published_authority();
    let whole: Vec<_> = maps.pages(&params, 3).try_collect().await?;
    assert!(whole.len() >= 3, "{}", whole.len());

    let mut pages = Box::pin(maps.pages(&params, 3));
    let mut seen: Vec<_> = pages
        .try_next()
        .await?
        .unwrap()
        .items
        .iter()
        .map(name)
        .collect();
    assert!(!seen.is_empty() && seen.len() <= 3, "{seen:?}");
    maps.delete("m6", &DeleteParams::default()).await?;
    maps.create(&config_map("m7", 7)).await?;
    plane.compact().await?;
    plane.api_server()?.restart().await?;
    while let Some(page) = pages.try_next().await? {
        seen.extend(page.items.iter().map(name));
    }
    seen.sort();
    assert_eq!(seen, ["m0", "m1", "m2", "m3", "m4", "m5", "m7"]);
    Ok(())
}

#[tokio::test]
async fn a_watch_reports_changes_and_a_compacted_start() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, "default");
    let version = maps
        .create(&config_map("a", 1))
        .await?
        .metadata
        .resource_version
        .unwrap();
    let params = WatchParams::default()
        .fields("metadata.name=a")
        .disable_bookmarks();
    let watch = async |version: &str| -> Result<_, Error> {
        Ok(Box::pin(maps.watch(&params, version).await?))
    };

    let mut events = watch(&version).await?;
    maps.patch("a", &Patch::Merge(json!({ "data": { "n": "2" } })))
        .await?;
    maps.delete("a", &DeleteParams::default()).await?;
    assert!(matches!(events.try_next().await?, Some(WatchEvent::Modified(map)) if n(&map) == "2"));
    assert!(matches!(events.try_next().await?, Some(WatchEvent::Deleted(map)) if n(&map) == "2"));
    drop(events);

    plane.compact().await?;
    plane.api_server()?.restart().await?;
    // Until its cache is filled, the server forwards the watch to etcd or asks the client to retry.
    eventually("410", WITHIN, async || match watch(&version).await {
        Err(Error::Kube(error)) if error.is_gone() => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(mut events) => match events.next().await {
            Some(Ok(WatchEvent::Error(status))) if status.code == 410 => Ok(()),
            other => Err(format!("{other:?}")),
        },
    })
    .await?;
    Ok(())
}
