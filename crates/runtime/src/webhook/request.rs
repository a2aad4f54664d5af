//! What the API server asks an admission webhook.
use std::fmt;

use k8s_openapi::api::authentication::v1::UserInfo;
use kube::core::{GroupVersionKind, GroupVersionResource};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The operation on the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum Operation {
    /// The object is created.
    Create,
    /// The object is replaced, patched or applied.
    Update,
    /// The object is deleted.
    Delete,
    /// A connection is opened, for example by `kubectl exec`.
    Connect,
}

impl Operation {
    /// Returns the name used in the Kubernetes API, such as `CREATE`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A request to the API server that a webhook decides on: `AdmissionRequest` of `admission.k8s.io/v1`. Its `Debug` output omits the
/// objects, which may be Secrets.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Request {
    /// Identifies this call of the webhook.
    pub uid: String,
    /// Group, version and kind of the object.
    pub kind: GroupVersionKind,
    /// Group, version and plural name of the object.
    pub resource: GroupVersionResource,
    /// The subresource, such as `status`.
    #[serde(default)]
    pub sub_resource: Option<String>,
    /// The kind that the client sent, if the API server converted the object for the webhook.
    #[serde(default)]
    pub request_kind: Option<GroupVersionKind>,
    /// The resource that the client used.
    #[serde(default)]
    pub request_resource: Option<GroupVersionResource>,
    /// The name of the object; empty if the API server will generate it.
    #[serde(default)]
    pub name: String,
    /// The namespace of the object.
    #[serde(default)]
    pub namespace: Option<String>,
    /// The operation.
    pub operation: Operation,
    /// The user who sent the request.
    pub user_info: UserInfo,
    /// The new object as sent; absent for a deletion.
    #[serde(default)]
    pub object: Option<Value>,
    /// The stored object; present for an update or a deletion.
    #[serde(default)]
    pub old_object: Option<Value>,
    /// Whether this is a dry run, in which nothing is stored and the handler must have no side effects.
    #[serde(default)]
    pub dry_run: bool,
    /// The client's options, such as `CreateOptions`.
    #[serde(default)]
    pub options: Option<Value>,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("uid", &self.uid)
            .field("operation", &self.operation)
            .field("resource", &self.resource)
            .field("subresource", &self.subresource())
            .field("namespace", &self.namespace)
            .field("name", &self.name)
            .field("user", &self.user())
            .field("dry_run", &self.dry_run)
            .finish_non_exhaustive()
    }
}

impl Request {
    /// Returns the name of the user, such as `system:serviceaccount:default:my-operator`.
    pub fn user(&self) -> &str {
        self.user_info.username.as_deref().unwrap_or_default()
    }

    /// Returns the subresource, such as `status`; empty for the object itself.
    pub fn subresource(&self) -> &str {
        self.sub_resource.as_deref().unwrap_or_default()
    }
}
