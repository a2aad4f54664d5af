//! Caches, indexes and handlers follow the server.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::DeleteParams;
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{InformerFactory, InitialList},
    lister::parse_selector,
};
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};

use super::{agree, expect_events, informer, record, set};
use crate::cluster::support::{WITHIN, config_map, n, name};

#[tokio::test]
async fn handlers_and_listers_follow_the_server_with_each_list_mode() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    for list in [
        InitialList::Streaming,
        InitialList::WatchCache,
        InitialList::Paged(2),
    ] {
        let ns = plane.namespace("follow").await?;
        let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
        for (name, n) in [("a", 1), ("b", 2), ("c", 3)] {
            maps.create(&config_map(name, n)).await?;
        }
        let informer = informer(plane.client()?, ns.name(), list);
        informer
            .add_index("parity", |map| {
                map.metadata
                    .labels
                    .iter()
                    .filter_map(|labels| labels.get("parity").cloned())
                    .collect()
            })
            .unwrap();
        informer.start();
        informer.wait_synced().await.unwrap();
        agree(&informer, &maps).await?;

        let lister = informer.lister();
        assert_eq!(n(&lister.namespaced(ns.name()).get("b").unwrap()), "2");
        assert_eq!(lister.list(&parse_selector("parity=odd").unwrap()).len(), 2);
        assert_eq!(lister.by_index("parity", "even").unwrap().len(), 1);
        let missing = lister.namespaced(ns.name()).get("x").unwrap_err();
        assert_eq!(missing.to_string(), "configmaps \"x\" not found");

        let recorded = record(&informer);
        eventually("the late handler's start", WITHIN, async || {
            if recorded.lock().unwrap().len() == 3 {
                Ok(())
            } else {
                Err("")
            }
        })
        .await?;
        recorded.lock().unwrap().clear();
        maps.create(&config_map("d", 4)).await?;
        expect_events(&recorded, &["+d4"]).await?;
        set(&maps, "d", 5).await?;
        expect_events(&recorded, &["+d4", "~d4>5"]).await?;
        maps.delete("d", &DeleteParams::default()).await?;
        expect_events(&recorded, &["+d4", "~d4>5", "-d5"]).await?;
        agree(&informer, &maps).await?;
        assert_eq!(informer.metrics().failures, 0, "{list:?}");
        informer.shutdown().await;
    }
    Ok(())
}

#[tokio::test]
async fn a_factory_serves_kinds_of_every_scope() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("factory").await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
    maps.create(&config_map("a", 1)).await?;
    maps.create(&config_map("b", 2)).await?;
    let factory = InformerFactory::builder(plane.client()?)
        .namespace(ns.name())
        .label_selector("parity=odd")
        .build();
    let informer = factory.informer::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let held = informer.lister().all();
    assert_eq!(held.iter().map(|map| name(map)).collect::<Vec<_>>(), ["a"]);
    assert!(
        held[0]
            .metadata
            .managed_fields
            .as_ref()
            .is_none_or(Vec::is_empty)
    );
    factory.shutdown().await;

    let factory = InformerFactory::new(plane.client()?);
    let namespaces = factory.informer::<Namespace>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert!(namespaces.lister().get(ns.name()).is_ok());
    factory.shutdown().await;
    Ok(())
}
