//! `informer.rs` of each version and `informers.rs` for all of them: shared informers from one factory.
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Exports, OutFile,
    parts::{
        code,
        imports::{self, Imports},
    },
};
use crate::{
    base::options::Options,
    model::ir::{Model, Module},
};

pub(super) fn emit<'m>(model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
    let exports =
        |module: &Module| Exports::Names(vec![module.names().informers.plain().to_owned()]);
    let mut files = OutFile::of_versions(model, "informer.rs", exports, informer);
    files.push(OutFile::of_all(model, options, "informers.rs", informers));
    files
}

fn informer(model: &Model, module: &Module) -> TokenStream {
    let api_version = module.api_version();
    let file_docs = code::file_docs(&format!("Shared informers of `{api_version}`."));
    let docs = code::doc(&format!(
        "Shared informers of the kinds of `{api_version}`."
    ));
    let name = &module.names().informers;
    let mut imports = Imports::beside(model, module);
    let kinds = model.kinds_of(module).map(|kind| {
        let ty = imports.root(kind);
        let docs = code::doc(&format!("Returns the shared informer for [`{ty}`]."));
        let method = &kind.names().method;
        quote! {
            #docs
            pub fn #method(&self) -> SharedInformer<#ty> {
                self.factory.informer::<#ty>()
            }
        }
    });
    let methods: TokenStream = kinds.collect();
    let handshake = code::runtime_handshake();
    quote! {
        #file_docs
        #imports
        use kube_codegen_runtime::informer::{InformerFactory, SharedInformer};

        #handshake

        #docs
        #[derive(Clone, Copy)]
        pub struct #name<'f> {
            factory: &'f InformerFactory,
        }

        impl<'f> #name<'f> {
            /// Creates a view of `factory` with the informers of these kinds.
            pub fn new(factory: &'f InformerFactory) -> Self {
                Self { factory }
            }

            #methods
        }
    }
}

fn informers(model: &Model, options: &Options) -> TokenStream {
    let docs = code::file_docs("The informers of every group and version, from one factory.");
    let lints = code::lints(false);
    let imports = imports::of_modules(model, options, |module| &module.names().informers);
    let (declared, defined): (TokenStream, TokenStream) = model
        .modules
        .iter()
        .map(|module| {
            let docs = code::doc(&format!(
                "Returns the informers of `{}`.",
                module.api_version()
            ));
            let gate = code::gate([module], options);
            let (method, name) = (&module.names().method, &module.names().informers);
            let signature = quote!(fn #method(&self) -> #name<'_>);
            (
                quote!(#docs #gate #signature;),
                quote!(#gate #signature { #name::new(self) }),
            )
        })
        .unzip();
    quote! {
        #docs
        #lints
        #imports
        use kube_codegen_runtime::informer::InformerFactory;

        /// The informers that a factory shares.
        pub trait Informers {
            #declared
        }

        impl Informers for InformerFactory {
            #defined
        }
    }
}
