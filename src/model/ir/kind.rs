//! What a CRD says about one version of its kind, apart from the schema.
use super::{Ident, Rules, TypeId, given};
use crate::base::diag::Place;
use crate::input::crd::{Column, Deprecation, Scale, Scope, SelectableField, parse_manifest};
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
    /// Set if the version is deprecated.
    pub deprecated: Option<Deprecation>,
    /// Whether the status subresource is enabled.
    pub status: bool,
    /// The scale subresource.
    pub scale: Option<Scale>,
    /// `additionalPrinterColumns`
    pub columns: Vec<Column>,
    /// `selectableFields`
    pub selectable_fields: Vec<SelectableField>,
    /// The struct of the whole object.
    pub root: TypeId,
    /// The constraints on the whole object.
    pub rules: Rules,
    /// The Rust names of what is generated for it, given by the naming pass.
    pub names: Option<KindNames>,
    /// The whole input manifest as indented JSON that ends with a line break, shared by the versions of a CRD.
    pub manifest: Arc<str>,
    /// Location of the version in the input.
    pub place: Place,
    /// Location of its schema in the document, as a JSON pointer.
    pub schema_pointer: String,
}

impl Kind {
    /// Returns the Rust names.
    ///
    /// # Panics
    /// Before the naming pass.
    pub fn names(&self) -> &KindNames {
        given(self.names.as_ref())
    }

    /// The name of its CRD.
    pub fn crd_name(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    /// Parses the manifest.
    pub fn definition(&self) -> serde_json::Value {
        parse_manifest(&self.manifest)
    }
}

/// The Rust names of what is generated for a kind, apart from its types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindNames {
    /// The type alias of the list, from `spec.names.listKind`.
    pub list: Ident,
    /// The type alias of the lister.
    pub lister: Ident,
    /// The method of the client and of the informers, from the letters of `spec.names.plural`.
    pub method: Ident,
    /// The method that reads all namespaces.
    pub method_all: Ident,
    /// The file of the manifest, in the folder of the group.
    pub manifest: String,
}
