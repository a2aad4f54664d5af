//! The runtime's shared informer and lister against a real API server, and against one that misbehaves.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::try_join_all;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::{
    Client,
    api::{DeleteParams, ListParams, Patch},
};
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{
        EventHandlerFuncs, InformerConfig, InformerFactory, InitialList, SharedInformer,
        strip_managed_fields,
    },
};
use kube_codegen_testenv::{ControlPlane, Error, Fault, Proxy, Rule, eventually};
use serde_json::json;
use support::{WITHIN, config_map, n, name};

const OURS: &str = "metadata.name!=kube-root-ca.crt";

fn informer(
    client: Client,
    namespace: &str,
    initial_list: InitialList,
) -> SharedInformer<ConfigMap> {
    let config = InformerConfig {
        namespace: Some(namespace.to_owned()),
        field_selector: Some(OURS.to_owned()),
        initial_list,
        watch_timeout: Duration::from_secs(5),
        ..InformerConfig::default()
    };
    SharedInformer::new(client, config)
}

/// Waits until the cache holds exactly what the server does, versions included.
async fn agree(
    informer: &SharedInformer<ConfigMap>,
    maps: &TypedClient<ConfigMap>,
) -> Result<(), Error> {
    let of = |map: &ConfigMap| (name(map), map.metadata.resource_version.clone());
    eventually("cache and server agree", WITHIN, async || {
        let server = maps
            .list(&ListParams::default().fields(OURS))
            .await
            .map_err(|e| e.to_string())?;
        let server: BTreeMap<_, _> = server.items.iter().map(of).collect();
        let cache: BTreeMap<_, _> = informer.lister().all().iter().map(|map| of(map)).collect();
        if cache == server {
            Ok(())
        } else {
            Err(format!("cache {cache:?}, server {server:?}"))
        }
    })
    .await
}

/// A record of what a handler heard: `+a1` added with n=1, `~a1>2` updated, `-a2` deleted, `?a2` its deletion was missed.
fn record(informer: &SharedInformer<ConfigMap>) -> Arc<Mutex<Vec<String>>> {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = || {
        let heard = Arc::clone(&heard);
        move |text: String| heard.lock().unwrap().push(text)
    };
    let (add, update, delete) = (log(), log(), log());
    let handler = EventHandlerFuncs::new()
        .on_add(move |map: &Arc<ConfigMap>, _| add(format!("+{}{}", name(map), n(map))))
        .on_update(move |old: &Arc<ConfigMap>, new| {
            // Nothing changed: a resync, or a line that came twice.
            if old.metadata.resource_version != new.metadata.resource_version {
                update(format!("~{}{}>{}", name(new), n(old), n(new)));
            }
        })
        .on_delete(move |gone| {
            let sign = if gone.final_state_unknown { '?' } else { '-' };
            delete(format!("{sign}{}{}", name(&gone.object), n(&gone.object)));
        });
    let _ = informer.add_event_handler(handler);
    heard
}

async fn hears(heard: &Mutex<Vec<String>>, expected: &[&str]) -> Result<(), Error> {
    eventually(&format!("{expected:?}"), WITHIN, async || {
        let heard = heard.lock().unwrap();
        if *heard == expected {
            Ok(())
        } else {
            Err(format!("{heard:?}"))
        }
    })
    .await
}

async fn set(maps: &TypedClient<ConfigMap>, name: &str, n: usize) -> Result<(), Error> {
    maps.patch(
        name,
        &Patch::Merge(json!({ "data": { "n": n.to_string() } })),
    )
    .await?;
    Ok(())
}

#[tokio::test]
async fn handlers_and_listers_follow_the_server_in_each_way_to_list() -> Result<(), Error> {
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
        assert_eq!(lister.list(&"parity=odd".parse().unwrap()).len(), 2);
        assert_eq!(lister.by_index("parity", "even").unwrap().len(), 1);
        let missing = lister.namespaced(ns.name()).get("x").unwrap_err();
        assert_eq!(missing.to_string(), "configmaps \"x\" not found");

        let heard = record(&informer);
        eventually("the late handler's start", WITHIN, async || {
            if heard.lock().unwrap().len() == 3 {
                Ok(())
            } else {
                Err("")
            }
        })
        .await?;
        heard.lock().unwrap().clear();
        maps.create(&config_map("d", 4)).await?;
        hears(&heard, &["+d4"]).await?;
        set(&maps, "d", 5).await?;
        hears(&heard, &["+d4", "~d4>5"]).await?;
        maps.delete("d", &DeleteParams::default()).await?;
        hears(&heard, &["+d4", "~d4>5", "-d5"]).await?;
        agree(&informer, &maps).await?;
        assert_eq!(informer.metrics().failures, 0, "{list:?}");
        informer.shutdown().await;
    }
    Ok(())
}

