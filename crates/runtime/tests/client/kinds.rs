//! Kinds as the generator writes them: one namespaced with all subresources, one cluster-scoped without any.
#![allow(unreachable_pub)]
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_codegen_runtime::client::{MarkedStatus, ScaleSubresource};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdKind {
    pub metadata: ObjectMeta,
    pub spec: Option<CrdKindSpec>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdKindSpec {
    pub choice: Option<String>,
    pub replicas: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zone {
    pub metadata: ObjectMeta,
}

kube_codegen_record::records! {
    CrdKind { "apiVersion": "iksoon.test.com/v1", "kind": "CrdKind", metadata, spec }
    CrdKindSpec { choice, replicas }
    Zone { "apiVersion": "example.com/v1", "kind": "Zone", metadata }
}

macro_rules! resource {
    ($kind:ty, $scope:ty, $group:literal, $name:literal, $plural:literal) => {
        impl k8s_openapi::Resource for $kind {
            const API_VERSION: &'static str = concat!($group, "/v1");
            const GROUP: &'static str = $group;
            const KIND: &'static str = $name;
            const VERSION: &'static str = "v1";
            const URL_PATH_SEGMENT: &'static str = $plural;
            type Scope = $scope;
        }
        impl k8s_openapi::Metadata for $kind {
            type Ty = ObjectMeta;
            fn metadata(&self) -> &ObjectMeta {
                &self.metadata
            }
            fn metadata_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }
    };
}
resource!(
    CrdKind,
    k8s_openapi::NamespaceResourceScope,
    "iksoon.test.com",
    "CrdKind",
    "crdplural"
);
resource!(
    Zone,
    k8s_openapi::ClusterResourceScope,
    "example.com",
    "Zone",
    "zones"
);

impl MarkedStatus for CrdKind {}
impl ScaleSubresource for CrdKind {}

impl CrdKind {
    pub fn new(name: &str) -> Self {
        Self {
            metadata: ObjectMeta {
                name: Some(name.into()),
                ..ObjectMeta::default()
            },
            spec: None,
        }
    }
}
