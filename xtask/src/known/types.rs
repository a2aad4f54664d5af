//! The structs of k8s-openapi.
use kube_codegen::Kubernetes;
use std::collections::BTreeMap;

/// The structs of one version, by path below the crate, as `api::core::v1::Container`.
pub(super) type Version = BTreeMap<String, Struct>;

/// A struct with named fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Struct {
    /// The first sentence of its docs.
    pub(super) doc: String,
    /// Whether it derives `Default`.
    pub(super) default: bool,
    /// The first version since which all have it.
    pub(super) since: Kubernetes,
    /// Whether it is an API object, which writes `apiVersion` and `kind`.
    pub(super) root: bool,
    /// Fields by name on the wire.
    pub(super) fields: BTreeMap<String, Field>,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    /// The first sentence of its docs.
    pub(super) doc: String,
    /// The first version since which all have it.
    pub(super) since: Kubernetes,
    /// Whether it is always written, not an `Option`.
    pub(super) required: bool,
    /// The first version in which it is an `Option`, if older versions always write it.
    pub(super) required_before: Option<Kubernetes>,
    /// Its type, without `Option`.
    pub(super) ty: Ty,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    /// A type of the generator's table, by the name of its variant there.
    Plain(&'static str),
    /// `Vec`
    List(Box<Ty>),
    /// `BTreeMap` of strings
    Map(Box<Ty>),
    /// A struct, by its path.
    Struct(String),
}

impl Ty {
    /// Returns the struct inside lists and maps.
    pub(super) fn holds(&self) -> Option<&str> {
        match self {
            Self::Plain(_) => None,
            Self::List(inner) | Self::Map(inner) => inner.holds(),
            Self::Struct(path) => Some(path),
        }
    }
}
