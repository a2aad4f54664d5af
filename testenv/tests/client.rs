//! The runtime's typed client, verb by verb, against a real API server.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::{ConfigMap, ReplicationController, ResourceQuota, Secret};
use kube::api::{DeleteParams, ListParams, Patch, WatchEvent, WatchParams};
use kube_codegen_runtime::client::{
    AllNamespaces, ErrorExt as _, FieldManager, Kind, TypedClient,
    retry::{DEFAULT_RETRY, on_conflict},
};
use kube_codegen_testenv::{ControlPlane, Error, Fault, Rule, eventually};
use serde_json::json;
use support::{WITHIN, config_map, n, name};

/// An object from JSON.
fn object<K: Kind>(json: serde_json::Value) -> K {
    serde_json::from_value(json).unwrap()
}

fn without_the_published_authority() -> ListParams {
    ListParams::default().fields("metadata.name!=kube-root-ca.crt")
}

#[tokio::test]
async fn objects_are_created_read_changed_and_deleted() -> Result<(), Error> {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("verbs").await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());

    let made = maps.create(&config_map("a", 1)).await?;
    assert!(made.metadata.uid.is_some());
    assert!(
        maps.create(&config_map("a", 1))
            .await
            .unwrap_err()
            .is_already_exists()
    );
    assert_eq!(maps.get("a").await?, made);
    assert_eq!(maps.get_opt("b").await?, None);
    assert!(maps.get("b").await.unwrap_err().is_not_found());

    let mut changed = made.clone();
    changed
        .data
        .as_mut()
        .unwrap()
        .insert("n".to_owned(), "2".to_owned());
    assert_eq!(n(&maps.update(&changed).await?), "2");
    assert!(maps.update(&changed).await.unwrap_err().is_conflict());

    maps.patch("a", &Patch::Merge(json!({ "data": { "n": "3" } })))
        .await?;
    let merged = maps
        .patch(
            "a",
            &Patch::Strategic(json!({ "metadata": { "labels": { "x": "y" } } })),
        )
        .await?;
    assert_eq!(
        (n(&merged), merged.metadata.labels.as_ref().unwrap().len()),
        ("3", 2)
    );

    let wrong = config_map("No Name", 1);
    let refused = maps.create(&wrong).await.unwrap_err();
    assert!(
        refused.is_invalid() && refused.field_errors()[0].field == "metadata.name",
        "{refused}"
    );

    assert!(maps.delete("a", &DeleteParams::default()).await?.is_right());
    assert!(
        maps.delete("a", &DeleteParams::default())
            .await
            .unwrap_err()
            .is_not_found()
    );

    let mut held = config_map("held", 1);
    held.metadata.finalizers = Some(vec!["example.com/hold".to_owned()]);
    maps.create(&held).await?;
    let waiting = maps
        .delete("held", &DeleteParams::default())
        .await?
        .left()
        .unwrap();
    assert!(waiting.metadata.deletion_timestamp.is_some());
    maps.patch(
        "held",
        &Patch::Merge(json!({ "metadata": { "finalizers": null } })),
    )
    .await?;
    assert_eq!(maps.get_opt("held").await?, None);
    Ok(())
}

