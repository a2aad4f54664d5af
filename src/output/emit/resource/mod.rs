//! The names of each kind, its manifest, and the traits of `kube`, in the `resource.rs` of its version.
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

/// Makes the file of each manifest. All versions of a kind share it, in the folder of the group.
pub(super) fn manifests<'m>(model: &'m Model, options: &Options) -> Vec<OutFile<'m>> {
    let mut manifests = BTreeMap::new();
    for module in &model.modules {
        let folder = module.group_folder();
        let kinds = model.kinds_of(module);
        manifests.extend(kinds.map(|kind| (format!("{folder}/{}", kind.names().manifest), kind)));
    }
    let files = manifests.into_iter().map(|(path, kind)| OutFile {
        path,
        contents: Contents::Text(if options.crd_descriptions {
            kind.manifest.clone()
        } else {
            manifest::without_descriptions(kind)
        }),
        exports: Exports::NoModule,
    });
    files.collect()
}

pub(super) fn part(model: &Model, module: &Module, imports: &mut Imports<'_>) -> TokenStream {
    let kinds = model.kinds_of(module);
    kinds.map(|kind| resource(model, kind, imports)).collect()
}

fn resource(model: &Model, kind: &Kind, imports: &mut Imports<'_>) -> TokenStream {
    let ty = imports.root(kind);
    let list_docs = code::doc(&format!("A list of [`{ty}`] objects."));
    let list = &kind.names().list;
    let constants = constants::of(kind, imports);
    let (constructor, parts) = match &model.types[kind.root].body {
        Body::Struct(root) => (
            constructor::of(root, model, imports),
            parts(&ty, root, has_status(kind, model), imports),
        ),
        Body::Enum(_) | Body::Union(_) | Body::Alias(_) => Default::default(),
    };
    if !constructor.is_empty() {
        imports.name("k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta");
    }
    let scope = match kind.scope {
        Scope::Namespaced => quote!(Namespaced),
        Scope::Cluster => quote!(Cluster),
    };
    let short_names =
        (!kind.short_names.is_empty()).then(|| quote!(short_names: #ty::SHORT_NAMES,));
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

        kube_codegen_record::resource! {
            #ty: #scope {
                list_kind: #list_kind,
                #short_names
                crd: #crd_name = include_str!(#manifest),
            }
        }

        #parts
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
