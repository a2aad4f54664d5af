//! `schema.rs` of each version: `schemars::JsonSchema` for its types, from the schema of the CRD.
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Contents, Exports, OutFile,
    parts::{code, imports::Imports},
};
use crate::model::ir::{Model, Module, TypeId};

pub(super) fn emit(model: &Model) -> Vec<OutFile<'_>> {
    let files = model.modules.iter().map(|module| OutFile {
        path: format!("{}/schema.rs", module.path()),
        contents: Contents::rust(move || schemas(model, module)),
        exports: Exports::Nothing,
    });
    files.collect()
}

fn schemas(model: &Model, module: &Module) -> TokenStream {
    let docs = code::file_docs(&format!("JSON schemas of `{}`.", module.api_version()));
    let mut imports = Imports::beside(model, module);
    let types = model.types_of(module).into_iter();
    let impls: TokenStream = types
        .filter_map(|id| schema(model, module, id, &mut imports))
        .collect();
    let version = &module.version;
    quote! {
        #docs
        #imports
        use kube::core::CustomResourceExt;

        #impls

        /// Returns the schema at a JSON pointer below the schema of a kind.
        fn schema_of<K: CustomResourceExt>(pointer: &str) -> schemars::Schema {
            let mut versions = K::crd().spec.versions.into_iter();
            let schema = versions
                .find(|version| version.name == #version)
                .and_then(|version| version.schema?.open_api_v3_schema);
            let schema = kube_codegen_record::serde_json::to_value(schema).unwrap_or_default();
            let schema = schema.pointer(pointer).cloned();
            schema.and_then(|schema| schema.try_into().ok()).unwrap_or_default()
        }
    }
}

fn schema(
    model: &Model,
    module: &Module,
    id: TypeId,
    imports: &mut Imports<'_>,
) -> Option<TokenStream> {
    let kind = model.kind_of(id)?;
    let (root, ty) = (imports.root(kind), imports.own(id));
    let name = model.types[id].name().plain();
    let unique = format!("{}/{name}", module.api_version());
    let pointer = model.types[id].origin.path.pointer();
    Some(quote! {
        impl schemars::JsonSchema for #ty {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                #name.into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                #unique.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schema_of::<#root>(#pointer)
            }
        }
    })
}
