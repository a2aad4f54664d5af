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

/// Builds an [`ApiServer`] from its settings.
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
    /// Enforces the life cycle of namespaces. `default`, `kube-system`, `kube-public` and `kube-node-lease` exist at the start, each
    /// namespace has its default service account and `kube-root-ca.crt`, objects need an existing namespace, and a deleted namespace stays
    /// `Terminating` until its objects are gone.
    pub fn namespaces(mut self) -> Self {
        self.namespaces = Namespaces::Complete;
        self
    }

    /// Like [`Self::namespaces`], but new namespaces are empty, and Pods need no service account.
    pub fn empty_namespaces(mut self) -> Self {
        self.namespaces = Namespaces::Empty;
        self
    }

    /// Behaves like `envtest`, which runs no kube-controller-manager: like [`Self::empty_namespaces`], but without garbage collection. A
    /// deleted namespace stays `Terminating` with its objects, dependents outlive their owners, and the finalizers `foregroundDeletion`
    /// and `orphan` stay until a client removes them.
    pub fn envtest(mut self) -> Self {
        self.namespaces = Namespaces::Empty;
        self.alone = true;
        self
    }

    /// Sets the certificate authority (PEM) for the `kube-root-ca.crt` of each namespace.
    pub fn authority(mut self, pem: impl Into<String>) -> Self {
        self.authority = pem.into();
        self
    }

    /// Authenticates HTTP clients by their tokens, and authorizes requests by the stored RBAC objects. A request that no rule allows is
    /// rejected with 403 and kube-apiserver's message. The client of [`ApiServer::client`] may do everything.
    ///
    /// Service accounts get tokens through a `TokenRequest` (`kubectl create token`). Impersonation, and access and token reviews, work
    /// accordingly. As in a real
    /// cluster, users cannot grant permissions that they do not have.
    ///
    /// To find out which permissions a test uses before you grant them, set the environment variable `KUBE_CODEGEN_RBAC=measure`: all
    /// requests are then allowed, and recorded in the file named by `KUBE_CODEGEN_REQUESTS`.
    pub fn authorization(mut self) -> Self {
        self.authorization = true;
        self
    }

    /// Keeps a scheduled Pod that is deleted until a client deletes it again with a grace period of 0, as a kubelet would.
    /// [`Self::controllers`] implies this setting, and also removes such Pods after their grace period.
    pub fn grace_periods(mut self) -> Self {
        self.grace_periods = true;
        self
    }

    /// Honours the `shardSelector` of lists and watches, like kube-apiserver's feature gate `ShardedListAndWatch`. By default, the
    /// selector is ignored.
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
    /// If called outside a Tokio runtime with [`Self::controllers`].
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
