//! `client.rs` of each version and `clientset.rs` for all of them: typed clients, named by the plural of the CRD, and the subresources that
//! they serve.
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Exports, OutFile,
    parts::{
        code,
        imports::{self, Imports},
    },
    resource::has_status,
};
use crate::{
    base::options::Options,
    model::ir::{Kind, Model, Module, Scope},
};

pub(super) fn emit<'m>(model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
    let exports = |module: &Module| Exports::Names(vec![module.names().client.plain().to_owned()]);
    let mut files = OutFile::of_versions(model, "client.rs", exports, client);
    files.push(OutFile::of_all(model, options, "clientset.rs", clientset));
    files
}

fn client(model: &Model, module: &Module) -> TokenStream {
    let api_version = module.api_version();
    let file_docs = code::file_docs(&format!("Typed clients of `{api_version}`."));
    let docs = code::doc(&format!("Typed clients of the kinds of `{api_version}`."));
    let name = &module.names().client;
    let mut imports = Imports::beside(model, module);
    let mut kinds = model.kinds_of(module);
    let all_namespaces = kinds
        .any(|kind| kind.scope == Scope::Namespaced)
        .then(|| quote!(AllNamespaces,));
    let kinds = model.kinds_of(module);
    let methods: TokenStream = kinds.map(|kind| methods(kind, &mut imports)).collect();
    let kinds = model.kinds_of(module);
    let subresources: TokenStream = kinds
        .map(|kind| subresources(model, kind, &mut imports))
        .collect();
    let handshake = code::runtime_handshake();
    quote! {
        #file_docs
        #imports
        use kube::Client;
        use kube_codegen_runtime::client::{#all_namespaces TypedClient};

        #handshake

        #docs
        #[derive(Clone)]
        pub struct #name {
            client: Client,
        }

        impl #name {
            /// Creates clients that send their requests through `client`.
            pub fn new(client: Client) -> Self {
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
        is_marked.then(|| quote!(impl kube_codegen_runtime::private::MarkedStatus for #ty {}));
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
    match kind.scope {
        Scope::Namespaced => {
            let (one, all) = (docs("a namespace"), docs("all namespaces"));
            let method_all = &kind.names().method_all;
            quote! {
                #one
                pub fn #method(&self, namespace: &str) -> TypedClient<#ty> {
                    TypedClient::namespaced(self.client.clone(), namespace)
                }

                #all
                pub fn #method_all(&self) -> AllNamespaces<#ty> {
                    AllNamespaces::new(self.client.clone())
                }
            }
        }
        Scope::Cluster => {
            let docs = docs("the cluster");
            quote! {
                #docs
                pub fn #method(&self) -> TypedClient<#ty> {
                    TypedClient::cluster(self.client.clone())
                }
            }
        }
    }
}

fn clientset(model: &Model, options: &Options) -> TokenStream {
    let docs = code::file_docs("One client for every group and version.");
    let lints = code::lints(false);
    let imports = imports::of_modules(model, options, |module| &module.names().client);
    let modules = model.modules.iter().map(|module| {
        let docs = code::doc(&format!(
            "Returns the clients of `{}`.",
            module.api_version()
        ));
        let gate = code::gate([module], options);
        let (method, name) = (&module.names().method, &module.names().client);
        quote! {
            #docs
            #gate
            pub fn #method(&self) -> #name {
                #name::new(self.client.clone())
            }
        }
    });
    let methods: TokenStream = modules.collect();
    quote! {
        #docs
        #lints
        #imports
        use kube::Client;

        /// Typed clients that share one connection.
        #[derive(Clone)]
        pub struct Clientset {
            client: Client,
        }

        impl Clientset {
            /// Creates clients that send their requests through `client`.
            pub fn new(client: Client) -> Self {
                Self { client }
            }

            /// Returns the client that all requests go through.
            pub fn client(&self) -> &Client {
                &self.client
            }

            #methods
        }
    }
}
