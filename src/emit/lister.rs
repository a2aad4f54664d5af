//! `lister.rs` of each version: reads from the cache of an informer.
use super::parts::{doc, rust};
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
        model
            .modules
            .iter()
            .map(|module| OutFile {
                path: format!("{}/lister.rs", module.path()),
                contents: Contents::Rust(Box::new(move || listers(model, module))),
                exports: Exports::Names(
                    model
                        .kinds_of(module)
                        .map(|kind| kind.names.lister.clone())
                        .collect(),
                ),
            })
            .collect()
    }
}

fn listers(model: &Model, module: &Module) -> TokenStream {
    let head = doc::inner(&format!("Listers of `{}`.", module.api_version()));
    let types = rust::use_roots(model, module);
    let listers = model.kinds_of(module).map(|kind| {
        let ty = rust::ident(&model.types[kind.root].name);
        let lister = rust::ident(&kind.names.lister);
        let about = doc::outer(&[format!(
            "Reads [`{ty}`] objects from the cache of an informer."
        )]);
        quote! {
            #about
            pub type #lister = Lister<#ty>;
        }
    });
    quote! {
        #head
        #types
        use kube_codegen_runtime::lister::Lister;

        #(#listers)*
    }
}
