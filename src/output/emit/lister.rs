//! `lister.rs` of each version: reads from the cache of an informer.
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Exports, OutFile,
    parts::{code, imports::Imports},
};
use crate::model::ir::{Model, Module};

pub(super) fn emit(model: &Model) -> Vec<OutFile<'_>> {
    let names = |module: &Module| {
        let kinds = model.kinds_of(module);
        let names = kinds.map(|kind| kind.names().lister.plain().to_owned());
        Exports::Names(names.collect())
    };
    OutFile::of_versions(model, "lister.rs", names, listers)
}

fn listers(model: &Model, module: &Module) -> TokenStream {
    let docs = code::file_docs(&format!("Listers of `{}`.", module.api_version()));
    let mut imports = Imports::beside(model, module);
    let kinds = model.kinds_of(module).map(|kind| {
        let ty = imports.root(kind);
        let docs = code::doc(&format!(
            "Reads [`{ty}`] objects from the cache of an informer."
        ));
        let name = &kind.names().lister;
        quote! {
            #docs
            pub type #name = Lister<#ty>;
        }
    });
    let listers: TokenStream = kinds.collect();
    let handshake = code::runtime_handshake();
    quote! {
        #docs
        #imports
        use kube_codegen_runtime::lister::Lister;

        #handshake

        #listers
    }
}
