//! `lister.rs` of each version: reads from the cache of an informer.
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Contents, Exports, OutFile,
    parts::{code, imports::Imports},
};
use crate::ir::{Model, Module};

pub(super) fn emit(model: &Model) -> Vec<OutFile<'_>> {
    let modules = model.modules.iter();
    let files = modules.map(|module| OutFile {
        path: format!("{}/lister.rs", module.path()),
        contents: Contents::rust(move || listers(model, module)),
        exports: Exports::Names(
            model
                .kinds_of(module)
                .map(|kind| kind.names().lister.plain().to_owned())
                .collect(),
        ),
    });
    files.collect()
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