#[tokio::test]
async fn a_factory_serves_kinds_of_every_scope() -> Result<(), Error> {
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
        .transform(strip_managed_fields)
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

    if plane.has_controllers() {
        let factory = InformerFactory::new(plane.client()?);
        let nodes = factory.informer::<Node>();
        factory.start();
        factory.wait_for_cache_sync().await.unwrap();
        let name = nodes.lister().all()[0].metadata.name.clone().unwrap();
        assert!(nodes.lister().get(&name).is_ok());
        factory.shutdown().await;
    }
    Ok(())
}

/// Lets an informer follow a namespace of its own through one fault, in which everything changes.
async fn survives(plane: &ControlPlane, proxy: &Proxy, fault: Fault) -> Result<(), Error> {
    let ns = plane.namespace("fault").await?;
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, ns.name());
    for (name, n) in [("changed", 1), ("deleted", 2), ("kept", 3)] {
        maps.create(&config_map(name, n)).await?;
    }
    let informer = informer(proxy.client()?, ns.name(), InitialList::Streaming);
    informer.start();
    informer.wait_synced().await.unwrap();
    let heard = record(&informer);
    eventually("the start", WITHIN, async || {
        if heard.lock().unwrap().len() == 3 {
            Ok(())
        } else {
            Err("")
        }
    })
    .await?;

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

    // Each object's changes came in order, with none invented; states in between may be missing.
    eventually(
        &format!("all news in spite of {fault:?}"),
        WITHIN,
        async || {
            let heard = heard.lock().unwrap();
            let of = |object: &str| {
                let events: Vec<_> = heard
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
                Err(format!("{heard:?}"))
            }
        },
    )
    .await?;
    assert!(!informer.is_stopped(), "{fault:?}");
    Ok(())
}

#[tokio::test]
async fn no_fault_of_the_connection_makes_the_cache_wrong() -> Result<(), Error> {
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
async fn a_silent_watch_is_given_up() -> Result<(), Error> {
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
    agree(&informer, &maps).await
}

/// Cuts the informer off, so that it misses what `meanwhile` does, and forgets the history it would need to catch up.
async fn blackout(
    plane: &ControlPlane,
    proxy: &Proxy,
    meanwhile: impl AsyncFnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let all = Rule::new(Fault::Refuse);
    let rule = proxy.add(all.clone());
    proxy.cut(&all);
    meanwhile().await?;
    plane.compact().await?;
    plane.api_server()?.restart().await?;
    rule.remove();
    Ok(())
}

#[tokio::test]
async fn nothing_is_lost_by_a_compaction_or_the_death_of_the_servers() -> Result<(), Error> {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    let maps: TypedClient<ConfigMap> = TypedClient::namespaced(plane.client()?, "default");
    for (name, n) in [("a", 1), ("b", 2), ("c", 3)] {
        maps.create(&config_map(name, n)).await?;
    }
    let proxy = plane.proxy().await?;
    let informer = informer(proxy.client()?, "default", InitialList::Streaming);
    informer.start();
    informer.wait_synced().await.unwrap();
    let heard = record(&informer);
    eventually("the start", WITHIN, async || {
        if heard.lock().unwrap().len() == 3 {
            Ok(())
        } else {
            Err("")
        }
    })
    .await?;

    heard.lock().unwrap().clear();
    let lists = informer.metrics().lists;
    blackout(&plane, &proxy, async || {
        maps.delete("a", &DeleteParams::default()).await?;
        set(&maps, "b", 20).await?;
        maps.create(&config_map("d", 4)).await?;
        Ok(())
    })
    .await?;
    agree(&informer, &maps).await?;
    assert!(informer.metrics().lists > lists);
    eventually("what was missed", WITHIN, async || {
        let mut heard = heard.lock().unwrap().clone();
        heard.sort();
        if heard == ["+d4", "?a1", "~b2>20"] {
            Ok(())
        } else {
            Err(format!("{heard:?}"))
        }
    })
    .await?;

    heard.lock().unwrap().clear();
    plane.api_server()?.kill();
    plane.etcd()?.restart().await?;
    plane.api_server()?.restart().await?;
    set(&maps, "c", 30).await?;
    maps.delete("d", &DeleteParams::default()).await?;
    agree(&informer, &maps).await?;
    eventually("both changes", WITHIN, async || {
        let mut heard = heard.lock().unwrap().clone();
        heard.sort();
        let known = heard
            .iter()
            .filter(|event| event.as_str() == "~c3>30" || event[1..] == *"d4")
            .count();
        if known == 2 && heard.len() == 2 {
            Ok(())
        } else {
            Err(format!("{heard:?}"))
        }
    })
    .await?;

    plane.api_server()?.pause()?;
    let params = DeleteParams::default();
    let mut delete = Box::pin(maps.delete("c", &params));
    assert!(
        tokio::time::timeout(Duration::from_secs(1), &mut delete)
            .await
            .is_err()
    );
    plane.api_server()?.resume()?;
    delete.await?;
    agree(&informer, &maps).await
}
