//! What is known of a struct of k8s-openapi: data, no policy.
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
    /// The version from which on all have it.
    pub(super) since: Kubernetes,
    /// Whether it is an object of the API, with `apiVersion` and `kind` of its own.
    pub(super) root: bool,
    /// Fields by name on the wire.
    pub(super) fields: BTreeMap<String, Field>,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    /// The first sentence of its docs.
    pub(super) doc: String,
    /// The version from which on all have it.
    pub(super) since: Kubernetes,
    /// Whether it is no `Option`.
    pub(super) required: bool,
    /// The version from which on it is an `Option`, where it is none before.
    pub(super) required_before: Option<Kubernetes>,
    /// What it holds, without `Option`.
    pub(super) ty: Ty,
}

/// What a field holds.
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
    /// The struct in it, through lists and maps.
    pub(super) fn holds(&self) -> Option<&str> {
        match self {
            Self::Plain(_) => None,
            Self::List(inner) | Self::Map(inner) => inner.holds(),
            Self::Struct(path) => Some(path),
        }
    }
}
