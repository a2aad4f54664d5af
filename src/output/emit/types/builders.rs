//! `builders.rs` of a version, on request: a method `with_FIELD` of each struct for each of its fields, by hand-written code rather than a
//! derive, which would add a procedural macro to every build.
use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{TokenStreamExt, quote};

use super::{Imports, code};
use crate::model::ir::{
    Body, EnumBase, Field, Ident, Model, Module, Presence, Scalar, Struct, Ty, TypeId,
};
use crate::output::emit::parts::docs;

/// Makes the file.
pub(super) fn of(model: &Model, module: &Module) -> TokenStream {
    let file_docs = code::file_docs(&format!(
        "Methods of the types of `{}` that set one field each.",
        module.api_version()
    ));
    let mut imports = Imports::beside(model, module);
    let mut items = TokenStream::new();
    for id in model.types_of(module) {
        if let Body::Struct(body) = &model.types[id].body
            && !body.fields.is_empty()
        {
            items.append_all(setters(model, id, body, &mut imports));
        }
    }
    quote!(#file_docs #imports #items)
}

fn setters(model: &Model, id: TypeId, body: &Struct, imports: &mut Imports<'_>) -> TokenStream {
    let name = imports.own(id);
    // The constructors of a choice have the names of fields.
    let members = body.choices.iter().flat_map(|choice| &choice.members);
    let mut taken: HashSet<&Ident> = members.filter_map(|it| it.constructor.as_ref()).collect();
    taken.extend(body.choices.iter().filter_map(|it| it.method.as_ref()));
    let methods = body.fields.iter().map(|field| {
        let mut setter = Ident::new(format!("with_{}", field.ident().plain()));
        while taken.contains(&setter) {
            setter = Ident::new(format!("{}_", setter.plain()));
        }
        let docs = code::doc(&format!("Sets {}.", docs::span(&field.wire)));
        let Argument { ty, value } = argument(model, &field.ty, &quote!(value), imports);
        let value = held(field, &value, imports);
        let ident = field.ident();
        quote! {
            #docs
            #[must_use]
            pub fn #setter(mut self, value: #ty) -> Self {
                self.#ident = #value;
                self
            }
        }
    });
    let methods: TokenStream = methods.collect();
    quote! {
        impl #name {
            #methods
        }
    }
}

/// Puts a value into what its field holds.
fn held(field: &Field, value: &TokenStream, imports: &mut Imports<'_>) -> TokenStream {
    let mut value = value.clone();
    if field.boxed {
        value = quote!(Box::new(#value));
    }
    if matches!(
        field.presence,
        Presence::Nullable | Presence::OptionalNullable
    ) {
        let nullable = imports.name("kube_codegen_record::Nullable");
        value = quote!(#nullable::Value(#value));
    }
    if field.presence.may_be_absent() {
        value = quote!(Some(#value));
    }
    value
}

/// What a method takes, and how that becomes a value of a type.
struct Argument {
    ty: TokenStream,
    value: TokenStream,
}

impl Argument {
    fn is_plain(&self, given: &TokenStream) -> bool {
        self.value.to_string() == given.to_string()
    }
}

/// Takes text, lists and maps in any form, so that literals need no conversion. Numbers are taken as they are: the type of a literal would be
/// unknown.
fn argument(model: &Model, ty: &Ty, given: &TokenStream, imports: &mut Imports<'_>) -> Argument {
    let item = quote!(item);
    match ty {
        Ty::List(inner) => {
            let inner = argument(model, inner, &item, imports);
            let Argument { ty, value } = &inner;
            let map = (!inner.is_plain(&item)).then(|| quote!(.map(|item| #value)));
            Argument {
                ty: quote!(impl IntoIterator<Item = #ty>),
                value: quote!(#given.into_iter() #map .collect()),
            }
        }
        Ty::Map(inner) => {
            let Argument { ty, value } = argument(model, inner, &item, imports);
            Argument {
                ty: quote!(impl IntoIterator<Item = (impl Into<String>, #ty)>),
                value: quote!(#given.into_iter().map(|(key, item)| (key.into(), #value)).collect()),
            }
        }
        ty => {
            let name = imports.ty(ty);
            if converts(model, ty) {
                Argument {
                    ty: quote!(impl Into<#name>),
                    value: quote!(#given.into()),
                }
            } else {
                Argument {
                    ty: name,
                    value: given.clone(),
                }
            }
        }
    }
}

/// Returns whether literals convert to a type.
fn converts(model: &Model, ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => match scalar {
            Scalar::Str | Scalar::Number | Scalar::Time | Scalar::Json => true,
            Scalar::Bool
            | Scalar::Int(_)
            | Scalar::Bytes
            | Scalar::IntOrString
            | Scalar::Quantity
            | Scalar::ObjectMeta => false,
        },
        Ty::Named(id) => match &model.types[model.types.definition(*id)].body {
            Body::Enum(body) => body.base == EnumBase::Text,
            Body::Struct(_) | Body::Union(_) | Body::Alias(_) => false,
        },
        Ty::Nullable(_) | Ty::External(_) | Ty::List(_) | Ty::Map(_) => false,
    }
}