#[tokio::test]
async fn lists_and_collections_heed_selectors() -> Result<(), Error> {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("selectors").await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
    for i in 0..5 {
        maps.create(&config_map(&format!("m{i}"), i)).await?;
    }
    let names = async |params: ListParams| -> Result<Vec<String>, Error> {
        Ok(maps.list(&params).await?.items.iter().map(name).collect())
    };
    assert_eq!(
        names(ListParams::default().labels("parity=even")).await?,
        ["m0", "m2", "m4"]
    );
    assert_eq!(
        names(ListParams::default().labels("parity in (odd)")).await?,
        ["m1", "m3"]
    );
    assert_eq!(
        names(ListParams::default().fields("metadata.name=m3")).await?,
        ["m3"]
    );

    let everywhere: AllNamespaces<ConfigMap> = AllNamespaces::new(plane.client()?);
    let found = everywhere
        .list(&ListParams::default().fields(&format!("metadata.namespace={ns},metadata.name=m1")))
        .await?;
    assert_eq!(found.items.iter().map(name).collect::<Vec<_>>(), ["m1"]);

    let secrets: TypedClient<Secret> = TypedClient::namespaced(plane.client()?, ns.name());
    for kind in ["Opaque", "example.com/other"] {
        secrets
            .create(&object(
                json!({ "metadata": { "generateName": "s-" }, "type": kind }),
            ))
            .await?;
    }
    assert_eq!(
        secrets
            .list(&ListParams::default().fields("type=example.com/other"))
            .await?
            .items
            .len(),
        1
    );

    maps.delete_collection(
        &DeleteParams::default(),
        &ListParams::default().labels("parity=even"),
    )
    .await?;
    assert_eq!(
        names(without_the_published_authority()).await?,
        ["m1", "m3"]
    );
    Ok(())
}

#[tokio::test]
async fn a_dry_run_stores_nothing() -> Result<(), Error> {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("dry-run").await?;
    let real: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
    let dry = real.clone().dry_run();
    let made = real.create(&config_map("a", 1)).await?;
    let before = real.list(&ListParams::default()).await?.items;

    dry.create(&config_map("b", 1)).await?;
    let mut changed = made;
    changed.data = None;
    assert_eq!(dry.update(&changed).await?.data, None);
    assert_eq!(
        n(&dry
            .patch("a", &Patch::Merge(json!({ "data": { "n": "2" } })))
            .await?),
        "2"
    );
    assert_eq!(n(&dry.apply(&config_map("c", 3), "test").await?), "3");
    dry.delete("a", &DeleteParams::default()).await?;
    dry.delete_collection(&DeleteParams::default(), &ListParams::default())
        .await?;
    assert_eq!(real.list(&ListParams::default()).await?.items, before);
    Ok(())
}

#[tokio::test]
async fn applied_fields_have_owners() -> Result<(), Error> {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("apply").await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
    let of = |data: serde_json::Value| json!({ "metadata": { "name": "a" }, "data": data });
    maps.apply(&of(json!({ "x": "1", "y": "1" })), "first")
        .await?;
    maps.apply(&of(json!({ "z": "2" })), "second").await?;
    let refused = maps
        .apply(&of(json!({ "x": "2" })), "second")
        .await
        .unwrap_err();
    assert!(
        refused.is_conflict() && refused.field_errors()[0].field == ".data.x",
        "{refused}"
    );
    maps.apply(
        &of(json!({ "x": "2" })),
        FieldManager::new("second").force(),
    )
    .await?;
    // `z` was the second's alone and is no longer applied; `y` is the first's.
    let data = serde_json::to_value(maps.get("a").await?.data).unwrap();
    assert_eq!(data, json!({ "x": "2", "y": "1" }));
    // What was read can be applied as it is.
    maps.apply(&maps.get("a").await?, FieldManager::new("third").force())
        .await?;
    Ok(())
}

#[tokio::test]
async fn conflicts_are_tried_again() -> Result<(), Error> {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("conflict").await?;
    let proxy = plane.proxy().await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(proxy.client()?, ns.name());
    maps.create(&config_map("a", 0)).await?;
    let set = |n: usize| {
        move |map: &mut ConfigMap| {
            map.data
                .get_or_insert_default()
                .insert("n".to_owned(), n.to_string());
        }
    };

    let mut attempts = 0;
    on_conflict(DEFAULT_RETRY, async || {
        let mut map = maps.get("a").await?;
        attempts += 1;
        if attempts < 3 {
            maps.retry_on_conflict("a", set(attempts)).await?;
        }
        set(100)(&mut map);
        maps.update(&map).await
    })
    .await?;
    assert_eq!((attempts, n(&maps.get("a").await?)), (3, "100"));
    // Any other failure is not tried again.
    let rule = proxy.add(Rule::new(Fault::InternalError).method("PUT"));
    assert_eq!(
        maps.retry_on_conflict("a", set(5))
            .await
            .unwrap_err()
            .status()
            .unwrap()
            .code,
        500
    );
    assert_eq!(rule.hits(), 1);
    Ok(())
}

