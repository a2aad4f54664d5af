//! Informers of metadata alone: protobuf on the wire, with the same result as JSON.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use futures::future::try_join_all;
use http::{Request, header};
use http_body::Frame;
use http_body_util::BodyExt;
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube::{
    Client, Resource,
    api::{DeleteParams, Patch},
    client::Body,
    core::PartialObjectMeta,
};
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{InformerConfig, InformerError, InitialList, SharedInformer, WatchFailure},
};
use kube_codegen_testenv::{ControlPlane, TestResult, eventually};
use serde_json::json;
use tower::{BoxError, service_fn};

use crate::cluster::support::{WITHIN, config_map};

type Metadata = SharedInformer<PartialObjectMeta<ConfigMap>>;

/// What a client has received.
#[derive(Clone, Default)]
struct Received {
    bytes: Arc<AtomicUsize>,
    types: Arc<Mutex<Vec<String>>>,
}

impl Received {
    /// Returns a client whose responses are counted. With `json`, it does not ask for protobuf.
    fn client(&self, client: Client, json: bool) -> Client {
        let received = self.clone();
        let namespace = client.default_namespace().to_owned();
        let service = service_fn(move |mut request: Request<Body>| {
            let (client, received) = (client.clone(), received.clone());
            async move {
                let accept = request.headers()[header::ACCEPT].to_str()?.to_owned();
                if json {
                    let (_, json) = accept.split_once(',').unwrap_or_default();
                    request.headers_mut().insert(header::ACCEPT, json.parse()?);
                }
                let response = client.send(request).await?;
                let content = response.headers()[header::CONTENT_TYPE].to_str()?;
                let content = content.split(';').next().unwrap_or_default();
                received.types.lock().unwrap().push(content.to_owned());
                Ok::<_, BoxError>(response.map(|body| {
                    body.map_frame(move |frame: Frame<Bytes>| {
                        let bytes = frame.data_ref().map_or(0, Bytes::len);
                        received.bytes.fetch_add(bytes, Ordering::Relaxed);
                        frame
                    })
                }))
            }
        });
        Client::new(service, namespace)
    }

    fn types(&self) -> Vec<String> {
        let mut types = self.types.lock().unwrap().clone();
        types.sort();
        types.dedup();
        types
    }
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
        let ours = informer(protobuf.client(plane.client()?, false), ns.name(), list);
        let theirs = informer(json.client(plane.client()?, true), ns.name(), list);
        ours.wait_synced().await?;
        theirs.wait_synced().await?;
        assert_eq!(protobuf.types(), ["application/vnd.kubernetes.protobuf"]);
        assert_eq!(json.types(), ["application/json"]);
        let cached_ours = cached(&ours);
        assert!(cached_ours.len() > 100);
        assert_eq!(cached_ours, cached(&theirs), "{list:?}");
        let bytes = |received: &Received| received.bytes.load(Ordering::Relaxed);
        let (ours_bytes, theirs_bytes) = (bytes(&protobuf), bytes(&json));
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
    let config = InformerConfig {
        label_selector: Some("not a selector!".to_owned()),
        initial_list: InitialList::WatchCache,
        ..InformerConfig::default()
    };
    let informer = Metadata::new(plane.client()?, config);
    let (sender, mut errors) = tokio::sync::mpsc::unbounded_channel();
    informer.set_error_handler(move |error| {
        if let InformerError::List {
            source: WatchFailure::Request(kube::Error::Api(status)),
            ..
        } = error
        {
            let _ = sender.send(status.clone());
        }
    });
    informer.start();
    let status = errors.recv().await.ok_or("no error")?;
    assert_eq!((status.code, status.reason.as_str()), (400, "BadRequest"));
    assert!(
        status.message.contains("unable to parse"),
        "{}",
        status.message
    );
    Ok(())
}
