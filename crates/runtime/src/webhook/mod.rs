//! Admission and conversion webhooks: typed handlers on one HTTPS server that manages its own certificates (feature `webhook`).
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_codegen_runtime::{
//!     manager::Manager,
//!     webhook::{FieldErrors, Rejection, Request, Validator, Warnings, Webhooks},
//! };
//!
//! fn add_owner(map: &mut ConfigMap, request: &Request) -> Result<(), Rejection> {
//!     let annotations = map.metadata.annotations.get_or_insert_default();
//!     annotations.entry("example.com/owner".into()).or_insert_with(|| request.user().into());
//!     Ok(())
//! }
//!
//! struct Rules;
//!
//! impl Validator<ConfigMap> for Rules {
//!     async fn validate_create(&self, map: &ConfigMap, _: &Request) -> Result<Warnings, Rejection> {
//!         let mut errors = FieldErrors::new();
//!         if map.data.as_ref().is_none_or(|data| data.is_empty()) {
//!             errors.required("data", "");
//!         }
//!         errors.finish(map)?;
//!         Ok(Warnings::new())
//!     }
//!
//!     async fn validate_update(&self, _: &ConfigMap, map: &ConfigMap, request: &Request) -> Result<Warnings, Rejection> {
//!         self.validate_create(map, request).await
//!     }
//! }
//!
//! # fn example(manager: &mut Manager) {
//! manager.webhooks(Webhooks::new("my-operator").defaulting(add_owner).validating::<ConfigMap>(Rules));
//! # }
//! ```
//!
//! The manager starts the server before the caches. [`WebhookServer`] sets its address and certificates, and how the API server reaches
//! it. [`Webhooks::configurations`] returns the objects that register the webhooks, for `kubectl apply`.
//!
//! | | response |
//! |---|---|
//! | a handler rejects the object | its [`Rejection`]: the client receives its status, message and fields |
//! | the object cannot be decoded | 422 with the fields |
//! | a handler panics | HTTP 500 with the message, a metric and a log line; the API server applies the `failurePolicy` |
//! | a handler is too slow | HTTP 500 shortly before the API server would give up; the API server applies the `failurePolicy` |
//! | the path is unknown, or the body is not a review | HTTP 404 or 400 with an explanation |
//!
//! `docs/webhooks.md` explains the deployment, the certificates and their rotation.
mod certificates;
mod client;
mod configuration;
mod conversion;
mod handler;
mod memory;
mod publish;
mod rejection;
mod request;
mod review;
mod run;
mod serve;
mod settings;

use std::{fmt, time::Duration};

use k8s_openapi::{
    api::admissionregistration::v1::MatchCondition,
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};

pub(crate) use self::run::Running;
use self::serve::Dispatch;
pub use self::{
    certificates::{CertificateError, OwnCertificates},
    client::ClientConfig,
    configuration::Configurations,
    handler::{Defaulter, Validator, Warnings},
    rejection::{FieldErrors, Rejection},
    request::{Operation, Request},
    settings::{Certificates, WebhookError, WebhookServer},
};
use self::{
    conversion::{Convert, Converters},
    handler::Handler,
};
use crate::Object;

/// How long the API server waits for an admission webhook by default.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The webhooks of an operator. See the [module](self) for an example.
#[must_use = "pass it to `Manager::webhooks`"]
pub struct Webhooks {
    name: String,
    admission: Vec<Webhook>,
    converters: Converters,
}

impl Webhooks {
    /// Creates an empty set. `name` is the name of the operator, and part of the names of the configurations.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            admission: Vec::new(),
            converters: Converters::default(),
        }
    }

    /// Adds a webhook with its own settings.
    pub fn webhook(mut self, webhook: Webhook) -> Self {
        self.admission.push(webhook);
        self
    }

    /// Adds a webhook that fills in fields of new and updated objects.
    pub fn defaulting<K: Object<DynamicType = ()>>(self, handler: impl Defaulter<K>) -> Self {
        self.webhook(Webhook::defaulting(handler))
    }

    /// Adds a webhook that accepts or rejects objects.
    pub fn validating<K: Object<DynamicType = ()>>(self, handler: impl Validator<K>) -> Self {
        self.webhook(Webhook::validating::<K>(handler))
    }

    /// Converts objects of the kind `K` between all its versions. `convert` receives an object and the `apiVersion` to convert it to.
    ///
    /// It must preserve the metadata, apart from labels and annotations, and must not lose data, because the API server stores the result.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::webhook::Webhooks;
    /// use serde_json::Value;
    ///
    /// fn convert(mut object: Value, api_version: &str) -> Result<Value, String> {
    ///     if api_version == "example.com/v2" {
    ///         object["spec"]["size"] = object["spec"]["length"].take();
    ///     }
    ///     object["apiVersion"] = api_version.into();
    ///     Ok(object)
    /// }
    ///
    /// // ConfigMaps have one version; a generated kind has its own.
    /// let webhooks = Webhooks::new("my-operator").converting::<ConfigMap, _>(convert);
    /// ```
    pub fn converting<K: Object<DynamicType = ()>, E: fmt::Display>(
        mut self,
        convert: impl Convert<E>,
    ) -> Self {
        self.converters.add::<K, E>(convert);
        self
    }

    /// Returns the name of the operator.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks")
            .field("name", &self.name)
            .field("admission", &self.admission)
            .field("converters", &self.converters)
            .finish()
    }
}

/// What the API server does if the webhook fails or cannot be reached. These are the values of `admissionregistration.k8s.io/v1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// Rejects the request.
    #[default]
    Fail,
    /// Admits the request.
    Ignore,
}

