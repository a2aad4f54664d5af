//! Member clusters of a manager.
use std::{sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use kube::Client;

use super::{Manager, Runnable, builder};
use crate::{
    clusters::{Cluster, ClusterChange, Clusters, KubeconfigSecrets, Members, Settings},
    controller::Defaults,
};

impl Manager {
    /// Runs the controllers of member clusters while this process leads. The stream `changes` reports which clusters join and leave. See
    /// [`clusters`](crate::clusters) for an example.
    ///
    /// `setup` adds the controllers of a cluster. The manager calls it each time a cluster starts: when it joins, and after a failure.
    /// `setup` must not assume that the cluster is reachable, because the manager does not wait for it.
    ///
    /// Controllers and informers use the settings of this manager, except for the
    /// [`cache_sync_timeout`](super::ManagerBuilder::cache_sync_timeout), which members do not have. A failing member never stops the
    /// manager.
    pub fn clusters(
        &mut self,
        changes: impl Stream<Item = ClusterChange> + Send + 'static,
        setup: impl Fn(&mut Cluster) + Send + Sync + 'static,
    ) -> Clusters {
        let (term, writes) = (self.term(), self.writes.clone());
        let fence = move |client: Client| {
            let fenced = term
                .as_ref()
                .map_or_else(|| client.clone(), |term| term.fence(&client));
            writes.clone().apply(fenced)
        };
        let settings = Settings {
            factory: self.factory.clone(),
            name: self.name.clone(),
            field_manager: self.writer.clone(),
            defaults: Defaults {
                cache_sync_timeout: Duration::MAX,
                ..self.controllers.defaults.clone()
            },
            workers: self.controllers.workers,
            workers_of: self.controllers.workers_of.clone(),
            fence: Box::new(fence),
            #[cfg(feature = "metrics")]
            metrics: self.metrics(),
        };
        let clusters = Clusters::default();
        let members = Members {
            changes: changes.boxed(),
            setup: Arc::new(setup),
            settings: Arc::new(settings),
            clusters: clusters.clone(),
        };
        self.controllers.add_members();
        self.add(Runnable::new("member clusters", |stop| members.run(stop)));
        clusters
    }

    /// Returns a source of member clusters: the kubeconfig Secrets in a namespace of the hub. With the feature `metrics`, requests to the
    /// members are measured.
    pub fn kubeconfig_secrets(&self, namespace: impl Into<String>) -> KubeconfigSecrets {
        let secrets = KubeconfigSecrets::new(self.unfenced_client(), namespace);
        #[cfg(feature = "metrics")]
        let metrics = self.metrics();
        secrets.connect_with(move |config| {
            builder::client(
                config,
                #[cfg(feature = "metrics")]
                &metrics,
            )
        })
    }
}
