//! Members by their kubeconfigs, in Secrets of the hub.
use std::{collections::HashMap, fmt, panic::AssertUnwindSafe, sync::Arc};

use futures::{FutureExt, Stream, StreamExt, stream};
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Client, Config,
    config::{AuthInfo, KubeConfigOptions, Kubeconfig, KubeconfigError},
};
use thiserror::Error;
use tracing::warn;

use super::ClusterChange;
use crate::{
    client::describe,
    informer::{InformerEvent, InformerFactory},
    panics,
};

/// The label of Secrets that hold the kubeconfig of a member.
const LABEL: &str = "kube-codegen.dev/cluster";
/// Their key with the kubeconfig.
const KEY: &str = "kubeconfig";

type Connect = Arc<dyn Fn(Config) -> kube::Result<Client> + Send + Sync>;

/// A source of members from Secrets. Each Secret in a namespace of the hub that has the label `kube-codegen.dev/cluster`, and a kubeconfig
/// in its key `kubeconfig`, is a member cluster with the Secret's name.
///
/// ```no_run
/// use kube_codegen_runtime::manager::Manager;
///
/// # fn example(manager: &mut Manager) {
/// let secrets = manager.kubeconfig_secrets("fleet");
/// manager.clusters(secrets.changes(), |cluster| {
///     // Add controllers.
/// });
/// # }
/// ```
///
/// - When you create a Secret, its cluster [joins](ClusterChange::Joined). When you delete it or remove the label, the cluster
///   [leaves](ClusterChange::Left).
/// - When you change the kubeconfig, the client is [renewed](ClusterChange::Renewed) and caches stay. If the server's URL changes, the
///   cluster joins again.
/// - An unusable kubeconfig is logged without its content, and the cluster stays as it is.
/// - A kubeconfig must contain its certificates, keys and tokens. One with a plug-in (`exec`, `auth-provider`) or a file path is rejected,
///   so that people who can write these Secrets cannot run programs or read files of the operator.
///
/// Requires `list` and `watch` on Secrets in this namespace.
#[must_use]
pub struct KubeconfigSecrets {
    hub: Client,
    namespace: String,
    label_selector: String,
    key: String,
    connect: Connect,
}

impl KubeconfigSecrets {
    /// Creates a source from the Secrets of a namespace. [`Manager::kubeconfig_secrets`](crate::manager::Manager::kubeconfig_secrets) does
    /// this with the manager's client, and measures the requests to the members.
    pub fn new(hub: Client, namespace: impl Into<String>) -> Self {
        Self {
            hub,
            namespace: namespace.into(),
            label_selector: LABEL.to_owned(),
            key: KEY.to_owned(),
            #[cfg(feature = "rustls-tls")]
            connect: Arc::new(crate::client::connect),
            #[cfg(not(feature = "rustls-tls"))]
            connect: Arc::new(Client::try_from),
        }
    }

