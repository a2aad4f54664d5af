//! Controllers that a manager or a member cluster runs: [`Manager::reconcile`](crate::manager::Manager::reconcile).
//!
//! They have every setting of a controller that a program runs itself. `run` differs: it hands the controller to its host instead of running it, and has the
//! defaults that nearly every operator wants, which are a back-off after errors and a context that it shares itself.
use std::{fmt, sync::Arc};

use kube::Client;
use tower::BoxError;

use super::{Action, Controller, OnError, RunError};
use crate::{Object, cache::ObjectKey, informer::InformerFactory};

/// Marks a controller that your program runs itself.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

/// Marks a controller that a manager or a member cluster runs; see [`Manager::reconcile`](crate::manager::Manager::reconcile).
pub struct Managed<H, OnFailure = Backoff> {
    host: H,
    policy: OnFailure,
}

/// The default error policy: [`OnError::Backoff`] after every failure.
#[derive(Clone, Copy, Debug)]
pub struct Backoff;

/// A custom error policy; see [`on_error`](Controller::on_error).
pub struct Policy<Subject, E, Ctx>(Decide<Subject, E, Ctx>);

/// What follows the failure of a reconcile.
type Decide<Subject, E, Ctx> = Box<dyn Fn(Subject, &E, Arc<Ctx>) -> OnError + Send + Sync>;

/// A host that runs controllers: a [`Manager`](crate::manager::Manager) or a [`Cluster`](crate::clusters::Cluster).
pub trait Host {
    /// The client that controllers use.
    #[doc(hidden)]
    fn client(&self) -> Client;
    /// The factory of the controllers' informers.
    #[doc(hidden)]
    fn factory(&self) -> &InformerFactory;
    /// The field manager for the controllers' writes.
    #[doc(hidden)]
    fn field_manager(&self) -> &str;
    /// Registers a controller; `run` runs it.
    #[doc(hidden)]
    fn add<K, F>(
        &self,
        controller: Controller<K>,
        run: impl FnOnce(Controller<K>) -> F + Send + 'static,
    ) where
        K: Object,
        F: Future<Output = Result<(), RunError>> + Send + 'static;
}

impl<K: Object> Controller<K> {
    /// Lets a manager or a member cluster run it.
    pub(crate) fn managed_by<H: Host>(self, host: H) -> Controller<K, Managed<H>> {
        let managed = Managed {
            host,
            policy: Backoff,
        };
        self.moved_to(managed).0
    }
}

impl<K: Object, H: Host> Controller<K, Managed<H>> {
    /// Sets the error policy: after each failure, `policy` decides from the object, the error and the context. The default is
    /// [`OnError::Backoff`] for every error. If you call [`run_keyed`](Self::run_keyed) next, `policy` takes an [`ObjectKey`] in place of
    /// the object.
    ///
    /// ```
    /// use std::{sync::Arc, time::Duration};
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::{controller::{Action, OnError}, manager::Manager};
    ///
    /// async fn reconcile(map: Arc<ConfigMap>, context: Arc<()>) -> kube::Result<Action> {
    ///     Ok(Action::await_change())
    /// }
    ///
    /// fn on_error(map: Arc<ConfigMap>, error: &kube::Error, context: Arc<()>) -> OnError {
    ///     OnError::After(Duration::from_secs(60))
    /// }
    ///
    /// # fn example(manager: &Manager) {
    /// manager.reconcile::<ConfigMap>().on_error(on_error).run(reconcile, ());
    /// # }
    /// ```
    #[must_use]
    pub fn on_error<Subject, E, Ctx>(
        self,
        policy: impl Fn(Subject, &E, Arc<Ctx>) -> OnError + Send + Sync + 'static,
    ) -> Controller<K, Managed<H, Policy<Subject, E, Ctx>>> {
        let (controller, Managed { host, .. }) = self.moved_to(Alone);
        let policy = Policy(Box::new(policy) as Decide<_, _, _>);
        controller.moved_to(Managed { host, policy }).0
    }

    /// Adds the controller to its manager, which calls `reconcile` with each enqueued object and the context. See [`run`](Controller::run)
    /// of a controller without a manager for the details.
    pub fn run<Ctx, E, Reconcile, Running>(self, reconcile: Reconcile, context: Ctx)
    where
        Ctx: Send + Sync + 'static,
        E: Into<BoxError> + Send + 'static,
        Reconcile: Fn(Arc<K>, Arc<Ctx>) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Action, E>> + Send + 'static,
    {
        self.on_error(|_: Arc<K>, _: &E, _: Arc<Ctx>| OnError::Backoff)
            .run(reconcile, context);
    }

    /// Like [`run`](Self::run), but `reconcile` receives the key of each enqueued object, plus the object unless it was deleted.
    pub fn run_keyed<Ctx, E, Reconcile, Running>(self, reconcile: Reconcile, context: Ctx)
    where
        Ctx: Send + Sync + 'static,
        E: Into<BoxError> + Send + 'static,
        Reconcile: Fn(ObjectKey, Option<Arc<K>>, Arc<Ctx>) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Action, E>> + Send + 'static,
    {
        self.on_error(|_: ObjectKey, _: &E, _: Arc<Ctx>| OnError::Backoff)
            .run_keyed(reconcile, context);
    }
}

impl<K, H, E, Ctx> Controller<K, Managed<H, Policy<Arc<K>, E, Ctx>>>
where
    K: Object,
    H: Host,
    E: Into<BoxError> + Send + 'static,
    Ctx: Send + Sync + 'static,
{
    /// Adds the controller to its manager, like the `run` without an error policy.
    pub fn run<Reconcile, Running>(self, reconcile: Reconcile, context: Ctx)
    where
        Reconcile: Fn(Arc<K>, Arc<Ctx>) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Action, E>> + Send + 'static,
    {
        let (controller, host, policy) = self.taken_apart();
        host.add(controller, |controller| {
            controller.run(reconcile, policy, Arc::new(context))
        });
    }
}

impl<K, H, E, Ctx> Controller<K, Managed<H, Policy<ObjectKey, E, Ctx>>>
where
    K: Object,
    H: Host,
    E: Into<BoxError> + Send + 'static,
    Ctx: Send + Sync + 'static,
{
    /// Adds the controller to its manager, like the `run_keyed` without an error policy.
    pub fn run_keyed<Reconcile, Running>(self, reconcile: Reconcile, context: Ctx)
    where
        Reconcile: Fn(ObjectKey, Option<Arc<K>>, Arc<Ctx>) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Action, E>> + Send + 'static,
    {
        let (controller, host, policy) = self.taken_apart();
        let policy = move |key: &ObjectKey, error: &E, context| policy(key.clone(), error, context);
        host.add(controller, |controller| {
            controller.run_keyed(reconcile, policy, Arc::new(context))
        });
    }
}

impl<K: Object, H, OnFailure> Controller<K, Managed<H, OnFailure>> {
    /// Returns the manager or the member cluster that will run it.
    pub(crate) fn host(&self) -> &H {
        &self.host.host
    }
}

impl<K: Object, H, Subject, E, Ctx> Controller<K, Managed<H, Policy<Subject, E, Ctx>>> {
    fn taken_apart(self) -> (Controller<K>, H, Decide<Subject, E, Ctx>) {
        let (controller, Managed { host, policy }) = self.moved_to(Alone);
        (controller, host, policy.0)
    }
}

impl<H, OnFailure> fmt::Debug for Managed<H, OnFailure> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Managed")
    }
}

impl<Subject, E, Ctx> fmt::Debug for Policy<Subject, E, Ctx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Policy")
    }
}
