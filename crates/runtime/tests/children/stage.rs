//! A server, a cache of `ConfigMaps` as children, and an owner.
use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use kube_codegen_runtime::{
    children::Children,
    client::{FieldManager, TypedClient},
    informer::InformerFactory,
    record::apply::Apply,
};
use kube_codegen_testing::ApiServer;

pub(crate) const MANAGER: FieldManager<'static> = FieldManager::new("test-controller");

pub(crate) struct Stage {
    pub(crate) server: ApiServer,
    pub(crate) factory: InformerFactory,
    pub(crate) children: Children<ConfigMap>,
    pub(crate) owners: TypedClient<ServiceAccount>,
    pub(crate) owner: ServiceAccount,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let server = ApiServer::new();
        let owners = TypedClient::namespaced(server.client(), "default");
        let mut owner = ServiceAccount::default();
        owner.metadata.name = Some("owner".to_owned());
        let owner = owners.create(&owner).await.unwrap();
        let (factory, children) = cache(&server, false).await;
        Self {
            server,
            factory,
            children,
            owners,
            owner,
        }
    }

    /// Returns the writes since the last call, by verb and name.
    pub(crate) fn writes(&self) -> Vec<String> {
        let writes = self.server.writes();
        self.server.clear_requests();
        let shown = writes
            .iter()
            .map(|write| format!("{} {} {}", write.verb, write.name, write.status));
        shown.collect()
    }

    pub(crate) fn get(&self, name: &str) -> ConfigMap {
        self.server.get::<ConfigMap>("default", name).unwrap()
    }
}

/// Starts a cache, as after a start of the program.
pub(crate) async fn cache(
    server: &ApiServer,
    keep_managed_fields: bool,
) -> (InformerFactory, Children<ConfigMap>) {
    let factory = InformerFactory::builder(server.client())
        .configure::<ConfigMap>(move |config| config.keep_managed_fields = keep_managed_fields)
        .build();
    let informer = factory.informer::<ConfigMap>();
    let children = Children::new(factory.track_writes(&server.client()), &informer, MANAGER);
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    (factory, children)
}

pub(crate) fn child(name: &str, data: &[(&str, &str)]) -> Apply<ConfigMap> {
    let data: BTreeMap<_, _> = data
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Apply::namespaced(name, "default").with(|map: &mut ConfigMap| map.data = Some(data))
}
