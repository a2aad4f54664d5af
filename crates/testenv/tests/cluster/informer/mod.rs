//! The runtime's shared informer and lister against a real API server, with and without faults.

mod faults;
mod follow;
mod metadata;
mod outage;
mod received;
mod wire;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Client,
    api::{ListParams, Patch},
};
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{EventHandlerFuncs, InformerConfig, InitialList, SharedInformer},
};
use kube_codegen_testenv::{Error, eventually};
use serde_json::json;

use crate::cluster::support::{WITHIN, n, name};

const OURS: &str = "metadata.name!=kube-root-ca.crt";

fn informer(
    client: Client,
    namespace: &str,
    initial_list: InitialList,
) -> SharedInformer<ConfigMap> {
    let config = InformerConfig {
        namespaces: namespace.into(),
        field_selector: Some(OURS.to_owned()),
        initial_list,
        watch_timeout: Duration::from_secs(5),
        ..InformerConfig::default()
    };
    SharedInformer::new(client, config)
}

/// Waits until the cache equals the state of the server, including versions.
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

/// Records the events of a handler: `+a1` added with n=1, `~a1>2` updated, `-a2` deleted, `?a2` a tombstone.
fn record(informer: &SharedInformer<ConfigMap>) -> Arc<Mutex<Vec<String>>> {
    let recorded: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = || {
        let recorded = Arc::clone(&recorded);
        move |text: String| recorded.lock().unwrap().push(text)
    };
    let (add, update, delete) = (log(), log(), log());
    let handler = EventHandlerFuncs::new()
        .on_add(move |map: &Arc<ConfigMap>, _| add(format!("+{}{}", name(map), n(map))))
        .on_update(move |old: &Arc<ConfigMap>, new| {
            // Nothing changed: a redelivery or a duplicate line.
            if old.metadata.resource_version != new.metadata.resource_version {
                update(format!("~{}{}>{}", name(new), n(old), n(new)));
            }
        })
        .on_delete(move |gone| {
            let sign = if gone.final_state_unknown { '?' } else { '-' };
            delete(format!("{sign}{}{}", name(&gone.object), n(&gone.object)));
        });
    let _ = informer.add_event_handler(handler);
    recorded
}

/// Starts the informer and returns the recorded events once a handler got this many objects.
async fn started(
    informer: &SharedInformer<ConfigMap>,
    objects: usize,
) -> Result<Arc<Mutex<Vec<String>>>, Error> {
    informer.start();
    informer.wait_synced().await.unwrap();
    let recorded = record(informer);
    eventually("the start", WITHIN, async || {
        let recorded = recorded.lock().unwrap();
        if recorded.len() == objects {
            Ok(())
        } else {
            Err(format!("{recorded:?}"))
        }
    })
    .await?;
    Ok(recorded)
}

async fn expect_events(recorded: &Mutex<Vec<String>>, expected: &[&str]) -> Result<(), Error> {
    eventually(&format!("{expected:?}"), WITHIN, async || {
        let recorded = recorded.lock().unwrap();
        if *recorded == expected {
            Ok(())
        } else {
            Err(format!("{recorded:?}"))
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
