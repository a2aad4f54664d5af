//! What the response of a write says about its object.
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The response of a write that the server has accepted.
pub(super) struct OwnWrite<'w> {
    pub(super) head: Head<'w>,
    pub(super) body: &'w [u8],
    pub(super) is_deletion: bool,
    /// The path of the request.
    pub(super) path: &'w str,
}

/// What decides whether and how an informer shows a response: an object, or a `Status`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Head<'w> {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) metadata: HeadMeta,
    /// Read only if it is an object.
    #[serde(borrow)]
    pub(super) spec: Option<&'w RawValue>,
    #[serde(borrow)]
    pub(super) details: Option<&'w RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct HeadMeta {
    deletion_timestamp: Option<String>,
    deletion_grace_period_seconds: Option<i64>,
    finalizers: Option<Vec<String>>,
    pub(super) uid: Option<String>,
    pub(super) resource_version: Option<String>,
}

/// `spec.finalizers`, which only a Namespace has.
#[derive(Deserialize, Default)]
#[serde(default)]
struct HeadSpec {
    finalizers: Option<Vec<String>>,
}

/// The object that a `Status` is about.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Details {
    pub(super) name: String,
    pub(super) group: String,
    /// The plural name.
    pub(super) kind: String,
    pub(super) uid: String,
}

impl<'w> OwnWrite<'w> {
    pub(super) fn read(
        method: &Method,
        path: &'w str,
        status: StatusCode,
        body: &'w [u8],
    ) -> Option<Self> {
        if !status.is_success() {
            return None;
        }
        Some(Self {
            head: serde_json::from_slice(body).ok()?,
            body,
            is_deletion: method == Method::DELETE,
            path,
        })
    }

    /// Returns uid and resource version of a written object.
    pub(super) fn version(&self) -> Option<(&str, &str)> {
        let meta = &self.head.metadata;
        let version = meta.resource_version.as_deref()?;
        Some((meta.uid.as_deref()?, version))
    }

    /// Whether the server no longer has the object of the response: it was deleted, or lost its last finalizer.
    pub(super) fn is_gone(&self) -> bool {
        let meta = &self.head.metadata;
        let is_empty = |all: &Option<Vec<String>>| all.as_ref().is_none_or(Vec::is_empty);
        let spec: Option<HeadSpec> = self
            .head
            .spec
            .and_then(|spec| serde_json::from_str(spec.get()).ok());
        (self.is_deletion || meta.deletion_timestamp.is_some())
            && meta.deletion_grace_period_seconds.unwrap_or_default() == 0
            && is_empty(&meta.finalizers)
            && spec.is_none_or(|spec| is_empty(&spec.finalizers))
    }
}

/// Returns the namespace of a path such as `/api/v1/namespaces/default/configmaps/a`.
pub(super) fn namespace(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once("/namespaces/")?;
    Some(rest.split_once('/')?.0)
}
