//! A kind with required fields, nullable fields and a map list, as generated.
use k8s_openapi::{
    NamespaceResourceScope, api::core::v1::Container, apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube_codegen_record::{Nullable, map_items, records};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Widget {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: WidgetSpec,
    pub(crate) status: Option<WidgetStatus>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WidgetSpec {
    pub(crate) size: i64,
    pub(crate) active: bool,
    pub(crate) color: Option<Nullable<String>>,
    pub(crate) disks: Vec<Disk>,
    pub(crate) sidecar: Option<Container>,
    pub(crate) tags: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Disk {
    pub(crate) path: String,
    pub(crate) index: i64,
    pub(crate) size: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WidgetStatus {
    pub(crate) ready: bool,
}

records! {
    Widget { "apiVersion": "example.com/v1", "kind": "Widget", metadata unless_blank, spec, status }
    WidgetSpec { active, color, disks, sidecar, size, tags }
    Disk { index, path, size }
    WidgetStatus { ready }
}
map_items! { Disk { path: String, index: i64 } }

impl k8s_openapi::Resource for Widget {
    const API_VERSION: &'static str = "example.com/v1";
    const GROUP: &'static str = "example.com";
    const KIND: &'static str = "Widget";
    const VERSION: &'static str = "v1";
    const URL_PATH_SEGMENT: &'static str = "widgets";
    type Scope = NamespaceResourceScope;
}

impl k8s_openapi::Metadata for Widget {
    type Ty = ObjectMeta;
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
