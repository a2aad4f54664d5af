//! The settings of a controller.
use std::time::Duration;

use futures::future::FutureExt as _;

use super::Controller;
use crate::{Object, cache::ObjectKey, client::writer::Writer, queue::RateLimiter};

impl<K: Object, By> Controller<K, By> {
    /// Does not enqueue an object for changes that this controller's own reconciles made, either to the object or to its children.
    ///
    /// Use this only if a reconcile does not rely on being called again after its own writes.
    ///
    /// The client must come from a manager or from [`InformerFactory::track_writes`](crate::informer::InformerFactory::track_writes), and
    /// the reconcile must send the request from its own task, not from a spawned one.
    ///
    /// The controller ignores changes from creations and from writes for a given resource version, such as
    /// [`TypedClient::modify`](crate::client::TypedClient::modify) and `replace`. Any other write may turn out to change nothing, and its
    /// response then carries the version of an earlier change, perhaps made by another client. Changes by other clients and controllers,
    /// deletions, resyncs and requeues always enqueue the object. So does a list after a broken watch, because its states may include
    /// changes of several clients.
    #[must_use]
    pub fn ignore_own_writes(mut self) -> Self {
        self.writer = Some(Writer::new());
        self
    }

    /// Sets how many objects are reconciled concurrently, at least one. The default is the [manager's
    /// setting](crate::manager::ManagerBuilder::workers), or one without a manager.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = Some(workers.max(1));
        self
    }

    /// Sets the rate limiter for retries. By default, the delay of an object starts at 5 ms and doubles up to 1,000 s. As in
    /// controller-runtime, there is no overall rate limit, so that failing objects do not delay the retries of others.
    #[must_use]
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<ObjectKey>) -> Self {
        self.limiter = Box::new(limiter);
        self
    }

    /// Drops an object after this many retries, until it changes or is resynced. The default is no limit.
    #[must_use]
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = Some(retries);
        self
    }

    /// Cancels a reconcile at its next `await` once it takes longer than `limit`, and retries it with
    /// [`OnError::Backoff`](super::OnError::Backoff). The default is the [manager's
    /// setting](crate::manager::ManagerBuilder::reconcile_timeout), or no limit without a manager.
    #[must_use]
    pub fn reconcile_timeout(mut self, limit: Duration) -> Self {
        self.reconcile_timeout = Some(limit);
        self
    }

    /// Sets how long running reconciles may take to finish on shutdown. After this, they are cancelled at their next `await`. The default
    /// is 30 s. Under a [`Manager`](crate::manager::Manager), the manager's grace period applies instead.
    #[must_use]
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.grace_period = period;
        self
    }

    /// Sets how long the first lists of all informers may take before [`run`](Controller::run) fails, for kinds that the server serves.
    /// The default is the [manager's setting](crate::manager::ManagerBuilder::cache_sync_timeout), or two minutes without a manager.
    #[must_use]
    pub fn cache_sync_timeout(mut self, timeout: Duration) -> Self {
        self.cache_sync_timeout = Some(timeout);
        self
    }

    /// Sets whether a [`Manager`](crate::manager::Manager) runs the controller only while this process leads. The default is `true`. With
    /// `false`, it runs on every replica and must not write through the manager's fenced client.
    #[must_use]
    pub fn needs_leader_election(mut self, needs: bool) -> Self {
        self.needs_leader_election = needs;
        self
    }

    /// Runs the controller on one replica even if the manager uses [shards](crate::manager::ManagerBuilder::shards). Use it for a
    /// controller that compares objects with each other, or that receives keys from [another source](Self::enqueue_from) on one replica
    /// only.
    #[must_use]
    pub fn without_shards(mut self) -> Self {
        self.may_be_divided = false;
        self
    }

    /// Caches all objects on each replica even if the manager uses [shards](crate::manager::ManagerBuilder::shards). Use it when a
    /// reconcile, an index or a webhook looks up objects that another replica reconciles.
    #[must_use]
    pub fn with_whole_caches(mut self) -> Self {
        self.has_whole_caches = true;
        self
    }

    /// Sets whether a [`Manager`](crate::manager::Manager) fills the caches of this controller's informers while another replica leads.
    /// The default is the [manager's setting](crate::manager::ManagerBuilder::warm_up).
    #[must_use]
    pub fn warm_up(mut self, warm_up: bool) -> Self {
        self.warm_up = Some(warm_up);
        self
    }

    /// Shuts the controller down when `trigger` completes: no new reconcile starts, and running ones may finish within the grace period.
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
