//! `lister.rs` of each version: reads from the cache of an informer.
use super::parts::{code, imports::Imports};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Model, Module};
use crate::options::Options;
use proc_macro2::TokenStream;
use quote::quote;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "lister"
    }

    fn about(&self) -> &'static str {
        "a lister for each kind, which reads the cache of an informer"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types", "resource"]
    }

    fn emit<'m>(&self, model: &'m Model, _: &'m Options) -> Vec<OutFile<'m>> {
        let modules = model.modules.iter();
        let files = modules.map(|module| OutFile {
            path: format!("{}/lister.rs", module.path()),
            contents: Contents::rust(move || listers(model, module)),
            exports: Exports::Names(
                model
                    .kinds_of(module)
                    .map(|kind| kind.names.lister.clone())
                    .collect(),
            ),
        });
        files.collect()
    }
}

fn listers(model: &Model, module: &Module) -> TokenStream {
    let docs = code::file_docs(&format!("Listers of `{}`.", module.api_version()));
    let mut imports = Imports::beside(model, module);
    let kinds = model.kinds_of(module).map(|kind| {
        let ty = imports.root(kind);
        let docs = code::doc(&format!(
            "Reads [`{ty}`] objects from the cache of an informer."
        ));
        let name = code::ident(&kind.names.lister);
        quote! {
            #docs
            pub type #name = Lister<#ty>;
        }
    });
    let listers: TokenStream = kinds.collect();
    quote! {
        #docs
        #imports
        use kube_codegen_runtime::lister::Lister;

        #listers
    }
}
