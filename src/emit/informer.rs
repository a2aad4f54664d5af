//! `informer.rs` of each version and `informers.rs` over all of them: shared informers from one factory.
use super::parts::{doc, gate, modules, rust};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Model, Module};
use crate::options::Options;
use proc_macro2::TokenStream;
use quote::quote;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "informer"
    }

    fn about(&self) -> &'static str {
        "shared informers of each kind, from one factory"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types", "resource", "lister"]
    }

    fn emit<'m>(&self, model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>> {
        let mut files: Vec<OutFile<'_>> = model
            .modules
            .iter()
            .map(|module| OutFile {
                path: format!("{}/informer.rs", module.path()),
                contents: Contents::Rust(Box::new(move || informer(model, module))),
                exports: Exports::Names(vec![module.informers.clone()]),
            })
            .collect();
        files.push(OutFile {
            path: "informers.rs".into(),
            contents: Contents::Rust(Box::new(move || informers(model, options))),
            exports: Exports::Module,
        });
        files
    }
}

fn informer(model: &Model, module: &Module) -> TokenStream {
    let api_version = module.api_version();
    let head = doc::inner(&format!("Shared informers of `{api_version}`."));
    let types = rust::use_roots(model, module);
    let name = rust::ident(&module.informers);
    let about = doc::outer(&[format!("Shared informers of the kinds of `{api_version}`.")]);
    let methods = model.kinds_of(module).map(|kind| {
        let ty = rust::ident(&model.types[kind.root].name);
        let method = rust::ident(&kind.names.method);
        let about = doc::outer(&[format!(
            "The informer of [`{ty}`] objects: the same one each time."
        )]);
        quote! {
            #about
            pub fn #method(&self) -> SharedInformer<#ty> {
                self.factory.informer::<#ty>()
            }
        }
    });
    quote! {
        #head
        #types
        use kube_codegen_runtime::informer::{InformerFactory, SharedInformer};

        #about
        #[derive(Clone, Copy)]
        pub struct #name<'f> {
            factory: &'f InformerFactory,
        }

        impl<'f> #name<'f> {
            /// Takes its informers from `factory`.
            pub fn new(factory: &'f InformerFactory) -> Self {
                Self { factory }
            }

            #(#methods)*
        }
    }
}

fn informers(model: &Model, options: &Options) -> TokenStream {
    let head = doc::inner("The informers of every group and version, from one factory.");
    let spared = modules::spared();
    let imports = rust::use_of_modules(model, options, |module| &module.informers);
    let signature = |module: &Module| {
        let method = rust::ident(&module.method);
        let name = rust::ident(&module.informers);
        (quote!(fn #method(&self) -> #name<'_>), name)
    };
    let declared = model.modules.iter().map(|module| {
        let about = doc::outer(&[format!("The informers of `{}`.", module.api_version())]);
        let (signature, _) = signature(module);
        let gate = gate::of([module], options);
        quote!(#about #gate #signature;)
    });
    let defined = model.modules.iter().map(|module| {
        let (signature, name) = signature(module);
        let gate = gate::of([module], options);
        quote!(#gate #signature { #name::new(self) })
    });
    quote! {
        #head
        #spared
        #imports
        use kube_codegen_runtime::informer::InformerFactory;

        /// The informers that a factory shares.
        pub trait Informers {
            #(#declared)*
        }

        impl Informers for InformerFactory {
            #(#defined)*
        }
    }
}
