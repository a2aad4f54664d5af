//! A kind of which the server knows more fields than its Rust type.
//!
//! Also used by the tests against a real API server.
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::object::HasStatus;
use serde_json::{Value, json};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Gadget {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: GadgetSpec,
    pub(crate) status: Option<GadgetStatus>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GadgetSpec {
    pub(crate) mode: String,
    pub(crate) size: Option<i64>,
    pub(crate) tags: Option<BTreeMap<String, String>>,
    pub(crate) ports: Option<Vec<Port>>,
    pub(crate) weights: Vec<i64>,
    pub(crate) inner: Option<Inner>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) number: i64,
    pub(crate) inner: Option<Inner>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inner {
    pub(crate) kind: String,
    pub(crate) note: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GadgetStatus {
    pub(crate) ports: Option<Vec<Port>>,
    pub(crate) size: Option<i64>,
}

kube_codegen_runtime::record::records! {
    Gadget { "apiVersion": "example.com/v1", "kind": "Gadget", metadata, spec, status }
    GadgetSpec { inner, mode, ports, size, tags, weights }
    Port { inner, name, number }
    Inner { kind, note }
    GadgetStatus { ports, size }
}

impl HasStatus for Gadget {
    type Status = GadgetStatus;

    fn status(&self) -> Option<&GadgetStatus> {
        self.status.as_ref()
    }

    fn status_mut(&mut self) -> &mut Option<GadgetStatus> {
        &mut self.status
    }
}

impl k8s_openapi::Resource for Gadget {
    const API_VERSION: &'static str = "example.com/v1";
    const GROUP: &'static str = "example.com";
    const KIND: &'static str = "Gadget";
    const VERSION: &'static str = "v1";
    const URL_PATH_SEGMENT: &'static str = "gadgets";
    type Scope = k8s_openapi::NamespaceResourceScope;
}

impl k8s_openapi::Metadata for Gadget {
    type Ty = ObjectMeta;
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Returns the CRD, which accepts any spec and status.
pub(crate) fn crd() -> Value {
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Gadget", "plural": "gadgets"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": any, "status": any}}},
            }],
        },
    })
}
