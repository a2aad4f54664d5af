//! The settings of a factory of informers.
use std::{
    any::TypeId,
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
    time::Duration,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;

use super::{InformerConfig, InitialList, Namespaces, state::MetaTransform};
use crate::Object;

/// Builds an [`InformerFactory`](super::InformerFactory) from its settings.
#[derive(Clone)]
#[must_use]
pub struct InformerFactoryBuilder {
    pub(super) client: Client,
    pub(super) config: InformerConfig,
    pub(super) by_kind: HashMap<TypeId, Configure>,
    pub(super) compact: HashSet<TypeId>,
    pub(super) transform: Option<MetaTransform>,
    pub(super) resync: Option<Duration>,
}

/// Changes the settings of one kind.
pub(super) type Configure = Arc<dyn Fn(&mut InformerConfig) + Send + Sync>;

impl InformerFactoryBuilder {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            config: InformerConfig::default(),
            by_kind: HashMap::new(),
            compact: HashSet::new(),
            transform: None,
            resync: None,
        }
    }

    /// Caches only the objects of one namespace; `""` means all namespaces. Has no effect on cluster-scoped kinds. The informers fail to
    /// start if the name is not a valid namespace name.
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        self.namespaces(namespace.into())
    }

    /// Caches only the objects of some namespaces. You can [add](super::InformerFactory::add_namespace) more later.
    ///
    /// ```no_run
    /// # use kube_codegen_runtime::informer::InformerFactory;
    /// # fn example(client: kube::Client) {
    /// let factory = InformerFactory::builder(client).namespaces(["team-a", "team-b"]).build();
    /// # }
    /// ```
    pub fn namespaces(mut self, namespaces: impl Into<Namespaces>) -> Self {
        self.config.namespaces = namespaces.into();
        self
    }

    /// Changes the settings of one kind, such as its selectors. The last change for a kind wins.
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::Pod;
    /// # use kube_codegen_runtime::informer::InformerFactory;
    /// # fn example(client: kube::Client) {
    /// let factory = InformerFactory::builder(client)
    ///     .configure::<Pod>(|config| config.field_selector = Some("status.phase=Running".into()))
    ///     .build();
    /// # }
    /// ```
    pub fn configure<K: Object>(
        mut self,
        change: impl Fn(&mut InformerConfig) + Send + Sync + 'static,
    ) -> Self {
        self.by_kind.insert(TypeId::of::<K>(), Arc::new(change));
        self
    }

    /// Redelivers every object as an update once per `period` (at least one second). A handler's own resync period takes precedence.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = (!period.is_zero()).then_some(period);
        self
    }

    /// Keeps `metadata.managedFields` in the cached objects, for programs that read them, for example to extract the configuration they
    /// applied.
    ///
    /// By default, managed fields are skipped while the objects are decoded, because they often take as much memory as the rest of the
    /// object. Writes do not need them: if an object is sent without managed fields, the API server keeps the stored ones.
    pub fn keep_managed_fields(mut self) -> Self {
        self.config.keep_managed_fields = true;
        self
    }

    /// Requests compressed lists, which are 20 times smaller and take less work to decrypt; the book's page on memory and speed of
    /// informers has figures. The watch that follows is not compressed.
    #[cfg(feature = "gzip")]
    pub fn gzip(mut self) -> Self {
        self.config.gzip = true;
        self
    }

    /// Caches the objects of `K` as compressed JSON, which takes an eighth of the memory. Use it for kinds with tens of thousands of
    /// objects that you read by name or by index.
    ///
    /// Listers, indexes and handlers work as usual. Recently used objects stay decoded, up to 4 MiB of JSON. Reading any other object
    /// decodes it, which takes some microseconds per kilobyte, so prefer indexes to lists with a selector, which decode every object.
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::Pod;
    /// # use kube_codegen_runtime::informer::InformerFactory;
    /// # fn example(client: kube::Client) {
    /// let factory = InformerFactory::builder(client).compact::<Pod>().build();
    /// # }
    /// ```
    pub fn compact<K: Object>(mut self) -> Self {
        self.compact.insert(TypeId::of::<K>());
        self
    }

    /// Changes the metadata of every object before it is stored, to save memory.
    ///
    /// ```no_run
    /// # use kube_codegen_runtime::informer::InformerFactory;
    /// # fn example(client: kube::Client) {
    /// let factory = InformerFactory::builder(client)
    ///     .transform(|meta| {
    ///         let annotations = meta.annotations.iter_mut();
    ///         annotations.for_each(|all| drop(all.remove("kubectl.kubernetes.io/last-applied-configuration")));
    ///     })
    ///     .build();
    /// # }
    /// ```
    pub fn transform(
        mut self,
        transform: impl Fn(&mut ObjectMeta) + Send + Sync + 'static,
    ) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Caches only objects with matching labels (`app=web,tier!=cache`).
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.config.label_selector = Some(selector.into());
        self
    }

    /// Caches only objects with matching fields (`metadata.name=a`).
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.config.field_selector = Some(selector.into());
        self
    }

    /// Sets how lists are requested.
    pub fn initial_list(mut self, list: InitialList) -> Self {
        self.config.initial_list = list;
        self
    }

    /// Sets the name of the [member cluster](crate::clusters), which appears in log lines, metrics and reconciles of these informers.
    pub fn cluster(mut self, name: impl Into<String>) -> Self {
        self.config.cluster = Some(name.into());
        self
    }
}

impl fmt::Debug for InformerFactoryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerFactoryBuilder")
            .field("config", &self.config)
            .field("resync", &self.resync)
            .finish_non_exhaustive()
    }
}
