//! The `use` lines of a file: only what was asked for while its code was made.
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// What a file of types uses.
#[derive(Default)]
pub(crate) struct Imports {
    meta: BTreeSet<&'static str>,
    byte_string: bool,
    int_or_string: bool,
    json: bool,
    map: bool,
    nullable: bool,
}

impl Imports {
    /// A type of `k8s_openapi::apimachinery::pkg::apis::meta::v1`.
    pub(crate) fn meta(&mut self, name: &'static str) -> TokenStream {
        self.meta.insert(name);
        let name = super::rust::ident(name);
        quote!(#name)
    }

    pub(crate) fn byte_string(&mut self) -> TokenStream {
        self.byte_string = true;
        quote!(ByteString)
    }

    pub(crate) fn int_or_string(&mut self) -> TokenStream {
        self.int_or_string = true;
        quote!(IntOrString)
    }

    pub(crate) fn json(&mut self) -> TokenStream {
        self.json = true;
        quote!(Value)
    }

    pub(crate) fn map(&mut self) {
        self.map = true;
    }

    pub(crate) fn nullable(&mut self) {
        self.nullable = true;
    }

    /// The lines, in the order of rustfmt.
    pub(crate) fn lines(&self) -> TokenStream {
        let mut lines = TokenStream::new();
        if self.byte_string {
            lines.extend(quote!(use k8s_openapi::ByteString;));
        }
        let meta: Vec<_> = self.meta.iter().map(|name| super::rust::ident(name)).collect();
        match meta.as_slice() {
            [] => {}
            [one] => lines.extend(quote!(use k8s_openapi::apimachinery::pkg::apis::meta::v1::#one;)),
            all => lines.extend(
                quote!(use k8s_openapi::apimachinery::pkg::apis::meta::v1::{#(#all),*};),
            ),
        }
        if self.int_or_string {
            lines.extend(quote!(use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;));
        }
        if self.nullable {
            lines.extend(quote!(use kube_codegen_runtime::Nullable;));
        }
        if self.json {
            lines.extend(quote!(use serde_json::Value;));
        }
        if self.map {
            lines.extend(quote!(use std::collections::BTreeMap;));
        }
        lines
    }
}
