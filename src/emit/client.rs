//! `client.rs` of each version and `clientset.rs` over all of them: typed clients, by the plural of the CRD.
use super::parts::{doc, gate, modules, rust};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Kind, Model, Module, Scope};
use crate::options::Options;
use proc_macro2::TokenStream;
use quote::quote;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "client"
    }

    fn about(&self) -> &'static str {
        "a typed client for each version, and a clientset over all of them"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types", "resource"]
    }

    fn emit<'m>(&self, model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
        let mut files: Vec<OutFile<'_>> = model
            .modules
            .iter()
            .map(|module| OutFile {
                path: format!("{}/client.rs", module.path()),
                contents: Contents::Rust(Box::new(move || client(model, module))),
                exports: Exports::Names(vec![module.client.clone()]),
            })
            .collect();
        files.push(OutFile {
            path: "clientset.rs".into(),
            contents: Contents::Rust(Box::new(move || clientset(model, options))),
            exports: Exports::Module,
        });
        files
    }
}

fn client(model: &Model, module: &Module) -> TokenStream {
    let api_version = module.api_version();
    let head = doc::inner(&format!("Typed clients of `{api_version}`."));
    let types = rust::use_roots(model, module);
    let namespaced = model
        .kinds_of(module)
        .any(|kind| kind.scope == Scope::Namespaced);
    let runtime = if namespaced {
        quote!(use kube_codegen_runtime::client::{AllNamespaces, TypedClient};)
    } else {
        quote!(use kube_codegen_runtime::client::TypedClient;)
    };
    let name = rust::ident(&module.client);
    let about = doc::outer(&[format!("The kinds of `{api_version}`.")]);
    let methods = model.kinds_of(module).map(|kind| methods(model, kind));
    quote! {
        #head
        #types
        use kube::Client;
        #runtime

        #about
        #[derive(Clone)]
        pub struct #name {
            client: Client,
        }

        impl #name {
            /// Asks the API server through `client`.
            pub fn new(client: Client) -> Self {
                Self { client }
            }

            #(#methods)*
        }
    }
}

fn methods(model: &Model, kind: &Kind) -> TokenStream {
    let ty = rust::ident(&model.types[kind.root].name);
    let one = rust::ident(&kind.names.method);
    match kind.scope {
        Scope::Namespaced => {
            let all = rust::ident(&kind.names.method_all);
            let about_one = doc::outer(&[format!("The [`{ty}`] objects of a namespace.")]);
            let about_all = doc::outer(&[format!("The [`{ty}`] objects of all namespaces.")]);
            quote! {
                #about_one
                pub fn #one(&self, namespace: &str) -> TypedClient<#ty> {
                    TypedClient::namespaced(self.client.clone(), namespace)
                }

                #about_all
                pub fn #all(&self) -> AllNamespaces<#ty> {
                    AllNamespaces::new(self.client.clone())
                }
            }
        }
        Scope::Cluster => {
            let about = doc::outer(&[format!("The [`{ty}`] objects of the cluster.")]);
            quote! {
                #about
                pub fn #one(&self) -> TypedClient<#ty> {
                    TypedClient::cluster(self.client.clone())
                }
            }
        }
    }
}

fn clientset(model: &Model, options: &Options) -> TokenStream {
    let head = doc::inner("One client for every group and version.");
    let spared = modules::spared();
    let imports = rust::use_of_modules(model, options, |module| &module.client);
    let methods = model.modules.iter().map(|module| {
        let about = doc::outer(&[format!("The kinds of `{}`.", module.api_version())]);
        let method = rust::ident(&module.method);
        let name = rust::ident(&module.client);
        let gate = gate::of([module], options);
        quote! {
            #about
            #gate
            pub fn #method(&self) -> #name {
                #name::new(self.client.clone())
            }
        }
    });
    quote! {
        #head
        #spared
        #imports
        use kube::Client;

        /// Typed clients that share one connection.
        #[derive(Clone)]
        pub struct Clientset {
            client: Client,
        }

        impl Clientset {
            /// Asks the API server through `client`.
            pub fn new(client: Client) -> Self {
                Self { client }
            }

            /// The client that all requests go through.
            pub fn client(&self) -> &Client {
                &self.client
            }

            #(#methods)*
        }
    }
}
