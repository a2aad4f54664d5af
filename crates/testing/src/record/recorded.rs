//! Records the requests of clients, and matches requests for faults and watch commands.

use serde_json::Value;

use crate::{
    kinds::target::Target,
    request::{Request, User, Verb},
};

/// A request that the server received.
///
/// ```
/// # use kube_codegen_testing::ApiServer;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let server = ApiServer::new();
/// let maps: kube::Api<ConfigMap> = kube::Api::namespaced(server.client(), "default");
/// assert!(maps.get("a").await.is_err());
/// let request = &server.requests()[0];
/// assert_eq!((request.verb, &*request.name, request.status), ("get", "a", 404));
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The verb, as in RBAC rules: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verb: &'static str,
    /// The API group; empty for the core group.
    pub group: String,
    /// The version in the path.
    pub version: String,
    /// The plural in the path, such as `crdplural`.
    pub resource: String,
    /// `status` or `scale`; empty for the object itself.
    pub subresource: String,
    /// Whether the resource is namespaced.
    pub namespaced: bool,
    /// The namespace in the path; empty if there is none.
    pub namespace: String,
    /// The name in the path; empty for a collection.
    pub name: String,
    /// The path and the query.
    pub path: String,
    /// The `Content-Type` without parameters.
    pub content_type: String,
    /// The body as JSON; null if the body is empty.
    pub body: Value,
    /// The header `User-Agent`.
    pub user_agent: String,
    /// The name of the user, such as `system:serviceaccount:NAMESPACE:NAME`.
    pub user: String,
    /// The HTTP status of the response; 0 if the connection was dropped, or while there is no response yet.
    pub status: u16,
    /// Whether RBAC denied the request because no rule of the user allows it. A status of 403 can also have other causes.
    pub denied: bool,
    /// Why the request failed: the message of the response's `Status`; empty if it has not failed.
    pub message: String,
}

impl RecordedRequest {
    pub(crate) fn new(request: &Request, path: &str, user: &User) -> Self {
        let target = &request.target;
        Self {
            verb: request.verb.as_str(),
            group: target.kind.group.clone(),
            version: target.version.clone(),
            resource: target.kind.plural.clone(),
            subresource: target.subresource.clone(),
            namespaced: target.kind.namespaced,
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            path: path.to_owned(),
            content_type: request.content_type.clone(),
            body: request.json().unwrap_or_default(),
            user_agent: request.user_agent.clone(),
            user: user.name.clone(),
            status: 0,
            denied: false,
            message: String::new(),
        }
    }

    /// Returns the resource as in RBAC rules: the plural, followed by `/SUBRESOURCE` if there is one.
    pub fn rule_resource(&self) -> String {
        match self.subresource.as_str() {
            "" => self.resource.clone(),
            sub => format!("{}/{sub}", self.resource),
        }
    }

    /// Whether the request changes objects.
    pub fn is_write(&self) -> bool {
        !matches!(self.verb, "get" | "list" | "watch")
    }
}

/// Selects the requests that a fault or a watch command applies to. Criteria that you do not set match everything.
///
/// ```
/// use kube_codegen_testing::On;
///
/// let status_writes = On::verb("patch").resource("crdplural").subresource("status");
/// let in_namespace = On::any().namespace("default");
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct On {
    verb: Option<String>,
    resource: Option<String>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
}

impl On {
    /// Matches every request.
    pub fn any() -> Self {
        Self::default()
    }

    /// Matches requests with this verb (see [`RecordedRequest::verb`]).
    pub fn verb(verb: impl Into<String>) -> Self {
        Self {
            verb: Some(verb.into()),
            ..Self::default()
        }
    }

    /// Matches only the resource with this plural.
    pub fn resource(mut self, plural: impl Into<String>) -> Self {
        self.resource = Some(plural.into());
        self
    }

    /// Matches only this subresource; the empty string means the object itself.
    pub fn subresource(mut self, name: impl Into<String>) -> Self {
        self.subresource = Some(name.into());
        self
    }

    /// Matches only this namespace.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Matches only the object with this name. This excludes creates, because their path contains no name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    pub(crate) fn matches(&self, verb: Verb, target: &Target) -> bool {
        let same = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        same(&self.verb, verb.as_str())
            && same(&self.resource, &target.kind.plural)
            && same(&self.subresource, &target.subresource)
            && same(&self.namespace, &target.namespace)
            && same(&self.name, &target.name)
    }
}
