//! `new`: an object of a name, and of all that its schema requires.
use super::imports::Imports;
use super::{doc, rust};
use crate::ir::{Body, Field, Kind, Model, Presence, Struct, Ty, TypeId};
use proc_macro2::TokenStream;
use quote::quote;

/// The most fields that are asked for one by one.
const MAX: usize = 5;

/// The types that a caller of [`of`] passes, beside those that need no import.
pub(crate) fn types(body: &Struct, model: &Model) -> Vec<TypeId> {
    let asked = asked(body, model);
    asked.iter().filter_map(|field| field.ty.named()).collect()
}

/// The fields that a caller passes; none for a kind that requires more than a call should hold.
fn asked<'a>(body: &'a Struct, model: &Model) -> Vec<&'a Field> {
    let fields = body.fields.iter();
    let asked: Vec<&Field> = fields.filter(|field| is_asked(field, model)).collect();
    if asked.len() > MAX || asked.iter().any(|field| !is_plain(&field.ty)) {
        return Vec::new();
    }
    asked
}

/// The constructor; none for a kind that requires more than a call should hold.
pub(crate) fn of(kind: &Kind, body: &Struct, model: &Model) -> TokenStream {
    let is_asked = |field: &Field| is_asked(field, model);
    let asked = asked(body, model);
    if asked.is_empty() && body.fields.iter().any(is_asked) {
        return TokenStream::new();
    }
    let mut imports = Imports::default();
    let parameters = asked.iter().map(|field| {
        let ident = rust::ident(&field.ident);
        let ty = rust::ty(&field.ty, &model.types, &mut imports);
        quote!(, #ident: #ty)
    });
    let parameters: Vec<_> = parameters.collect();
    let is_taken = asked.iter().any(|field| field.ident == "name");
    let name = rust::ident(if is_taken { "object_name" } else { "name" });
    let values = body.fields.iter().map(|field| {
        let ident = rust::ident(&field.ident);
        if field.ty == Ty::ObjectMeta && field.wire == "metadata" {
            quote! {
                #ident: ObjectMeta {
                    name: Some(#name.into()),
                    ..ObjectMeta::default()
                }
            }
        } else if is_asked(field) {
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
        pub fn new(#name: impl Into<String> #(#parameters)*) -> Self {
            Self { #(#values,)* #rest }
        }
    }
}

/// Whether the caller has to say what a field holds.
fn is_asked(field: &Field, model: &Model) -> bool {
    let has_blank = match &field.ty {
        Ty::Named(id) => match &model.types[*id].body {
            Body::Struct(_) | Body::Union(_) | Body::Alias(_) => false,
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
        Ty::Bool | Ty::Int(_) | Ty::Float | Ty::Str | Ty::Named(_)
    )
}
