//! Faults in responses and connections.

use std::time::{Duration, Instant};

use futures::future::try_join_all;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::DeleteParams;
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{InformerConfig, InitialList, SharedInformer},
};
use kube_codegen_testenv::{ControlPlane, Error, Fault, Proxy, Rule, TestResult, eventually};

use super::{OURS, agree, expect_events, informer, set, started};
use crate::cluster::support::{WITHIN, config_map};

/// Checks that an informer follows its namespace through one fault, during which every object changes.
async fn survives(plane: &ControlPlane, proxy: &Proxy, fault: Fault) -> Result<(), Error> {
    let ns = plane.namespace("fault").await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
    for (name, n) in [("changed", 1), ("deleted", 2), ("kept", 3)] {
        maps.create(&config_map(name, n)).await?;
    }
    let informer = informer(proxy.client()?, ns.name(), InitialList::Streaming);
    let recorded = started(&informer, 3).await?;

    let ours = Rule::new(fault.clone()).path(ns.name());
    let rule = proxy.add(ours.clone().times(2));
    proxy.cut(&ours);
    set(&maps, "changed", 10).await?;
    maps.delete("deleted", &DeleteParams::default()).await?;
    maps.create(&config_map("new", 4)).await?;
    eventually(&format!("{fault:?}, twice"), WITHIN, async || {
        if rule.hits() == 2 {
            Ok(())
        } else {
            Err(rule.hits())
        }
    })
    .await?;
    set(&maps, "changed", 100).await?;
    maps.create(&config_map("brief", 5)).await?;
    maps.delete("brief", &DeleteParams::default()).await?;
    agree(&informer, &maps).await?;

    // The changes of each object arrive in order; intermediate states may be missing.
    eventually(
        &format!("all news in spite of {fault:?}"),
        WITHIN,
        async || {
            let recorded = recorded.lock().unwrap();
            let of = |object: &str| {
                let events: Vec<_> = recorded
                    .iter()
                    .filter(|event| event[1..].starts_with(object))
                    .map(String::as_str)
                    .collect();
                events.join(" ")
            };
            let brief = ["", "+brief5 -brief5", "+brief5 ?brief5"].contains(&&*of("brief"));
            let deleted = ["+deleted2 -deleted2", "+deleted2 ?deleted2"].contains(&&*of("deleted"));
            let changed = [
                "+changed1 ~changed1>10 ~changed10>100",
                "+changed1 ~changed1>100",
            ]
            .contains(&&*of("changed"));
            if brief && deleted && changed && of("kept") == "+kept3" && of("new") == "+new4" {
                Ok(())
            } else {
                Err(format!("{recorded:?}"))
            }
        },
    )
    .await?;
    assert!(!informer.is_stopped(), "{fault:?}");
    Ok(())
}

#[tokio::test]
async fn no_fault_makes_the_cache_wrong() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let proxy = plane.proxy().await?;
    let faults = [
        Fault::TooManyRequests {
            retry_after: Duration::from_secs(1),
        },
        Fault::InternalError,
        Fault::Unavailable,
        Fault::Gone,
        Fault::WatchExpired,
        Fault::Refuse,
        Fault::Cut { after: 700 },
        Fault::Cut { after: 0 },
        Fault::Slow {
            piece: 50,
            pause: Duration::from_millis(2),
        },
        Fault::Duplicate,
        Fault::Garble,
    ];
    try_join_all(faults.map(|fault| survives(plane, &proxy, fault))).await?;
    Ok(())
}

#[tokio::test]
async fn a_silent_watch_is_abandoned() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("silence").await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
    let proxy = plane.proxy().await?;
    let informer = informer(proxy.client()?, ns.name(), InitialList::WatchCache);
    let rule = proxy.add(Rule::new(Fault::Stall { after: 0 }).watch(true).times(1));
    informer.start();
    informer.wait_synced().await.unwrap();
    maps.create(&config_map("a", 1)).await?;
    eventually("the stalled watch", WITHIN, async || {
        if rule.hits() == 1 { Ok(()) } else { Err("") }
    })
    .await?;
    agree(&informer, &maps).await?;
    Ok(())
}

/// Without a sign of life from the server, the watch would wait for minutes, until its time-out.
#[tokio::test]
async fn a_dead_connection_is_noticed() -> TestResult {
    const DEAD_AFTER: Duration = Duration::from_secs(4);
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let ns = plane.namespace("dead").await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
    maps.create(&config_map("a", 1)).await?;
    let proxy = plane.proxy().await?;
    let client = kube_codegen_runtime::client::builder(proxy.config(), DEAD_AFTER)?.build();
    let config = InformerConfig {
        namespaces: ns.name().into(),
        field_selector: Some(OURS.to_owned()),
        ..InformerConfig::default()
    };
    let informer = SharedInformer::new(client, config);
    let recorded = started(&informer, 1).await?;
    set(&maps, "a", 2).await?;
    expect_events(&recorded, &["+a1", "~a1>2"]).await?;

    assert_eq!(proxy.black_hole(&Rule::new(Fault::Refuse).watch(true)), 1);
    let began = Instant::now();
    set(&maps, "a", 3).await?;
    expect_events(&recorded, &["+a1", "~a1>2", "~a2>3"]).await?;
    let took = began.elapsed();
    println!("noticed after {took:?}");
    assert!(
        took >= DEAD_AFTER / 2,
        "the connection was not dead: {took:?}"
    );
    assert!(took < 3 * DEAD_AFTER, "{took:?}");
    Ok(())
}