#[tokio::test]
async fn the_status_is_written_apart() -> Result<(), Error> {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("status").await?;
    // A kind with a status that no controller here writes.
    let quotas: TypedClient<ResourceQuota> = TypedClient::namespaced(plane.client()?, ns.name());
    let quota = |pods: &str, used: &str| -> ResourceQuota {
        object(
            json!({ "metadata": { "name": "a" }, "spec": { "hard": { "pods": pods } }, "status": { "used": { "pods": used } } }),
        )
    };
    let seen = |quota: ResourceQuota| serde_json::to_value(quota).unwrap();
    let fields = |quota: &serde_json::Value| {
        (
            quota["spec"]["hard"]["pods"].clone(),
            quota["status"]["used"]["pods"].clone(),
        )
    };

    let made = seen(quotas.create(&quota("5", "1")).await?);
    assert_eq!(fields(&made), (json!("5"), json!(null)));
    let written = seen(quotas.update_status(&quota("6", "2")).await?);
    assert_eq!(fields(&written), (json!("5"), json!("2")));
    let written = seen(quotas.update(&quota("7", "3")).await?);
    assert_eq!(fields(&written), (json!("7"), json!("2")));
    quotas
        .patch_status(
            "a",
            &Patch::Merge(json!({ "status": { "used": { "pods": "4" } } })),
        )
        .await?;
    assert_eq!(
        fields(&seen(quotas.get_status("a").await?)),
        (json!("7"), json!("4"))
    );
    let status = json!({ "metadata": { "name": "a" }, "status": { "used": { "pods": "5" } } });
    assert!(
        quotas
            .apply_status(&status, "test")
            .await
            .unwrap_err()
            .is_conflict()
    );
    quotas
        .apply_status(&status, FieldManager::new("test").force())
        .await?;

    let mut stale: ResourceQuota = object(made);
    stale.status.get_or_insert_default();
    assert!(
        quotas
            .update_status(&stale)
            .await
            .unwrap_err()
            .is_conflict()
    );
    let replaced = quotas
        .retry_status_on_conflict("a", |quota| quota.status = None)
        .await?;
    assert_eq!(fields(&seen(replaced)), (json!("7"), json!(null)));
    Ok(())
}

#[tokio::test]
async fn the_scale_is_read_and_set() -> Result<(), Error> {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("scale").await?;
    // A kind with a scale whose controller does not run here.
    let controllers: TypedClient<ReplicationController> =
        TypedClient::namespaced(plane.client()?, ns.name());
    controllers
        .create(&object(json!({
            "metadata": { "name": "a" },
            "spec": { "replicas": 1, "template": { "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "c" }] } } },
        })))
        .await?;
    let scale = controllers.scale();
    let mut read = scale.get("a").await?;
    assert_eq!(read.spec.as_ref().unwrap().replicas, Some(1));
    read.spec.as_mut().unwrap().replicas = Some(3);
    scale.replace("a", &read).await?;
    assert!(scale.replace("a", &read).await.unwrap_err().is_conflict());
    scale
        .patch("a", &Patch::Merge(json!({ "spec": { "replicas": 4 } })))
        .await?;
    assert_eq!(controllers.get("a").await?.spec.unwrap().replicas, Some(4));
    Ok(())
}

#[tokio::test]
async fn pages_survive_an_expired_token() -> Result<(), Error> {
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
async fn a_watch_tells_changes_and_that_its_start_is_compacted() -> Result<(), Error> {
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
    // Until its cache is filled, the server hands the watch to etcd or asks to come back.
    eventually("410", WITHIN, async || match watch(&version).await {
        Err(Error::Kube(error)) if error.is_gone() => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(mut events) => match events.next().await {
            Some(Ok(WatchEvent::Error(status))) if status.code == 410 => Ok(()),
            other => Err(format!("{other:?}")),
        },
    })
    .await
}
