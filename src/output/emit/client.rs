//! Typed clients of each version in its `client.rs`, named by the plural of the CRD, and the subresources that they serve; and the clientset
//! over all versions.
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    parts::{code, imports::Imports},
    resource::has_status,
};
use crate::{
    base::options::Options,
    model::ir::{Kind, Model, Module, Scope},
};

pub(super) fn part(model: &Model, module: &Module, imports: &mut Imports<'_>) -> TokenStream {
    let docs = code::doc(&format!(
        "Typed clients of the kinds of `{}`.",
        module.api_version()
    ));
    let name = &module.names().client;
    let client = imports.name("kube::Client");
    let kinds = model.kinds_of(module);
    let methods: TokenStream = kinds.map(|kind| methods(kind, imports)).collect();
    let kinds = model.kinds_of(module);
    let subresources: TokenStream = kinds
        .map(|kind| subresources(model, kind, imports))
        .collect();
    quote! {
        #docs
        #[derive(Clone)]
        pub struct #name {
            client: #client,
        }

        impl #name {
            /// Creates clients that send their requests through `client`.
            pub fn new(client: #client) -> Self {
                Self { client }
            }

            #methods
        }

        #subresources
    }
}

/// Marks the subresources of a kind, which its client has verbs for.
fn subresources(model: &Model, kind: &Kind, imports: &mut Imports<'_>) -> TokenStream {
    let ty = imports.root(kind);
    // The others have kube's `HasStatus`.
    let is_marked = kind.status && !has_status(kind, model);
    let status =
        is_marked.then(|| quote!(impl kube_codegen_runtime::client::MarkedStatus for #ty {}));
    let scale = kind
        .scale
        .is_some()
        .then(|| quote!(impl kube_codegen_runtime::client::ScaleSubresource for #ty {}));
    quote!(#status #scale)
}

fn methods(kind: &Kind, imports: &mut Imports<'_>) -> TokenStream {
    let ty = imports.root(kind);
    let docs = |of: &str| {
        code::doc(&format!(
            "Returns a client for the [`{ty}`] objects of {of}."
        ))
    };
    let method = &kind.names().method;
    let typed = imports.name("kube_codegen_runtime::client::TypedClient");
    match kind.scope {
        Scope::Namespaced => {
            let (one, all) = (docs("a namespace"), docs("all namespaces"));
            let method_all = &kind.names().method_all;
            let all_namespaces = imports.name("kube_codegen_runtime::client::AllNamespaces");
            quote! {
                #one
                pub fn #method(&self, namespace: &str) -> #typed<#ty> {
                    #typed::namespaced(self.client.clone(), namespace)
                }

                #all
                pub fn #method_all(&self) -> #all_namespaces<#ty> {
                    #all_namespaces::new(self.client.clone())
                }
            }
        }
        Scope::Cluster => {
            let docs = docs("the cluster");
            quote! {
                #docs
                pub fn #method(&self) -> #typed<#ty> {
                    #typed::cluster(self.client.clone())
                }
            }
        }
    }
}

/// Makes the clientset, for the root of the output. It imports nothing: the root may be included into a module of the user.
pub(super) fn clientset(model: &Model, options: &Options) -> TokenStream {
    let attributes = code::root_attributes(false);
    let modules = model.modules.iter().map(|module| {
        let docs = code::doc(&format!(
            "Returns the clients of `{}`.",
            module.api_version()
        ));
        let gate = code::gate([module], options);
        let (method, path) = (&module.names().method, code::path_of(module));
        let name = &module.names().client;
        quote! {
            #docs
            #gate
            pub fn #method(&self) -> #path::#name {
                #path::#name::new(self.client.clone())
            }
        }
    });
    let methods: TokenStream = modules.collect();
    quote! {
        /// Typed clients that share one connection.
        #attributes
        #[derive(Clone)]
        pub struct Clientset {
            client: kube::Client,
        }

        #attributes
        impl Clientset {
            /// Creates clients that send their requests through `client`.
            pub fn new(client: kube::Client) -> Self {
                Self { client }
            }

            /// Returns the client that all requests go through.
            pub fn client(&self) -> &kube::Client {
                &self.client
            }

            #methods
        }
    }
}
