//! What clients did: one record per request, with what it carried and how it was answered.
use serde_json::Value;

use super::request::{Request, Target, Verb};

/// One request that reached the server, in the order of arrival.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// As in RBAC rules: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verb: &'static str,
    /// API group, empty for the core group.
    pub group: String,
    /// Version in the path.
    pub version: String,
    /// Plural in the path, as `crdplural`.
    pub resource: String,
    /// `status` or `scale`; empty for the object itself.
    pub subresource: String,
    /// Namespace in the path; empty for none.
    pub namespace: String,
    /// Name in the path; empty for a collection.
    pub name: String,
    /// Path and query as they were asked for.
    pub path: String,
    /// `Content-Type` without parameters.
    pub content_type: String,
    /// The body as JSON, null where there was none.
    pub body: Value,
    /// HTTP status of the answer; 0 where the connection was dropped or the answer is not out yet.
    pub status: u16,
}

impl Action {
    pub(super) fn new(request: &Request, path: &str) -> Self {
        let target = &request.target;
        Self {
            verb: request.verb.as_str(),
            group: target.kind.group.clone(),
            version: target.version.clone(),
            resource: target.kind.plural.clone(),
            subresource: target.subresource.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            path: path.to_owned(),
            content_type: request.content_type.clone(),
            body: request.json().unwrap_or_default(),
            status: 0,
        }
    }

    /// Whether the request changes objects.
    pub fn is_write(&self) -> bool {
        !matches!(self.verb, "get" | "list" | "watch")
    }
}

/// Which requests a fault, or a command to open watches, is about; what is not set fits all.
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
    /// Every request.
    pub fn any() -> Self {
        Self::default()
    }

    /// Requests of this verb (see [`Action::verb`]).
    pub fn verb(verb: impl Into<String>) -> Self {
        Self {
            verb: Some(verb.into()),
            ..Self::default()
        }
    }

    /// Of this resource, by its plural.
    pub fn resource(mut self, plural: impl Into<String>) -> Self {
        self.resource = Some(plural.into());
        self
    }

    /// Of this subresource; empty: of the object itself.
    pub fn subresource(mut self, name: impl Into<String>) -> Self {
        self.subresource = Some(name.into());
        self
    }

    /// In this namespace.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Of the object of this name. The name of a create is not in its path: nothing fits.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    pub(super) fn matches(&self, verb: Verb, target: &Target) -> bool {
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
