//! Shared informers of each version in its `client.rs`, and the trait by which a factory has those of all versions.
use proc_macro2::TokenStream;
use quote::quote;

use super::parts::{code, imports::Imports};
use crate::{
    base::options::Options,
    model::ir::{Model, Module},
};

pub(super) fn part(model: &Model, module: &Module, imports: &mut Imports<'_>) -> TokenStream {
    let docs = code::doc(&format!(
        "Shared informers of the kinds of `{}`.",
        module.api_version()
    ));
    let name = &module.names().informers;
    let factory = imports.name("kube_codegen_runtime::informer::InformerFactory");
    let informer = imports.name("kube_codegen_runtime::informer::SharedInformer");
    let kinds = model.kinds_of(module).map(|kind| {
        let ty = imports.root(kind);
        let docs = code::doc(&format!("Returns the shared informer for [`{ty}`]."));
        let method = &kind.names().method;
        quote! {
            #docs
            pub fn #method(&self) -> #informer<#ty> {
                self.factory.informer::<#ty>()
            }
        }
    });
    let methods: TokenStream = kinds.collect();
    quote! {
        #docs
        #[derive(Clone, Copy)]
        pub struct #name<'f> {
            factory: &'f #factory,
        }

        impl<'f> #name<'f> {
            /// Creates a view of `factory` with the informers of these kinds.
            pub fn new(factory: &'f #factory) -> Self {
                Self { factory }
            }

            #methods
        }
    }
}

/// Makes the trait of the factory, for the root of the output. It imports nothing: the root may be included into a module of the user.
pub(super) fn informers(model: &Model, options: &Options) -> TokenStream {
    let attributes = code::root_attributes(false);
    let (declared, defined): (TokenStream, TokenStream) = model
        .modules
        .iter()
        .map(|module| {
            let docs = code::doc(&format!(
                "Returns the informers of `{}`.",
                module.api_version()
            ));
            let gate = code::gate([module], options);
            let (method, path) = (&module.names().method, code::path_of(module));
            let name = &module.names().informers;
            let signature = quote!(fn #method(&self) -> #path::#name<'_>);
            (
                quote!(#docs #gate #signature;),
                quote!(#gate #signature { #path::#name::new(self) }),
            )
        })
        .unzip();
    quote! {
        /// The informers that a factory shares.
        #attributes
        pub trait Informers {
            #declared
        }

        #[rustfmt::skip]
        impl Informers for kube_codegen_runtime::informer::InformerFactory {
            #defined
        }
    }
}
