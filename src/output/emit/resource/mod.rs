//! `resource.rs` of each version: the names of each kind, its manifest, and the traits of `kube`.
mod constants;
mod constructor;
mod manifest;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Contents, Exports, OutFile,
    parts::{code, imports::Imports},
};
use crate::base::options::Options;
use crate::model::ir::{Body, Field, Kind, Model, Module, Presence, Scope, Struct};

pub(super) fn emit<'m>(model: &'m Model, options: &Options) -> Vec<OutFile<'m>> {
    let mut files = Vec::new();
    let mut manifests = BTreeMap::new();
    for module in &model.modules {
        let kinds = model.kinds_of(module);
        files.push(OutFile {
            path: format!("{}/resource.rs", module.path()),
            contents: Contents::rust(move || resources(model, module)),
            exports: Exports::Names(
                kinds
                    .map(|kind| kind.names().list.plain().to_owned())
                    .collect(),
            ),
        });
        // All versions share one manifest, in the folder of the group.
        let folder = module.group_folder();
        let kinds = model.kinds_of(module);
        manifests.extend(kinds.map(|kind| (format!("{folder}/{}", kind.names().manifest), kind)));
    }
    files.extend(manifests.into_iter().map(|(path, kind)| OutFile {
        path,
        contents: Contents::Text(if options.crd_descriptions {
            kind.manifest.clone()
        } else {
            manifest::without_descriptions(kind)
        }),
        exports: Exports::NoModule,
    }));
    files
}

fn resources(model: &Model, module: &Module) -> TokenStream {
    let docs = code::file_docs(&format!(
        "Names, manifests and API traits of the kinds of `{}`.",
        module.api_version()
    ));
    let mut imports = Imports::beside(model, module);
    let kinds = model.kinds_of(module);
    let kinds: TokenStream = kinds
        .map(|kind| resource(model, kind, &mut imports))
        .collect();
    let mut kinds_again = model.kinds_of(module);
    let selectable_field = kinds_again
        .any(|kind| !kind.selectable_fields.is_empty())
        .then(|| {
            quote!(
                use kube_codegen_record::walk::SelectableField;
            )
        });
    quote! {
        #docs
        #imports
        use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
        use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
        use kube::core::{ApiResource, CustomResourceExt};
        #selectable_field

        #kinds
    }
}

fn resource(model: &Model, kind: &Kind, imports: &mut Imports<'_>) -> TokenStream {
    let ty = imports.root(kind);
    let list_docs = code::doc(&format!("A list of [`{ty}`] objects."));
    let list = &kind.names().list;
    let constants = constants::of(kind);
    let (constructor, parts) = match &model.types[kind.root].body {
        Body::Struct(root) => (
            constructor::of(root, model, imports),
            parts(&ty, root, has_status(kind, model), imports),
        ),
        Body::Enum(_) | Body::Union(_) | Body::Alias(_) => Default::default(),
    };
    let scope = match kind.scope {
        Scope::Namespaced => quote!(NamespaceResourceScope),
        Scope::Cluster => quote!(ClusterResourceScope),
    };
    let list_kind = &kind.list_kind;
    let manifest = format!("../{}", kind.names().manifest);
    let crd_name = kind.crd_name();
    quote! {
        #list_docs
        pub type #list = k8s_openapi::List<#ty>;

        impl #ty {
            #constants
            #constructor
        }

        impl k8s_openapi::Resource for #ty {
            const API_VERSION: &'static str = Self::API_VERSION;
            const GROUP: &'static str = Self::GROUP;
            const KIND: &'static str = Self::KIND;
            const VERSION: &'static str = Self::VERSION;
            const URL_PATH_SEGMENT: &'static str = Self::PLURAL;
            type Scope = k8s_openapi::#scope;
        }

        impl k8s_openapi::ListableResource for #ty {
            const LIST_KIND: &'static str = #list_kind;
        }

        impl k8s_openapi::Metadata for #ty {
            type Ty = ObjectMeta;

            fn metadata(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn metadata_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }

        #parts

        impl CustomResourceExt for #ty {
            fn crd() -> CustomResourceDefinition {
                kube_codegen_record::private::crd(include_str!(#manifest))
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

/// Whether a kind implements kube's `HasStatus`: if it has the status subresource, as in kube-derive, and a status that may be absent. Typed clients
/// offer the subresource for such kinds.
pub(super) fn has_status(kind: &Kind, model: &Model) -> bool {
    let Body::Struct(body) = &model.types[kind.root].body else {
        return false;
    };
    let is_status = |it: &Field| it.wire == "status" && it.presence == Presence::Optional;
    kind.status && body.fields.iter().any(is_status)
}

/// Implements kube's `HasSpec` for a spec that is always there, and `HasStatus` if there is [one](has_status).
fn parts(
    root: &proc_macro2::Ident,
    body: &Struct,
    has_status: bool,
    imports: &mut Imports<'_>,
) -> TokenStream {
    let field = |wire: &str, presence: Presence| {
        let is_it = |field: &&Field| field.wire == wire && field.presence == presence;
        body.fields.iter().find(is_it)
    };
    let spec = field("spec", Presence::Required).map(|field| {
        let (ident, ty) = (field.ident(), imports.held(field));
        quote! {
            impl kube::core::object::HasSpec for #root {
                type Spec = #ty;

                fn spec(&self) -> &Self::Spec {
                    &self.#ident
                }

                fn spec_mut(&mut self) -> &mut Self::Spec {
                    &mut self.#ident
                }
            }
        }
    });
    let status = field("status", Presence::Optional).filter(|_| has_status);
    let status = status.map(|field| {
        let (ident, ty) = (field.ident(), imports.held(field));
        quote! {
            impl kube::core::object::HasStatus for #root {
                type Status = #ty;

                fn status(&self) -> Option<&Self::Status> {
                    self.#ident.as_ref()
                }

                fn status_mut(&mut self) -> &mut Option<Self::Status> {
                    &mut self.#ident
                }
            }
        }
    });
    quote!(#spec #status)
}
