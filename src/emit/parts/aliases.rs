//! `aliases.rs` of a version: the names that places of the schema give to types of other places, and to types of others.
use super::imports::Imports;
use super::{doc, rust};
use crate::ir::{Model, Module, Ty, TypeId};
use proc_macro2::TokenStream;
use quote::quote;

/// The file.
pub(crate) fn of(model: &Model, module: &Module) -> TokenStream {
    let mut aliases: Vec<(TypeId, &Ty)> = model.aliases_of(module);
    aliases.sort_by_key(|(id, _)| &model.types[*id].name);
    let head = doc::inner(&format!(
        "Types of `{}` that stand in more than one place, by the names of the other places.",
        module.api_version()
    ));
    let is_local = |(_, ty): &(TypeId, &Ty)| ty.named().is_some();
    let types = aliases.iter().any(is_local).then(|| {
        quote!(
            use super::types::*;
        )
    });
    let mut imports = Imports::default();
    let mut items = TokenStream::new();
    for (id, ty) in aliases {
        let def = &model.types[id];
        let about = doc::place(def, model.kind_of(id));
        let about = doc::outer(&about);
        let acronym = rust::acronym(&def.name);
        let name = rust::ident(&def.name);
        let ty = rust::ty(ty, &model.types, &mut imports);
        items.extend(quote!(#about #acronym pub type #name = #ty;));
    }
    let imports = imports.lines();
    quote!(#head #types #imports #items)
}
