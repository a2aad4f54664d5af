//! Runs a controller: caches first, then workers, until the shutdown or the first failure.
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
    time::Duration,
};

use futures::{
    StreamExt,
    future::{BoxFuture, select_all, try_join_all},
    stream::BoxStream,
};
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;
use tower::BoxError;
use tracing::{debug, info, warn};

use super::{
    Action, CACHE_SYNC_TIMEOUT, Controller, Enqueue, MetricsHandle, OnError, RunError,
    causes::Causes,
    sharded::Share,
    trigger::{Connected, Predicate, Trigger, Unsettled, trigger},
    worker::{Attempt, Failed, Reconciling, Worker},
};
use crate::{
    Object,
    cache::ObjectKey,
    client::{describe, writer::Writer},
    informer::SharedInformer,
    panics,
    queue::{LOW_PRIORITY, WorkQueue},
    shards::{Entered, within},
};

impl<K: Object> Controller<K> {
    /// Runs until shutdown, or until one of the informers is shut down.
    ///
    /// Starts the informers, waits until all caches have synced, and then calls `reconcile` with each enqueued object: several objects
    /// concurrently, but never the same object twice at a time. While the server does not serve `K`, the controller waits as long as
    /// necessary; it does not wait for other kinds that the server does not serve.
    ///
    /// Objects that have been deleted in the meantime are skipped (see [`run_keyed`](Self::run_keyed)); put clean-up before deletion in a
    /// finalizer.
    ///
    /// An error is logged with its causes, and `error_policy` decides what happens next. If the cache shows that the object is gone by
    /// then, the error is expected and is not retried. A panic in either function is logged and retried with [`OnError::Backoff`].
    ///
    /// Dropping the returned future stops everything at once.
    ///
    /// # Errors
    /// Fails if the caches do not sync in time, an informer fails, or a worker panics outside `reconcile` and `error_policy`.
    pub async fn run<Ctx, E, Reconcile, Running, Policy>(
        self,
        reconcile: Reconcile,
        error_policy: Policy,
        context: Arc<Ctx>,
    ) -> Result<(), RunError>
    where
        Ctx: Send + Sync + 'static,
        E: Into<BoxError> + Send + 'static,
        Reconcile: Fn(Arc<K>, Arc<Ctx>) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Action, E>> + Send + 'static,
        Policy: Fn(Arc<K>, &E, Arc<Ctx>) -> OnError + Send + Sync + 'static,
    {
        let functions = Arc::new((reconcile, error_policy));
        let primary = self.primary.clone();
        let attempt: TypedAttempt<K> = Box::new(move |key, object| {
            let object = object?;
            let (functions, context) = (Arc::clone(&functions), Arc::clone(&context));
            let (key, primary) = (key.clone(), primary.clone());
            Some(Box::pin(async move {
                let (reconcile, error_policy) = &*functions;
                let outcome = reconcile(Arc::clone(&object), Arc::clone(&context)).await;
                outcome.map_err(|failure| {
                    if is_gone(&primary, &key, &*object) {
                        return gone(failure);
                    }
                    let next = || error_policy(object, &failure, context);
                    let next = catch_unwind(AssertUnwindSafe(next));
                    failed(failure, next)
                })
            }))
        });
        self.run_attempts(attempt).await
    }

    /// Like [`run`](Self::run), but `reconcile` receives the key of each enqueued object, plus the object unless it was deleted. Use it to
    /// react to deletions where a finalizer would be too much, such as removing a per-object metric. The controller misses deletions that
    /// happen while it is not running.
    ///
    /// ```
    /// use std::{convert::Infallible, sync::Arc};
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::{controller::{Action, Controller, OnError, RunError}, informer::{InformerFactory, ObjectKey}};
    ///
    /// async fn reconcile(key: ObjectKey, map: Option<Arc<ConfigMap>>, _: Arc<()>) -> Result<Action, Infallible> {
    ///     match map {
    ///         Some(map) => println!("{key} has {} keys", map.data.as_ref().map_or(0, |data| data.len())),
    ///         None => println!("{key} was deleted"),
    ///     }
    ///     Ok(Action::await_change())
    /// }
    ///
    /// # async fn example(factory: &InformerFactory) -> Result<(), RunError> {
    /// let controller = Controller::for_informer(&factory.informer::<ConfigMap>());
    /// controller.run_keyed(reconcile, |_, _, _| OnError::Backoff, Arc::new(())).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as [`run`](Self::run).
    pub async fn run_keyed<Ctx, E, Reconcile, Running, Policy>(
        self,
        reconcile: Reconcile,
        error_policy: Policy,
        context: Arc<Ctx>,
    ) -> Result<(), RunError>
    where
        Ctx: Send + Sync + 'static,
        E: Into<BoxError> + Send + 'static,
        Reconcile: Fn(ObjectKey, Option<Arc<K>>, Arc<Ctx>) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Action, E>> + Send + 'static,
        Policy: Fn(&ObjectKey, &E, Arc<Ctx>) -> OnError + Send + Sync + 'static,
    {
        let functions = Arc::new((reconcile, error_policy));
        let primary = self.primary.clone();
        let attempt: TypedAttempt<K> = Box::new(move |key, object| {
            let (functions, context) = (Arc::clone(&functions), Arc::clone(&context));
            let (key, primary) = (key.clone(), primary.clone());
            Some(Box::pin(async move {
                let (reconcile, error_policy) = &*functions;
                let running = reconcile(key.clone(), object.clone(), Arc::clone(&context));
                let outcome = running.await;
                outcome.map_err(|failure| {
                    if let Some(object) = &object
                        && is_gone(&primary, &key, &**object)
                    {
                        return gone(failure);
                    }
                    let next = || error_policy(&key, &failure, context);
                    let next = catch_unwind(AssertUnwindSafe(next));
                    failed(failure, next)
                })
            }))
        });
        self.run_attempts(attempt).await
    }

