//! The names of schema locations whose types are defined elsewhere, at the end of `types.rs`.
//!
//! A shared type is re-exported: rustdoc then shows its fields, variants and methods under the name of each location, which it does
//! not for a type alias, and users can import its variants.
use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{TokenStreamExt, quote};

use super::{Imports, choices, code, docs};
use crate::{
    model::ir::{Body, Ident, Model, Module, Ty, TypeId},
    output::emit::parts::imports::import,
};

/// Makes the items.
pub(super) fn of(
    model: &Model,
    module: &Module,
    with_choices: bool,
    imports: &mut Imports<'_>,
) -> TokenStream {
    let places = model.locations_of(module);
    let mut aliases: Vec<TypeId> = places.filter(|id| model.types[*id].is_alias()).collect();
    aliases.sort_by_key(|id| model.types[*id].name());
    let mut items = TokenStream::new();
    // Types that have the same name in the version that defines them.
    let mut same: BTreeMap<&Ident, Vec<&str>> = BTreeMap::new();
    for id in aliases {
        let def = &model.types[id];
        let name = def.name();
        let item = match target(model, module, id) {
            Target::Shared(shared) => quote!(pub use super::shared::#shared as #name;),
            Target::Own(own) => quote!(pub use self::#own as #name;),
            Target::Version(version, other) if other == name => {
                same.entry(version).or_default().push(name.plain());
                TokenStream::new()
            }
            Target::Version(version, other) => {
                quote!(pub use super::super::#version::#other as #name;)
            }
            Target::Reused(ty) => {
                let allow = code::allow_acronym(name);
                let ty = imports.ty(ty);
                quote!(#allow pub type #name = #ty;)
            }
        };
        if !item.is_empty() {
            items.append_all(code::docs(&docs::place(def, model.kind_of(id), None)));
            items.append_all(item);
        }
        if with_choices {
            items.append_all(choices::renamed(model, module, id));
        }
    }
    let mut comment = Some(quote!(#[comment = " Equal in another version, which defines them."]));
    let same = same.into_iter().map(|(version, names)| {
        let keywords = comment.take().into_iter().chain([quote!(pub use)]);
        import(&keywords.collect(), &quote!(super::super::#version), &names)
    });
    quote! {
        #(#same)*
        #items
    }
}

/// Returns the name of a shared type in the version that defines it, if another version does.
pub(super) fn elsewhere<'m>(
    model: &'m Model,
    module: &Module,
    id: TypeId,
) -> Option<(&'m Ident, &'m Ident)> {
    let definition = model.types.definition(id);
    let version = model
        .module_of(definition)
        .filter(|other| *other != module)?;
    Some((&version.names().version, model.types[definition].name()))
}

/// The type that the name of a location refers to.
enum Target<'m> {
    /// A type of `shared.rs`.
    Shared(&'m Ident),
    /// A type of `types.rs`.
    Own(&'m Ident),
    /// A type of another version.
    Version(&'m Ident, &'m Ident),
    /// A type of another crate, or a scalar.
    Reused(&'m Ty),
}

fn target<'m>(model: &'m Model, module: &Module, id: TypeId) -> Target<'m> {
    let def = &model.types[id];
    // The first of the equal locations of this version.
    let first = match &def.body {
        Body::Alias(Ty::Named(to)) if model.module_of(*to) == Some(module) => &model.types[*to],
        Body::Alias(_) | Body::Struct(_) | Body::Enum(_) | Body::Union(_) => def,
    };
    if let Some(shared) = &first.shared {
        return Target::Shared(shared);
    }
    match (&first.body, elsewhere(model, module, id)) {
        (Body::Alias(Ty::Named(_)), Some((version, name))) => Target::Version(version, name),
        (Body::Alias(ty), _) => Target::Reused(ty),
        (Body::Struct(_) | Body::Enum(_) | Body::Union(_), _) => Target::Own(first.name()),
    }
}
