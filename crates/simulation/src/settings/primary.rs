//! A kind that workloads are made for.

use std::any::TypeId;

use k8s_openapi::{ListableResource, NamespaceResourceScope};
use serde_json::Value;

use crate::state::text;

/// A kind that workloads are made for.
#[derive(Clone, Debug)]
pub(crate) struct Primary {
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) kind: String,
    version: String,
    pub(super) namespaced: bool,
    /// Null for kinds of Kubernetes itself.
    pub(super) schema: Value,
}

impl Primary {
    /// Reads the storage version of a CRD.
    pub(crate) fn read(crd: &Value) -> Option<Self> {
        let versions = crd.pointer("/spec/versions")?.as_array()?;
        let version = versions
            .iter()
            .find(|version| version["storage"] == true)
            .or(versions.first())?;
        Some(Self {
            group: text(crd, "/spec/group").to_owned(),
            plural: text(crd, "/spec/names/plural").to_owned(),
            kind: text(crd, "/spec/names/kind").to_owned(),
            version: text(version, "/name").to_owned(),
            namespaced: text(crd, "/spec/scope") == "Namespaced",
            schema: version
                .pointer("/schema/openAPIV3Schema")
                .cloned()
                .unwrap_or_default(),
        })
    }

    /// Returns a kind of Kubernetes itself.
    pub(crate) fn of<K: ListableResource<Scope: 'static>>() -> Self {
        Self {
            group: K::GROUP.to_owned(),
            plural: K::URL_PATH_SEGMENT.to_owned(),
            kind: K::KIND.to_owned(),
            version: K::VERSION.to_owned(),
            namespaced: TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>(),
            schema: Value::Null,
        }
    }

    pub(super) fn collection(&self) -> String {
        let api = if self.group.is_empty() {
            "/api".to_owned()
        } else {
            format!("/apis/{}", self.group)
        };
        let namespace = if self.namespaced {
            "namespaces/default/"
        } else {
            ""
        };
        format!("{api}/{}/{namespace}{}", self.version, self.plural)
    }

    pub(super) fn object(&self, name: &str, body: &Value) -> Value {
        let slash = if self.group.is_empty() { "" } else { "/" };
        let mut object = body.clone();
        object["apiVersion"] = format!("{}{slash}{}", self.group, self.version).into();
        object["kind"] = self.kind.clone().into();
        object["metadata"]["name"] = name.into();
        if self.namespaced {
            object["metadata"]["namespace"] = "default".into();
        }
        object
    }
}