/// An admission webhook and its settings. Field names in this documentation refer to `MutatingWebhook` and `ValidatingWebhook`.
///
/// ```
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::webhook::{FailurePolicy, Rejection, Request, Webhook};
///
/// fn label(map: &mut ConfigMap, _: &Request) -> Result<(), Rejection> {
///     map.metadata.labels.get_or_insert_default().insert("seen".into(), "yes".into());
///     Ok(())
/// }
///
/// let webhook = Webhook::defaulting(label)
///     .failure_policy(FailurePolicy::Ignore)
///     .timeout(Duration::from_secs(3))
///     .match_condition("not-system", "!request.userInfo.username.startsWith('system:')")
///     .reinvoke();
/// ```
#[must_use = "pass it to `Webhooks::webhook`"]
pub struct Webhook {
    mutating: bool,
    group: String,
    version: String,
    kind: String,
    resources: Vec<String>,
    include_own_namespace: bool,
    path: String,
    operations: Vec<Operation>,
    failure_policy: FailurePolicy,
    timeout: Duration,
    match_conditions: Vec<MatchCondition>,
    namespace_selector: Option<LabelSelector>,
    object_selector: Option<LabelSelector>,
    reinvoke: bool,
    side_effects: &'static str,
    handler: Handler,
}

impl Webhook {
    /// Creates a webhook that fills in fields, at the path `/mutate-GROUP-VERSION-KIND` (as in controller-runtime).
    pub fn defaulting<K: Object<DynamicType = ()>>(handler: impl Defaulter<K>) -> Self {
        let operations = handler.operations();
        Self::new::<K>(true, operations, handler::defaulting(handler))
    }

    /// Creates a webhook that accepts or rejects objects, at the path `/validate-GROUP-VERSION-KIND`.
    pub fn validating<K: Object<DynamicType = ()>>(handler: impl Validator<K>) -> Self {
        let operations = handler.operations();
        Self::new::<K>(false, operations, handler::validating(handler))
    }

    fn new<K: Object<DynamicType = ()>>(
        mutating: bool,
        operations: Vec<Operation>,
        handler: Handler,
    ) -> Self {
        let (group, version, kind) = (K::group(&()), K::version(&()), K::kind(&()));
        Self {
            mutating,
            path: usual_path(mutating, &group, &version, &kind),
            resources: vec![K::plural(&()).into_owned()],
            include_own_namespace: false,
            group: group.into_owned(),
            version: version.into_owned(),
            kind: kind.into_owned(),
            operations,
            failure_policy: FailurePolicy::default(),
            timeout: TIMEOUT,
            match_conditions: Vec::new(),
            namespace_selector: None,
            object_selector: None,
            reinvoke: false,
            side_effects: "None",
            handler,
        }
    }

    /// Sets the path. The default is the same as in controller-runtime.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Sets what the API server does if the webhook fails. By default, it rejects the request.
    pub fn failure_policy(mut self, policy: FailurePolicy) -> Self {
        self.failure_policy = policy;
        self
    }

    /// Sets how long the API server waits for the webhook: 1 to 30 seconds. The default is 10.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        let seconds = timeout.as_secs().clamp(1, 30);
        self.timeout = Duration::from_secs(seconds);
        self
    }

    /// Calls the webhook only if the CEL `expression` is true. It may use `object`, `oldObject`, `request` and `authorizer`.
    pub fn match_condition(
        mut self,
        name: impl Into<String>,
        expression: impl Into<String>,
    ) -> Self {
        self.match_conditions.push(MatchCondition {
            name: name.into(),
            expression: expression.into(),
        });
        self
    }

    /// Calls the webhook only for objects in matching namespaces.
    pub fn namespace_selector(mut self, selector: LabelSelector) -> Self {
        self.namespace_selector = Some(selector);
        self
    }

    /// Calls the webhook only for matching objects.
    pub fn object_selector(mut self, selector: LabelSelector) -> Self {
        self.object_selector = Some(selector);
        self
    }

    /// Also calls the webhook for a subresource whose objects have the resource's kind, such as `status`.
    pub fn subresource(mut self, name: &str) -> Self {
        let resource = format!("{}/{name}", self.resources[0]);
        self.resources.push(resource);
        self
    }

    /// Calls the webhook for this resource instead of the kind's own, such as `apps`, `v1`, `deployments/scale` for the kind `Scale`.
    pub fn resource(
        mut self,
        group: impl Into<String>,
        version: impl Into<String>,
        resource: impl Into<String>,
    ) -> Self {
        self.group = group.into();
        self.version = version.into();
        self.resources = vec![resource.into()];
        self
    }

    /// Calls the webhook again if a later one changes the object (`reinvocationPolicy: IfNeeded`). For defaulting webhooks only.
    pub fn reinvoke(mut self) -> Self {
        self.reinvoke = true;
        self
    }

    /// Declares that the handler has side effects, but not in [dry runs](Request::dry_run) (`sideEffects: NoneOnDryRun`).
    pub fn side_effects(mut self) -> Self {
        self.side_effects = "NoneOnDryRun";
        self
    }

    /// Also calls the webhook in the operator's own namespace. By default, only built-in kinds are excluded there, because the operator
    /// could not start if its own webhook had to admit its Pods.
    pub fn include_own_namespace(mut self) -> Self {
        self.include_own_namespace = true;
        self
    }
}

/// Returns the path of controller-runtime.
fn usual_path(mutating: bool, group: &str, version: &str, kind: &str) -> String {
    let verb = if mutating { "mutate" } else { "validate" };
    let (group, kind) = (group.replace('.', "-"), kind.to_lowercase());
    format!("/{verb}-{group}-{version}-{kind}")
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("path", &self.path)
            .field("operations", &self.operations)
            .finish_non_exhaustive()
    }
}
