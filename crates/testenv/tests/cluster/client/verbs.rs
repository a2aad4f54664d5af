//! Reads, writes and collections, with selectors, dry run, server-side apply and conflicts.
use std::cell::Cell;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams, Patch};
use kube_codegen_runtime::client::{
    AllNamespaces, ErrorExt as _, FieldManager, TypedClient,
    retry::{DEFAULT_RETRY, on_conflict},
};
use kube_codegen_testenv::{ControlPlane, Error, Fault, Rule, TestResult};
use serde_json::json;

use super::{object, without_the_published_authority};
use crate::cluster::support::{config_map, n, name};

#[tokio::test]
async fn objects_are_created_read_changed_and_deleted() -> TestResult {
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
    assert_eq!(n(&maps.replace(&changed).await?), "2");
    assert!(maps.replace(&changed).await.unwrap_err().is_conflict());

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
async fn lists_and_collections_respect_selectors() -> TestResult {
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
async fn a_dry_run_stores_nothing() -> TestResult {
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
    assert_eq!(dry.replace(&changed).await?.data, None);
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
async fn applied_fields_have_owners() -> TestResult {
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
    // Only the second manager owned `z` and no longer applies it; the first owns `y`.
    let data = serde_json::to_value(maps.get("a").await?.data).unwrap();
    assert_eq!(data, json!({ "x": "2", "y": "1" }));
    // An object can be applied as it was read.
    maps.apply(&maps.get("a").await?, FieldManager::new("third").force())
        .await?;
    Ok(())
}

#[tokio::test]
async fn conflicts_are_retried() -> TestResult {
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

    let attempts = Cell::new(0);
    let stored = maps
        .modify("a", |map| {
            attempts.update(|attempts| attempts + 1);
            set(attempts.get())(map);
        })
        .await?;
    assert_eq!((attempts.get(), n(&stored)), (1, "1"));
    on_conflict(DEFAULT_RETRY, async || {
        let mut map = maps.get("a").await?;
        attempts.update(|attempts| attempts + 1);
        if attempts.get() < 3 {
            maps.modify("a", set(100 + attempts.get())).await?;
        }
        set(1000)(&mut map);
        maps.replace(&map).await
    })
    .await?;
    assert_eq!((attempts.get(), n(&maps.get("a").await?)), (3, "1000"));
    // No other error is retried.
    let rule = proxy.add(Rule::new(Fault::InternalError).method("PATCH"));
    let error = maps.modify("a", set(5)).await.unwrap_err();
    assert_eq!(error.status().unwrap().code, 500);
    assert_eq!(rule.hits(), 1);
    Ok(())
}
