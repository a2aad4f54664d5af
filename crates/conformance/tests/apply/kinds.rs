//! The kind `Widget` of the definitions, as generated, with two fields that are required in Rust.
use std::collections::BTreeMap;

use k8s_openapi::{NamespaceResourceScope, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube_codegen_record::{Nullable, map_items, records};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Widget {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: WidgetSpec,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WidgetSpec {
    pub(crate) args: Option<Vec<String>>,
    pub(crate) config: Option<BTreeMap<String, String>>,
    pub(crate) enabled: bool,
    pub(crate) items: Option<Vec<Item>>,
    pub(crate) labels: Option<BTreeMap<String, String>>,
    pub(crate) limits: Option<BTreeMap<String, BTreeMap<String, String>>>,
    pub(crate) mode: String,
    pub(crate) nested: Option<Nested>,
    pub(crate) note: Option<Nullable<String>>,
    pub(crate) opaque: Option<Value>,
    pub(crate) ports: Option<Vec<Port>>,
    pub(crate) replicas: Option<i32>,
    pub(crate) rules: Option<Vec<Rule>>,
    pub(crate) tags: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) value: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "the name in the schema")]
pub(crate) struct Port {
    pub(crate) name: Option<String>,
    pub(crate) port: i64,
    pub(crate) protocol: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Nested {
    pub(crate) a: Option<String>,
    pub(crate) b: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) path: Option<String>,
    pub(crate) weight: Option<i64>,
}

records! {
    Widget { "apiVersion": "conformance.example.com/v1", "kind": "Widget", metadata unless_blank, spec }
    WidgetSpec {
        args, config, enabled, items, labels, limits, mode,
        nested, note, opaque, ports, replicas, rules, tags,
    }
    Item { name, tags, value }
    Port { name, port, protocol }
    Nested { a, b }
    Rule { path, weight }
}
map_items! { Item { name: String } Port { port: i64, protocol: Option<String> } }

impl k8s_openapi::Resource for Widget {
    const API_VERSION: &'static str = "conformance.example.com/v1";
    const GROUP: &'static str = "conformance.example.com";
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
