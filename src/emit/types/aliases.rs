//! `aliases.rs` of a version: names of schema locations whose types are defined elsewhere.
use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{TokenStreamExt, quote};

use super::{Imports, code, docs};
use crate::{
    emit::parts::imports::import,
    ir::{Ident, Model, Module, Ty, TypeId},
};

/// Makes the file.
pub(super) fn of(model: &Model, module: &Module) -> TokenStream {
    let file_docs = code::file_docs(&format!(
        "Names of schema locations of `{}` whose types are defined elsewhere.",
        module.api_version()
    ));
    let mut aliases: Vec<(TypeId, &Ty)> = model.aliases_of(module).collect();
    aliases.sort_by_key(|(id, _)| model.types[*id].name());
    let mut imports = Imports::within(model, module);
    let mut items = TokenStream::new();
    // Types that have the same name in the version that defines them.
    let mut shared: BTreeMap<&Ident, Vec<&str>> = BTreeMap::new();
    let mut has_local = false;
    for (id, ty) in aliases {
        let def = &model.types[id];
        let end = model.types.definition(id);
        let version = model.module_of(end).filter(|other| *other != module);
        let ty = match (ty, version) {
            (Ty::Named(_), Some(version)) if model.types[end].name() == def.name() => {
                let names = shared.entry(&version.names().version).or_default();
                names.push(def.name().plain());
                continue;
            }
            (Ty::Named(of), Some(version)) if *of == end => {
                let version = &version.names().version;
                let name = model.types[end].name();
                quote!(super::super::#version::#name)
            }
            (Ty::Named(of), version) => {
                has_local |= version.is_none();
                let name = model.types[*of].name();
                quote!(#name)
            }
            (ty, _) => imports.ty(ty),
        };
        let docs = code::docs(&docs::place(def, model.kind_of(id), None));
        let allow = code::allow_acronym(def.name());
        let name = def.name();
        items.append_all(quote! {
            #docs
            #allow
            pub type #name = #ty;
        });
    }
    let local = has_local.then(|| {
        quote!(
            use super::types::*;
        )
    });
    let mut comment = Some(quote!(#[comment = " Equal in another version, which defines them."]));
    let shared = shared.into_iter().map(|(version, names)| {
        let keywords = comment.take().into_iter().chain([quote!(pub use)]);
        import(&keywords.collect(), &quote!(super::super::#version), &names)
    });
    quote! {
        #file_docs
        #local
        #imports
        #(#shared)*
        #items
    }
}
