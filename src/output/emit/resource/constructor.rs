//! `new`: creates an object from its name and its spec.
use proc_macro2::TokenStream;
use quote::quote;

use super::{Imports, code};
use crate::model::ir::{Body, Field, Model, Presence, Struct, Ty};

/// Makes the constructor, unless a required field other than the spec has no default.
///
/// It takes the spec whether the schema requires it or not, so that its signature is the same in every version.
pub(super) fn of(root: &Struct, model: &Model, imports: &mut Imports<'_>) -> Option<TokenStream> {
    let is_spec = |field: &&Field| field.wire == "spec";
    let mut others = root.fields.iter().filter(|field| !is_spec(field));
    if !others.all(|field| field.presence != Presence::Required || has_default(&field.ty, model)) {
        return None;
    }
    let spec = root.fields.iter().find(is_spec);
    let docs = code::doc(match spec {
        Some(_) => "Creates an object with this name and spec. All other fields are empty.",
        None => "Creates an object with this name. All other fields are empty.",
    });
    let parameter = spec.map(|field| {
        let ty = imports.ty(&field.ty);
        quote!(, spec: #ty)
    });
    let fields = root.fields.iter().map(|field| {
        let ident = field.ident();
        if is_spec(&field) {
            let value = present(field);
            let is_short = value.to_string() == field.ident().as_str();
            return if is_short {
                value
            } else {
                quote!(#ident: #value)
            };
        }
        let is_metadata = field.ty == Ty::OBJECT_META && field.wire == "metadata";
        match (is_metadata, field.presence.may_be_absent()) {
            (true, _) => quote! {
                #ident: ObjectMeta {
                    name: Some(name.into()),
                    ..ObjectMeta::default()
                }
            },
            (false, true) => quote!(#ident: None),
            (false, false) => quote!(#ident: Default::default()),
        }
    });
    let rest = root.rest.as_ref();
    let rest = rest.map(|ident| quote!(#ident: Default::default(),));
    Some(quote! {
        #docs
        pub fn new(name: impl Into<String> #parameter) -> Self {
            Self {
                #(#fields,)*
                #rest
            }
        }
    })
}

/// Returns the value of the field that holds the parameter `spec`.
fn present(field: &Field) -> TokenStream {
    let mut value = quote!(spec);
    if field.boxed {
        value = quote!(Box::new(#value));
    }
    if matches!(
        field.presence,
        Presence::Nullable | Presence::OptionalNullable
    ) {
        value = quote!(#value.into());
    }
    if field.presence.may_be_absent() {
        value = quote!(Some(#value));
    }
    value
}

fn has_default(ty: &Ty, model: &Model) -> bool {
    match ty {
        Ty::Named(id) => {
            let def = &model.types[*id];
            // Every generated type has it.
            !matches!(def.body, Body::Alias(_)) || def.derives.default
        }
        Ty::External(_) => false,
        Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) => true,
    }
}
