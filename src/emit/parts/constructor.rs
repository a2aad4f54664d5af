//! `new`: an object of a name, and of all that its schema requires.
use super::imports::Imports;
use super::{doc, rust};
use crate::ir::{Body, Field, Kind, Model, Presence, Struct, Ty};
use proc_macro2::TokenStream;
use quote::quote;

/// The most fields that are asked for one by one.
const MAX: usize = 5;

/// The constructor; none for a kind that requires more than a call should hold.
pub(crate) fn of(kind: &Kind, body: &Struct, model: &Model) -> TokenStream {
    // What a file of resources imports is fixed: a type that needs more is given by its path.
    let is_asked = |field: &&Field| is_asked(field, model);
    let asked: Vec<&Field> = body.fields.iter().filter(is_asked).collect();
    if asked.len() > MAX || asked.iter().any(|field| !is_plain(&field.ty)) {
        return TokenStream::new();
    }
    let mut imports = Imports::default();
    let parameters = asked.iter().map(|field| {
        let ident = rust::ident(&field.ident);
        let ty = match &field.ty {
            Ty::Named(id) => {
                let name = rust::ident(&model.types[*id].name);
                quote!(super::types::#name)
            }
            ty => rust::ty(ty, &model.types, &mut imports),
        };
        quote!(, #ident: #ty)
    });
    let parameters: Vec<_> = parameters.collect();
    let values = body.fields.iter().map(|field| {
        let ident = rust::ident(&field.ident);
        if field.ty == Ty::ObjectMeta && field.wire == "metadata" {
            quote! {
                #ident: ObjectMeta {
                    name: Some(name.into()),
                    ..ObjectMeta::default()
                }
            }
        } else if is_asked(&field) {
            quote!(#ident)
        } else if field.presence.may_be_absent() {
            quote!(#ident: None)
        } else {
            quote!(#ident: Default::default())
        }
    });
    let rest = body.rest.then(|| {
        let ident = rust::ident(&body.rest_ident);
        quote!(#ident: Default::default(),)
    });
    let about = format!(
        "A `{}` of this name, with what its schema requires.",
        kind.kind
    );
    let about = doc::outer(&[about]);
    quote! {
        #about
        pub fn new(name: impl Into<String> #(#parameters)*) -> Self {
            Self { #(#values,)* #rest }
        }
    }
}

/// Whether the caller has to say what a field holds.
fn is_asked(field: &Field, model: &Model) -> bool {
    let has_blank = match &field.ty {
        Ty::Named(id) => match &model.types[*id].body {
            Body::Struct(_) => false,
            Body::Enum(_) => model.types[*id].derives.default,
        },
        ty => matches!(ty, Ty::ObjectMeta | Ty::List(_) | Ty::Map(_) | Ty::Json),
    };
    field.presence == Presence::Required && !has_blank
}

/// Whether the type can be written without an import.
fn is_plain(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Bool | Ty::Int(_) | Ty::Float(_) | Ty::Str | Ty::Named(_)
    )
}
