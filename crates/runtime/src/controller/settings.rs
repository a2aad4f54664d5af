//! The settings of a controller.
use std::time::Duration;

use futures::future::FutureExt as _;

use super::Controller;
use crate::{Object, cache::ObjectKey, client::writer::Writer, queue::RateLimiter};

impl<K: Object, By> Controller<K, By> {
    /// Does not enqueue an object for changes that reconciles of this controller have made, of the object itself or of its children.
    ///
    /// The client must be a manager's, or one of
    /// [`InformerFactory::track_writes`](crate::informer::InformerFactory::track_writes), and a reconcile must send the request from its own
    /// task, not from a spawned one. Ignored are the changes of creations and of writes for a resource version, such as
    /// [`TypedClient::modify`](crate::client::TypedClient::modify) and `replace`. Any other write may have changed nothing: then its response
    /// has the version of an earlier change, perhaps another client's. Changes of other clients and controllers, deletions, resyncs and
    /// requeues always enqueue, and so does a list after a broken watch, since its states may include the changes of several clients.
    ///
    /// Use it only if a reconcile does not depend on being called again after its own writes.
    #[must_use]
    pub fn ignore_own_writes(mut self) -> Self {
        self.writer = Some(Writer::new());
        self
    }

    /// Sets how many objects are reconciled concurrently; at least one. The default is the
    /// [manager's](crate::manager::ManagerBuilder::workers), or one.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = Some(workers.max(1));
        self
    }

    /// Sets the limiter of retries. By default, the delay of an object starts with 5 ms and doubles up to 1,000 s. The rate over all objects is not limited,
    /// as in controller-runtime: the objects that fail must not delay the retries of others.
    #[must_use]
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<ObjectKey>) -> Self {
        self.limiter = Box::new(limiter);
        self
    }

    /// Drops an object after this many retries, until it changes or is resynced. By default there is no limit.
    #[must_use]
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = Some(retries);
        self
    }

    /// Drops a reconcile at its next `await` once it takes longer than this, and retries it with
    /// [`OnError::Backoff`](super::OnError::Backoff). The default is the [manager's](crate::manager::ManagerBuilder::reconcile_timeout), or no limit.
    #[must_use]
    pub fn reconcile_timeout(mut self, limit: Duration) -> Self {
        self.reconcile_timeout = Some(limit);
        self
    }

    /// Sets how long running reconciles may take to finish on shutdown before they are dropped at their next `await`; 30 s by default. A
    /// [`Manager`](crate::manager::Manager) replaces it by its own.
    #[must_use]
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.grace_period = period;
        self
    }

    /// Sets how long the first lists of all informers may take before [`run`](Controller::run) fails, if the server serves their kinds. The default is the
    /// [manager's](crate::manager::ManagerBuilder::cache_sync_timeout), or two minutes.
    #[must_use]
    pub fn cache_sync_timeout(mut self, timeout: Duration) -> Self {
        self.cache_sync_timeout = Some(timeout);
        self
    }

    /// Sets whether a [`Manager`](crate::manager::Manager) runs it only while this process leads, which is the default. Otherwise it runs on
    /// every replica, and must not write through the manager's fenced client.
    #[must_use]
    pub fn needs_leader_election(mut self, needs: bool) -> Self {
        self.needs_leader_election = needs;
        self
    }

    /// Runs on one replica even if the manager has [shards](crate::manager::ManagerBuilder::shards): for a controller that compares objects with
    /// each other, or whose keys come from [somewhere else](Self::enqueue_from) on one replica only.
    #[must_use]
    pub fn without_shards(mut self) -> Self {
        self.may_be_divided = false;
        self
    }

    /// Caches all objects on each replica even if the manager has [shards](crate::manager::ManagerBuilder::shards): for a reconcile, an index or a
    /// webhook that looks up objects that another replica reconciles.
    #[must_use]
    pub fn with_whole_caches(mut self) -> Self {
        self.has_whole_caches = true;
        self
    }

    /// Sets whether a [`Manager`](crate::manager::Manager) fills the caches of its informers while another replica leads. The default is the
    /// [manager's](crate::manager::ManagerBuilder::warm_up).
    #[must_use]
    pub fn warm_up(mut self, warm_up: bool) -> Self {
        self.warm_up = Some(warm_up);
        self
    }

    /// Shuts the controller down when `trigger` completes: no reconcile starts, and running ones may finish within the grace period.
    #[must_use]
    pub fn graceful_shutdown_on(
        mut self,
        trigger: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let before = self.shutdown;
        self.shutdown = async move {
            tokio::select! { biased; () = before => {}, () = trigger => {} }
        }
        .boxed();
        self
    }
}