    /// Prepares what depends on the kind, and runs the rest.
    async fn run_attempts(mut self, attempt: TypedAttempt<K>) -> Result<(), RunError> {
        let queue = WorkQueue::with_boxed_limiter(self.limiter);
        self.metrics.observe(&queue);
        let share = self.shards.map(Share::new);
        let predicate = all(self.predicates);
        let predicate = match &share {
            Some(share) => Some(share.predicate(predicate)),
            None => predicate,
        };
        let own = |object: &Arc<K>| vec![ObjectKey::of(&**object)];
        self.triggers
            .insert(0, trigger(&self.primary, true, predicate, own));
        let mut sources: Vec<BoxFuture<'static, ()>> = Vec::new();
        if let Some(share) = share.clone() {
            sources.push(Box::pin(share.enqueue(self.primary.clone(), queue.clone())));
        }
        sources.extend(
            self.sources
                .into_iter()
                .map(|keys| add_all(keys, queue.clone())),
        );
        let enqueue_all = {
            let (primary, queue) = (self.primary.clone(), queue.clone());
            move || {
                for object in primary.lister().all() {
                    let key = ObjectKey::of(&*object);
                    queue.forget(&key);
                    queue.add_with_priority(key, LOW_PRIORITY);
                }
            }
        };
        let kind = self.primary.kind().to_string();
        let (primary, writer) = (self.primary, self.writer.clone());
        let attempt: Attempt = Box::new(move |key| {
            let object = primary.find(key);
            let entered = match &share {
                Some(share) => Some(share.enter(key, object.as_ref().map(|it| it.meta()))?),
                None => None,
            };
            Some(scoped(writer.clone(), entered, attempt(key, object)?))
        });
        let work = Work {
            kind,
            queue,
            triggers: self.triggers,
            writer: self.writer,
            sources,
            enqueue_all: Arc::new(enqueue_all),
            attempt,
            workers: self.workers.unwrap_or(1),
            cache_sync_timeout: self.cache_sync_timeout.unwrap_or(CACHE_SYNC_TIMEOUT),
            max_retries: self.max_retries,
            reconcile_timeout: self.reconcile_timeout,
            grace_period: self.grace_period,
            metrics: self.metrics,
        };
        work.boxed(self.shutdown).await
    }
}

/// Reconciles an object once, or returns nothing if there is nothing to reconcile.
type TypedAttempt<K> = Box<dyn Fn(&ObjectKey, Option<Arc<K>>) -> Option<Reconciling> + Send + Sync>;

/// Adds the keys of a source to the queue.
fn add_all(
    keys: BoxStream<'static, Enqueue>,
    queue: WorkQueue<ObjectKey>,
) -> BoxFuture<'static, ()> {
    Box::pin(keys.for_each(move |Enqueue { key, priority }| {
        queue.add_with_priority(key, priority);
        std::future::ready(())
    }))
}

/// Runs a reconcile with its controller as the writer and, if the controller is divided, only while this process holds the range of the object.
fn scoped(
    writer: Option<Arc<Writer>>,
    entered: Option<Entered>,
    reconciling: Reconciling,
) -> Reconciling {
    let running = Writer::scope(writer, reconciling);
    Box::pin(async {
        match entered {
            // Whoever has the range next reconciles the object.
            Some(entered) => within(entered, running)
                .await
                .unwrap_or_else(|| Ok(Action::await_change())),
            None => running.await,
        }
    })
}

/// A controller of any kind, ready to run.
struct Work {
    kind: String,
    queue: WorkQueue<ObjectKey>,
    triggers: Vec<Trigger>,
    writer: Option<Arc<Writer>>,
    sources: Vec<BoxFuture<'static, ()>>,
    /// Enqueues all objects that are reconciled, with an end to their back-off: a kind has come that reconciles may have failed without.
    enqueue_all: Arc<dyn Fn() + Send + Sync>,
    attempt: Attempt,
    workers: usize,
    cache_sync_timeout: Duration,
    max_retries: Option<u32>,
    reconcile_timeout: Option<Duration>,
    grace_period: Duration,
    metrics: MetricsHandle,
}

