//! The `use` lines of a file: only what was asked for while its code was made.
use super::rust;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// What a file of types can use, in the order of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Import {
    ByteString,
    ObjectMeta,
    Time,
    IntOrString,
    Nullable,
    Value,
    BTreeMap,
}

impl Import {
    fn name(self) -> &'static str {
        match self {
            Self::ByteString => "ByteString",
            Self::ObjectMeta => "ObjectMeta",
            Self::Time => "Time",
            Self::IntOrString => "IntOrString",
            Self::Nullable => "Nullable",
            Self::Value => "Value",
            Self::BTreeMap => "BTreeMap",
        }
    }

    fn path(self) -> TokenStream {
        match self {
            Self::ByteString => quote!(k8s_openapi),
            Self::ObjectMeta | Self::Time => {
                quote!(k8s_openapi::apimachinery::pkg::apis::meta::v1)
            }
            Self::IntOrString => quote!(k8s_openapi::apimachinery::pkg::util::intstr),
            Self::Nullable => quote!(kube_codegen_runtime::record),
            Self::Value => quote!(serde_json),
            Self::BTreeMap => quote!(std::collections),
        }
    }
}

/// What a file of types uses.
#[derive(Default)]
pub(crate) struct Imports(BTreeSet<Import>);

impl Imports {
    /// The name of an import, which is used by that.
    pub(crate) fn name(&mut self, import: Import) -> TokenStream {
        self.0.insert(import);
        let name = rust::ident(import.name());
        quote!(#name)
    }

    /// The lines.
    pub(crate) fn lines(&self) -> TokenStream {
        let all: Vec<Import> = self.0.iter().copied().collect();
        all.chunk_by(|a, b| a.path().to_string() == b.path().to_string())
            .map(|same| {
                let names: Vec<&str> = same.iter().map(|import| import.name()).collect();
                rust::use_names(&same[0].path(), &names)
            })
            .collect()
    }
}
