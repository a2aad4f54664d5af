//! Informers of metadata alone, and of kinds that are known at run time only.
use crate::caches::script::{map, server};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    ResourceExt,
    api::{ApiResource, DynamicObject},
    core::{GroupVersionKind, PartialObjectMeta, discovery::Scope},
};
use kube_codegen_runtime::{
    client::TypedClient,
    informer::{InformerFactory, InitialList},
};
use kube_codegen_testing::ApiServer;
use serde_json::json;

fn resource(group: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, "v1", kind), plural)
}

#[tokio::test(start_paused = true)]
async fn a_metadata_informer_requests_metadata_alone() {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client)
        .initial_list(InitialList::WatchCache)
        .build();
    let maps = factory.informer::<PartialObjectMeta<ConfigMap>>();
    factory.start();
    let list = server.list().await;
    assert_eq!(list.path, "/api/v1/configmaps");
    assert!(
        list.accept.contains("as=PartialObjectMetadataList;"),
        "{}",
        list.accept
    );
    let object = json!({ "metadata": map("a", "1")["metadata"] });
    list.items(&[object], "1");
    factory.wait_for_cache_sync().await.unwrap();
    let watch = server.watch().await;
    assert!(
        watch.accept.contains("as=PartialObjectMetadata;"),
        "{}",
        watch.accept
    );
    let watch = watch.open();
    watch.send("MODIFIED", &json!({
        "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": map("a", "2")["metadata"],
    }));
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let cached = maps.lister().namespaced("ns").get("a").unwrap();
    assert_eq!(cached.resource_version().as_deref(), Some("2"));
    assert_eq!(cached.labels()["app"], "a");
}

#[tokio::test(start_paused = true)]
async fn kinds_known_at_run_time_have_their_own_informers() {
    let (client, mut server) = server();
    let factory = InformerFactory::builder(client).namespace("ns").build();
    let maps = resource("", "ConfigMap", "configmaps");
    let widgets = resource("example.com", "Widget", "widgets");
    let racks = resource("example.com", "Rack", "racks");
    let maps = factory.dynamic_informer::<DynamicObject>(&maps, &Scope::Namespaced);
    let widget = factory.dynamic_informer::<DynamicObject>(&widgets, &Scope::Namespaced);
    let rack =
        factory.dynamic_informer::<PartialObjectMeta<DynamicObject>>(&racks, &Scope::Cluster);
    factory.start();
    let mut calls = Vec::new();
    for _ in 0..3 {
        calls.push(server.watch().await);
    }
    calls.sort_by(|a, b| a.path.cmp(&b.path));
    let paths: Vec<_> = calls.iter().map(|call| call.path.clone()).collect();
    assert_eq!(
        paths,
        [
            "/api/v1/namespaces/ns/configmaps",
            "/apis/example.com/v1/namespaces/ns/widgets",
            "/apis/example.com/v1/racks"
        ]
    );
    assert!(calls[2].accept.contains("as=PartialObjectMetadata;"));
    let error = factory
        .wait_for_cache_sync_within(std::time::Duration::from_secs(1))
        .await;
    let error = error.unwrap_err().to_string();
    assert_eq!(
        error,
        "not synced: ConfigMap, Rack.example.com, Widget.example.com"
    );
    let mut watches = Vec::new();
    for (call, object) in calls.into_iter().zip([
        map("a", "1"),
        json!({ "metadata": { "name": "w", "namespace": "ns", "resourceVersion": "1" }, "spec": { "size": 3 } }),
        json!({ "metadata": { "name": "r", "resourceVersion": "1" } }),
    ]) {
        let watch = call.open();
        watch.send("ADDED", &object);
        watch.end_of_list("1");
        watches.push(watch);
    }
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(
        maps.lister().namespaced("ns").get("a").unwrap().data["data"]["value"],
        ""
    );
    assert_eq!(
        widget.lister().namespaced("ns").get("w").unwrap().data["spec"]["size"],
        3
    );
    assert_eq!(rack.lister().get("r").unwrap().name_any(), "r");
    assert_eq!(
        widget.lister().get("x").unwrap_err().to_string(),
        "widgets.example.com \"x\" not found"
    );
    let again = factory.dynamic_informer::<DynamicObject>(&widgets, &Scope::Namespaced);
    assert_eq!(again.lister().all().len(), 1, "the same informer");
}

/// Each caches what it requests.
#[tokio::test]
async fn types_of_one_kind_have_informers_of_their_own() {
    let server = ApiServer::new();
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".into());
    map.data = Some([("key".to_owned(), "value".to_owned())].into());
    maps.create(&map).await.unwrap();
    let factory = InformerFactory::new(server.client());
    let typed = factory.informer::<ConfigMap>();
    let metadata = factory.informer::<PartialObjectMeta<ConfigMap>>();
    let resource = ApiResource::erase::<ConfigMap>(&());
    let dynamic = factory.dynamic_informer::<DynamicObject>(&resource, &Scope::Namespaced);
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(typed.lister().all()[0].data, map.data);
    assert_eq!(metadata.lister().all()[0].name_any(), "a");
    assert_eq!(dynamic.lister().all()[0].data["data"]["key"], "value");
    assert_eq!(factory.status().len(), 3);
}