impl Work {
    /// Runs it as a boxed future. An async function is compiled in the crate that polls it, so every operator would compile this loop again after each
    /// change; a boxed future is compiled here, once.
    fn boxed(self, shutdown: BoxFuture<'static, ()>) -> BoxFuture<'static, Result<(), RunError>> {
        Box::pin(self.run(shutdown))
    }

    async fn run(self, mut shutdown: BoxFuture<'static, ()>) -> Result<(), RunError> {
        let (kind, queue, workers) = (self.kind, self.queue, self.workers);
        let cluster = self.metrics.cluster();
        self.metrics.count(|counts| counts.workers = workers);
        // The guards remove the handlers, however this function ends.
        let causes = Arc::new(Causes::new(cluster.clone()));
        let guards: Vec<_> = self
            .triggers
            .iter()
            .map(|trigger| trigger(&queue, &causes, self.writer.as_ref()))
            .collect();
        let limit = self.cache_sync_timeout;
        let settled = try_join_all(guards.iter().map(|guard| guard.wait_settled(limit)));
        tokio::select! {
            biased;
            settled = settled => match settled {
                Ok(_) => {}
                Err(Unsettled::Ended(error)) => return Err(error),
                Err(Unsettled::Late) => return Err(RunError::CacheSyncTimeout {
                    kinds: late(&guards),
                    timeout: limit,
                }),
            },
            () = &mut shutdown => return Ok(()),
        }
        info!(%kind, cluster = cluster.as_deref(), workers, "caches are synced, starting workers");

        let stop = CancellationToken::new();
        let worker = Arc::new(Worker {
            kind: kind.clone(),
            cluster: cluster.clone(),
            queue: queue.clone(),
            causes,
            attempt: self.attempt,
            max_retries: self.max_retries,
            reconcile_timeout: self.reconcile_timeout,
            metrics: self.metrics,
        });
        let mut running = JoinSet::new();
        for _ in 0..workers {
            running.spawn(Arc::clone(&worker).work(stop.clone()));
        }
        let mut sources: JoinSet<()> = self.sources.into_iter().collect();
        for guard in &guards {
            sources.spawn(guard.arrivals(Arc::clone(&self.enqueue_all)));
        }
        let outcome = tokio::select! {
            biased;
            () = shutdown => Ok(()),
            (result, ..) = select_all(guards.iter().map(|guard| Box::pin(guard.ended()))) => result,
            failure = panic_of(&mut running) => Err(failure),
            failure = panic_of(&mut sources) => Err(failure),
        };
        drop((guards, sources));
        stop.cancel();
        queue.shut_down();
        let ended = async { while running.join_next().await.is_some() {} };
        if timeout(self.grace_period, ended).await.is_err() {
            // Not awaited: a reconcile that blocks its thread never reaches an `await` at which it could be dropped.
            warn!(%kind, cluster = cluster.as_deref(), "dropping reconciles that did not finish within the grace period");
            running.abort_all();
        }
        outcome
    }
}

/// Logs why a reconcile failed, with its causes, and returns what the error policy says. A panic of the policy goes on.
fn failed(failure: impl Into<BoxError>, next: thread::Result<OnError>) -> Failed {
    // In the span of the reconcile, which names the object.
    warn!("reconcile failed: {}", describe(&*failure.into()));
    Failed::Error(next.unwrap_or_else(|panic| resume_unwind(panic)))
}

/// Whether the cache shows by now that the object of a reconcile is gone.
fn is_gone<K: Object>(primary: &SharedInformer<K>, key: &ObjectKey, object: &K) -> bool {
    let now = primary.find(key);
    now.is_none_or(|now| now.meta().uid != object.meta().uid)
}

/// Ends a reconcile whose object is gone.
fn gone(failure: impl Into<BoxError>) -> Failed {
    debug!("the object is gone: {}", describe(&*failure.into()));
    Failed::Gone
}

/// Returns a predicate that accepts what all of `predicates` do.
fn all<K: Object>(mut predicates: Vec<Predicate<K>>) -> Option<Predicate<K>> {
    if predicates.len() < 2 {
        return predicates.pop();
    }
    Some(Arc::new(move |event| {
        predicates.iter().all(|predicate| predicate(event))
    }))
}

fn late(guards: &[Connected]) -> Vec<String> {
    let waiting = guards.iter().filter(|guard| guard.is_late());
    let mut kinds: Vec<_> = waiting.map(Connected::kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Waits until a task panics. Tasks that end otherwise are ignored.
async fn panic_of(tasks: &mut JoinSet<()>) -> RunError {
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended
            && let Ok(panic) = error.try_into_panic()
        {
            let message = panics::message(panic);
            return RunError::WorkerPanicked { message };
        }
    }
    std::future::pending().await
}
