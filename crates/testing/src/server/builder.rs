//! The settings of a server that does more than a test of one reconcile needs.

use std::env;

use super::{ApiServer, WINDOW};
use crate::{
    auth,
    controllers::{Alone, Controllers, Immediate, namespaces},
    kinds::store::{Reactions, Store},
    storage::lock,
};

/// Which namespaces there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Namespaces {
    /// All, without being created.
    #[default]
    Assumed,
    Empty,
    Complete,
}

/// The settings of an [`ApiServer`].
///
/// ```
/// # use kube_codegen_testing::ApiServer;
/// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let server = ApiServer::builder().namespaces().build();
/// assert_eq!(server.list::<Namespace>().len(), 4);
/// let maps: kube::Api<ConfigMap> = kube::Api::namespaced(server.client(), "absent");
/// let rejected = maps.create(&Default::default(), &ConfigMap::default()).await;
/// assert!(rejected.is_err());
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
#[allow(clippy::struct_excessive_bools)] // They are independent.
pub struct Builder {
    namespaces: Namespaces,
    authority: String,
    controllers: Option<Controllers>,
    authorization: bool,
    grace_periods: bool,
    alone: bool,
    shards: bool,
}

impl Builder {
    /// Gives namespaces a life cycle: `default`, `kube-system`, `kube-public` and `kube-node-lease` exist at the start, each
    /// namespace has its default account and `kube-root-ca.crt`, objects need an existing namespace, and a deleted namespace
    /// is `Terminating` until its objects are gone.
    pub fn namespaces(mut self) -> Self {
        self.namespaces = Namespaces::Complete;
        self
    }

    /// As [`Self::namespaces`], but new namespaces are empty, and Pods need no account.
    pub fn empty_namespaces(mut self) -> Self {
        self.namespaces = Namespaces::Empty;
        self
    }

    /// As `envtest` serves the API, without kube-controller-manager: as [`Self::empty_namespaces`], and nothing is collected. A deleted
    /// namespace stays `Terminating` with its objects, dependents outlive their owners, and the finalizers `foregroundDeletion` and
    /// `orphan` stay until a client removes them.
    pub fn envtest(mut self) -> Self {
        self.namespaces = Namespaces::Empty;
        self.alone = true;
        self
    }

    /// Sets the certificate authority (PEM) that `kube-root-ca.crt` of each namespace holds.
    pub fn authority(mut self, pem: impl Into<String>) -> Self {
        self.authority = pem.into();
        self
    }

    /// Authenticates clients over HTTP by their token, and authorizes requests by the stored RBAC objects: without a rule that
    /// allows it, a request gets 403 with the message of kube-apiserver. The client of [`ApiServer::client`] may do everything.
    ///
    /// Service accounts get tokens by a `TokenRequest` (`kubectl create token`). Impersonation and the reviews of access and
    /// tokens are answered accordingly. As on a real server, users cannot grant permissions that they do not have.
    ///
    /// With the environment variable `KUBE_CODEGEN_RBAC=measure`, all requests are allowed: so a test shows which permissions it
    /// uses,
    /// in the file of `KUBE_CODEGEN_REQUESTS`, before they are granted.
    pub fn authorization(mut self) -> Self {
        self.authorization = true;
        self
    }

    /// Keeps a scheduled Pod that is deleted until its grace period is over, as if kubelets ran: a deletion with a grace period of
    /// zero removes it. [`Self::controllers`] implies this, and removes such Pods.
    pub fn grace_periods(mut self) -> Self {
        self.grace_periods = true;
        self
    }

    /// Lists and watches the objects of a `shardSelector` alone, as with the feature gate `ShardedListAndWatch` of kube-apiserver, which is off by
    /// default: then the selector is ignored.
    pub fn sharded_lists(mut self) -> Self {
        self.shards = true;
        self
    }

    /// Runs controllers on the current tokio runtime.
    pub fn controllers(mut self, controllers: Controllers) -> Self {
        self.controllers = Some(controllers);
        self
    }

    /// Creates the server.
    ///
    /// # Panics
    /// With [`Self::controllers`] outside a tokio runtime.
    pub fn build(self) -> ApiServer {
        let reactions: &dyn Reactions = if self.alone { &Alone } else { &Immediate };
        let mut store = Store::new(WINDOW, reactions);
        store.authority = self.authority;
        store.kubelets = self.grace_periods;
        store.shards = self.shards;
        store.accounts = self.namespaces != Namespaces::Empty;
        if self.namespaces != Namespaces::Assumed {
            namespaces::start(&mut store);
        }
        let measures = env::var_os("KUBE_CODEGEN_RBAC").is_some_and(|value| value == "measure");
        let is_enforced = self.authorization && !measures;
        if self.authorization {
            auth::start(&mut store);
            store.authorization = is_enforced;
        }
        let server = ApiServer::with(store);
        lock(&server.0.auth).enabled = is_enforced;
        if let Some(controllers) = self.controllers {
            tokio::spawn(server.run_controllers(controllers));
        }
        server
    }
}
