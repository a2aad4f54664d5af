//! `resource.rs` of each version: what Kubernetes calls each kind, its manifest, and the traits of `kube`.
use super::parts::{constants, constructor, doc, manifest, rust};
use super::{Contents, Emitter, Exports, OutFile};
use crate::ir::{Body, Kind, Model, Module, Scope, TypeId};
use crate::options::Options;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::BTreeMap;

pub(super) struct Emit;

impl Emitter for Emit {
    fn name(&self) -> &'static str {
        "resource"
    }

    fn about(&self) -> &'static str {
        "names and manifest of each kind, and the traits that kube's clients ask for"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["types"]
    }

    fn emit<'m>(&self, model: &'m Model, _: &'m Options) -> Vec<OutFile<'m>> {
        let mut files = Vec::new();
        let mut manifests = BTreeMap::new();
        for module in &model.modules {
            let kinds = model.kinds_of(module);
            files.push(OutFile {
                path: format!("{}/resource.rs", module.path()),
                contents: Contents::Rust(Box::new(move || resources(model, module))),
                exports: Exports::Names(kinds.map(|kind| kind.names.list.clone()).collect()),
            });
            // Beside the versions, as it has all of them.
            let folder = module.group_folder();
            manifests.extend(
                model
                    .kinds_of(module)
                    .map(|kind| (format!("{folder}/{}", kind.names.manifest), kind)),
            );
        }
        files.extend(manifests.into_iter().map(|(path, kind)| OutFile {
            path,
            contents: Contents::Text(Box::new(move || manifest::text(&kind.manifest))),
            exports: Exports::NoModule,
        }));
        files
    }
}

fn resources(model: &Model, module: &Module) -> TokenStream {
    let head = doc::inner(&format!(
        "What Kubernetes calls the kinds of `{}`.",
        module.api_version()
    ));
    let types = rust::use_types(model, used(model, module));
    let selectable = model
        .kinds_of(module)
        .any(|kind| !kind.selectable_fields.is_empty())
        .then(|| quote!(use kube_codegen_runtime::walk::SelectableField;));
    let kinds = model.kinds_of(module).map(|kind| resource(model, kind));
    quote! {
        #head
        #types
        use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
        use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
        use kube::core::{ApiResource, CustomResourceExt};
        #selectable
        #(#kinds)*
    }
}

/// The roots, and what their constructors take.
fn used(model: &Model, module: &Module) -> Vec<TypeId> {
    let kinds = model.kinds_of(module);
    kinds
        .flat_map(|kind| {
            let mut used = vec![kind.root];
            if let Body::Struct(body) = &model.types[kind.root].body {
                used.extend(constructor::types(body, model));
            }
            used
        })
        .collect()
}

fn resource(model: &Model, kind: &Kind) -> TokenStream {
    let name = rust::ident(&model.types[kind.root].name);
    let constants = constants::of(kind);
    let new = match &model.types[kind.root].body {
        Body::Struct(body) => constructor::of(kind, body, model),
        Body::Enum(_) | Body::Union(_) | Body::Alias(_) => TokenStream::new(),
    };
    let list = rust::ident(&kind.names.list);
    let list_doc = doc::outer(&[format!("A list of [`{name}`] objects.")]);
    let traits = traits(kind, &name);
    let manifest = format!("../{}", kind.names.manifest);
    let crd_name = format!("{}.{}", kind.plural, kind.group);
    quote! {
        #list_doc
        pub type #list = k8s_openapi::List<#name>;

        impl #name {
            #constants
            #new
        }

        #traits

        impl CustomResourceExt for #name {
            fn crd() -> CustomResourceDefinition {
                kube_codegen_runtime::resource::crd(include_str!(#manifest))
            }

            fn crd_name() -> &'static str {
                #crd_name
            }

            fn api_resource() -> ApiResource {
                ApiResource::erase::<Self>(&())
            }

            fn shortnames() -> &'static [&'static str] {
                Self::SHORT_NAMES
            }
        }
    }
}

fn traits(kind: &Kind, name: &Ident) -> TokenStream {
    let scope = match kind.scope {
        Scope::Namespaced => quote!(NamespaceResourceScope),
        Scope::Cluster => quote!(ClusterResourceScope),
    };
    let list_kind = &kind.list_kind;
    let status = kind
        .status
        .then(|| quote!(impl kube_codegen_runtime::client::StatusSubresource for #name {}));
    let scale = kind
        .scale
        .is_some()
        .then(|| quote!(impl kube_codegen_runtime::client::ScaleSubresource for #name {}));
    quote! {
        impl k8s_openapi::Resource for #name {
            const API_VERSION: &'static str = Self::API_VERSION;
            const GROUP: &'static str = Self::GROUP;
            const KIND: &'static str = Self::KIND;
            const VERSION: &'static str = Self::VERSION;
            const URL_PATH_SEGMENT: &'static str = Self::PLURAL;
            type Scope = k8s_openapi::#scope;
        }

        impl k8s_openapi::ListableResource for #name {
            const LIST_KIND: &'static str = #list_kind;
        }

        impl k8s_openapi::Metadata for #name {
            type Ty = ObjectMeta;

            fn metadata(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn metadata_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }

        #status
        #scale
    }
}
