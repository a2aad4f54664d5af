//! Listers of each kind in the `client.rs` of its version: reads from the cache of an informer.
use proc_macro2::TokenStream;
use quote::quote;

use super::parts::{code, imports::Imports};
use crate::model::ir::{Model, Module};

pub(super) fn part(model: &Model, module: &Module, imports: &mut Imports<'_>) -> TokenStream {
    let lister = imports.name("kube_codegen_runtime::lister::Lister");
    let kinds = model.kinds_of(module).map(|kind| {
        let ty = imports.root(kind);
        let docs = code::doc(&format!(
            "Reads [`{ty}`] objects from the cache of an informer."
        ));
        let name = &kind.names().lister;
        quote! {
            #docs
            pub type #name = #lister<#ty>;
        }
    });
    kinds.collect()
}
