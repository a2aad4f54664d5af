//! Informers that ask for compressed lists cache the same objects.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::{
    ResourceExt,
    api::{DeleteParams, ObjectMeta, Patch},
};
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{InformerConfig, InitialList, SharedInformer},
};
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use serde_json::json;

use super::received::Received;
use crate::cluster::support::WITHIN;

/// Lists are compressed from 128 KiB on.
const SECRETS: usize = 60;

/// Returns an informer, and what it receives.
fn informer(
    plane: &ControlPlane,
    config: &InformerConfig,
) -> TestResult<(SharedInformer<Secret>, Received)> {
    let received = Received::default();
    let informer = SharedInformer::new(received.client(plane.client()?, |_| {}), config.clone());
    informer.start();
    Ok((informer, received))
}

/// Returns the cached objects by name.
fn cached(informer: &SharedInformer<Secret>) -> BTreeMap<String, Secret> {
    let all = informer.lister().all();
    all.iter()
        .map(|object| (object.name_any(), Secret::clone(object)))
        .collect()
}

fn secret(number: usize) -> Secret {
    let number = u8::try_from(number).unwrap_or_default();
    Secret {
        metadata: ObjectMeta {
            name: Some(format!("secret-{number}")),
            annotations: Some([("note".to_owned(), "ä \"quoted\"\n".to_owned())].into()),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([
            ("all".to_owned(), ByteString((0..=255).collect())),
            ("empty".to_owned(), ByteString(Vec::new())),
            ("text".to_owned(), ByteString(vec![number; 3000])),
        ])),
        ..Secret::default()
    }
}

#[tokio::test]
async fn a_compressed_list_has_the_same_objects() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    for initial_list in [
        InitialList::Streaming,
        InitialList::WatchCache,
        InitialList::Paged(50),
    ] {
        let ns = plane.namespace("wire").await?;
        let secrets: TypedClient<Secret> = TypedClient::namespaced(plane.client()?, ns.name());
        try_join_all((0..SECRETS).map(|number| {
            let secrets = secrets.clone();
            async move { secrets.create(&secret(number)).await }
        }))
        .await?;
        let config = InformerConfig {
            namespaces: ns.name().into(),
            initial_list,
            ..InformerConfig::default()
        };
        let (json, plain) = informer(plane, &config)?;
        json.wait_synced().await?;
        let plain = plain.bytes();
        let gzip = InformerConfig {
            gzip: true,
            ..config
        };
        let (compressed, received) = informer(plane, &gzip)?;
        compressed.wait_synced().await?;
        assert_eq!(cached(&compressed), cached(&json), "{initial_list:?}");
        let bytes = received.bytes();
        println!("{initial_list:?}: {plain} bytes, {bytes} with gzip");
        assert!(bytes < plain, "{initial_list:?}");

        let label = Patch::Merge(json!({"metadata": {"labels": {"new": "yes"}}}));
        secrets.patch("secret-1", &label).await?;
        secrets.delete("secret-2", &DeleteParams::default()).await?;
        secrets.create(&secret(200)).await?;
        eventually("the changes", WITHIN, async || {
            let objects = cached(&compressed);
            let changed = objects.contains_key("secret-200")
                && !objects.contains_key("secret-2")
                && objects["secret-1"].metadata.labels.is_some();
            let is_equal = objects == cached(&json);
            (changed && is_equal)
                .then_some(())
                .ok_or_else(|| format!("{} objects, {initial_list:?}", objects.len()))
        })
        .await?;
        let forms = received.forms();
        assert!(forms[0].ends_with("gzip"), "{forms:?}");
        assert_eq!(forms.last().unwrap(), "application/json plain", "{forms:?}");
    }
    Ok(())
}