    /// Selects Secrets by these labels (`fleet=west,tier!=test`) instead of the label `kube-codegen.dev/cluster`.
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.label_selector = selector.into();
        self
    }

    /// Sets the key that holds the kubeconfig. For Secrets of Cluster API, use `value`.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Sets the function that creates clients, for example with a proxy, timeouts or more layers.
    pub fn connect_with(
        mut self,
        connect: impl Fn(Config) -> kube::Result<Client> + Send + Sync + 'static,
    ) -> Self {
        self.connect = Arc::new(connect);
        self
    }

    /// Returns the members as a stream. It starts to watch the Secrets when it is first polled.
    pub fn changes(self) -> impl Stream<Item = ClusterChange> + Send + use<> {
        let start = async move {
            let factory = InformerFactory::builder(self.hub.clone())
                .namespace(self.namespace.clone())
                .label_selector(self.label_selector.clone())
                .build();
            let events = factory.informer::<Secret>().events();
            factory.start();
            let known = HashMap::new();
            stream::unfold(
                (events, self, known),
                |(mut events, secrets, mut known)| async {
                    loop {
                        if let Some(change) = secrets.change(events.next().await?, &mut known).await
                        {
                            return Some((change, (events, secrets, known)));
                        }
                    }
                },
            )
        };
        stream::once(start).flatten()
    }

    /// Returns what an event of a Secret means for its cluster. `known` has the servers of the members.
    async fn change(
        &self,
        event: InformerEvent<Secret>,
        known: &mut HashMap<String, Server>,
    ) -> Option<ClusterChange> {
        let secret = match event {
            InformerEvent::Added { object, .. } => object,
            InformerEvent::Updated { old, new } if self.text(&old) == self.text(&new) => {
                return None;
            }
            InformerEvent::Updated { new, .. } => new,
            InformerEvent::Deleted(deleted) => {
                let name = deleted.object.metadata.name.clone()?;
                known.remove(&name)?;
                return Some(ClusterChange::Left { name });
            }
        };
        let name = secret.metadata.name.clone()?;
        // Whatever a Secret contains must not end the other clusters.
        let connected = AssertUnwindSafe(self.connect(&secret)).catch_unwind();
        let connected = connected.await.unwrap_or_else(|panic| {
            drop(panics::message(panic));
            Err(Unusable::Panicked)
        });
        match connected {
            Ok((server, client)) => Some(match known.insert(name.clone(), server.clone()) {
                Some(before) if before == server => ClusterChange::Renewed { name, client },
                _ => ClusterChange::Joined { name, client },
            }),
            Err(failure) => {
                let (namespace, failure) = (&self.namespace, describe(&failure));
                warn!(
                    cluster = name,
                    "the Secret {namespace}/{name} has no usable kubeconfig: {failure}"
                );
                None
            }
        }
    }

    fn text<'s>(&self, secret: &'s Secret) -> Option<&'s [u8]> {
        let value = secret.data.as_ref()?.get(&self.key)?;
        Some(&value.0)
    }

    async fn connect(&self, secret: &Secret) -> Result<(Server, Client), Unusable> {
        let missing = || Unusable::Missing(self.key.clone());
        let text = self.text(secret).ok_or_else(missing)?;
        let text = std::str::from_utf8(text).map_err(|_| Unusable::NotText)?;
        let kubeconfig = Kubeconfig::from_yaml(text).map_err(|error| Unusable::hide(&error))?;
        let users = kubeconfig.auth_infos.iter();
        if let Some(field) = users
            .filter_map(|user| user.auth_info.as_ref())
            .find_map(outside)
        {
            return Err(Unusable::Outside(field));
        }
        let clusters = kubeconfig.clusters.iter();
        let mut clusters = clusters.filter_map(|cluster| cluster.cluster.as_ref());
        if clusters.any(|cluster| cluster.certificate_authority.is_some()) {
            return Err(Unusable::Outside("certificate-authority"));
        }
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options);
        let config = config.await.map_err(|error| Unusable::hide(&error))?;
        let server = (config.cluster_url.clone(), config.tls_server_name.clone());
        let client = (self.connect)(config).map_err(|_| Unusable::Credentials)?;
        Ok((server, client))
    }
}

/// The URL of an API server, and the name in its certificate.
type Server = (http::Uri, Option<String>);

/// Returns the field by which a user runs a program or reads a file.
fn outside(user: &AuthInfo) -> Option<&'static str> {
    let fields = [
        ("exec", user.exec.is_some()),
        ("auth-provider", user.auth_provider.is_some()),
        ("tokenFile", user.token_file.is_some()),
        ("client-certificate", user.client_certificate.is_some()),
        ("client-key", user.client_key.is_some()),
    ];
    let mut outside = fields.into_iter().filter(|(_, is_set)| *is_set);
    outside.next().map(|(name, _)| name)
}

/// Why a Secret gives no client. The texts show nothing that the Secret contains: errors of parsers do.
#[derive(Debug, Error)]
enum Unusable {
    #[error("it has no key \"{0}\"")]
    Missing(String),
    #[error("it is not UTF-8")]
    NotText,
    #[error("it is not a kubeconfig in YAML")]
    NotYaml,
    #[error(
        "`{0}` is not allowed: a kubeconfig in a Secret must contain its credentials, and run no programs"
    )]
    Outside(&'static str),
    #[error("its current-context does not name a context whose cluster and user it has")]
    Context,
    #[error("the URL of its server or proxy is missing or invalid")]
    Url,
    #[error("its token, certificates or keys cannot be used")]
    Credentials,
    #[error("the function that makes its client panicked")]
    Panicked,
}

impl Unusable {
    fn hide(error: &KubeconfigError) -> Self {
        match error {
            KubeconfigError::Parse(_) => Self::NotYaml,
            KubeconfigError::CurrentContextNotSet
            | KubeconfigError::LoadContext(_)
            | KubeconfigError::LoadClusterOfContext(_) => Self::Context,
            KubeconfigError::MissingClusterUrl
            | KubeconfigError::ParseClusterUrl(_)
            | KubeconfigError::ParseProxyUrl(_) => Self::Url,
            _ => Self::Credentials,
        }
    }
}

impl fmt::Debug for KubeconfigSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KubeconfigSecrets")
            .field("namespace", &self.namespace)
            .field("label_selector", &self.label_selector)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}
