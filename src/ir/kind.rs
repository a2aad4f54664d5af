//! What a CRD says of one version of its kind, beside the schema.
use super::{Rules, TypeId};
use crate::diag::Place;
use serde::Deserialize;
use std::sync::Arc;

/// One kind in one served version.
#[derive(Clone, Debug)]
pub struct Kind {
    /// API group, as `iksoon.test.com`.
    pub group: String,
    /// Version name, as `v1`.
    pub version: String,
    /// `spec.names.kind`, spelled as the CRD spells it.
    pub kind: String,
    /// `spec.names.listKind`, or the API server's default of it.
    pub list_kind: String,
    /// `spec.names.plural`: the path segment of requests.
    pub plural: String,
    /// `spec.names.singular`, or the API server's default of it.
    pub singular: String,
    /// `spec.names.shortNames`
    pub short_names: Vec<String>,
    /// `spec.names.categories`
    pub categories: Vec<String>,
    /// `spec.scope`
    pub scope: Scope,
    /// Whether this is the version kept in etcd.
    pub storage: bool,
    /// The warning of a deprecated version; empty where the CRD gives none.
    pub deprecated: Option<String>,
    /// Whether the status subresource is there.
    pub status: bool,
    /// The scale subresource.
    pub scale: Option<Scale>,
    /// `additionalPrinterColumns`
    pub columns: Vec<Column>,
    /// `selectableFields`
    pub selectable_fields: Vec<SelectableField>,
    /// The struct of the whole object.
    pub root: TypeId,
    /// What the schema says of the whole object.
    pub rules: Rules,
    /// The Rust names that are made from it; empty until the naming pass.
    pub names: KindNames,
    /// The input manifest, whole, as JSON that people can read too; shared by the versions of a CRD.
    pub manifest: Arc<str>,
    /// Where the version stands in the input.
    pub place: Place,
    /// Where its schema stands in the document, as a JSON pointer.
    pub schema_pointer: String,
}

impl Kind {
    /// The manifest as a value.
    pub fn definition(&self) -> serde_json::Value {
        let mut manifest = serde_json::Deserializer::from_str(&self.manifest);
        // It is no deeper than the document that it was read from.
        manifest.disable_recursion_limit();
        // It was written from a value.
        serde_json::Value::deserialize(&mut manifest).unwrap_or_default()
    }
}

/// The Rust names of what is generated for a kind, beside its types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindNames {
    /// The type alias of the list, from `spec.names.listKind`.
    pub list: String,
    /// The type alias of the lister.
    pub lister: String,
    /// The method of the client and of the informers, from the letters of `spec.names.plural`.
    pub method: String,
    /// The method that reads all namespaces.
    pub method_all: String,
    /// The file of the manifest, beside the modules of the versions.
    pub manifest: String,
}

/// Whether objects live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `Namespaced`
    Namespaced,
    /// `Cluster`
    Cluster,
}

/// `subresources.scale`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// `specReplicasPath`
    pub spec_replicas_path: String,
    /// `statusReplicasPath`
    pub status_replicas_path: String,
    /// `labelSelectorPath`
    pub label_selector_path: Option<String>,
}

/// One of `additionalPrinterColumns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// OpenAPI type of the cell.
    pub type_: String,
    /// OpenAPI format of the cell.
    pub format: Option<String>,
    /// What the column shows.
    pub description: Option<String>,
    /// 0 is always shown, more only by `-o wide`.
    pub priority: i32,
    /// JSON path of the value in the object.
    pub json_path: String,
}

/// One of `selectableFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectableField {
    /// JSON path of the field, with its leading dot.
    pub json_path: String,
}
