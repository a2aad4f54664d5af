//! `new`: creates an object from its name and its spec.
use proc_macro2::TokenStream;
use quote::quote;

use super::{Imports, code};
use crate::{
    model::ir::{Body, Field, Model, Presence, Struct, Ty},
    output::emit::parts::imports::{Parameter, parameter},
};

/// Makes the constructor.
///
/// It takes what an object needs besides its name: a spec in which the schema requires something, and what else it requires without a default.
pub(super) fn of(root: &Struct, model: &Model, imports: &mut Imports<'_>) -> TokenStream {
    let is_spec = |field: &&Field| field.wire == "spec";
    let missing = model.types.without_default(root);
    let missing: Vec<&Field> = missing.filter(|field| !is_spec(field)).collect();
    let spec = root.fields.iter().find(is_spec);
    let spec = spec.filter(|field| needs_value(field, model));
    let docs = code::doc(match (spec, missing.as_slice()) {
        (Some(_), []) => "Creates an object with this name and spec. All other fields are empty.",
        (None, []) => "Creates an object with this name. All other fields are empty.",
        _ => "Creates an object with these fields. All others are empty.",
    });
    let (more, given): (Vec<TokenStream>, Vec<TokenStream>) = missing
        .iter()
        .map(|field| {
            let Parameter { name, ty, field } = parameter(field, &["name", "spec"], imports);
            (quote!(#name: #ty), field)
        })
        .unzip();
    let parameter = spec.map(|field| {
        let ty = imports.ty(&field.ty);
        quote!(, spec: #ty)
    });
    let fields = root.fields.iter().map(|field| {
        let ident = field.ident();
        if is_spec(&field) && spec.is_some() {
            let value = present(field);
            let is_short = value.to_string() == field.ident().as_str();
            return if is_short {
                value
            } else {
                quote!(#ident: #value)
            };
        }
        let mut given = missing.iter().zip(&given);
        if let Some((_, given)) = given.find(|(it, _)| it.wire == field.wire) {
            return given.clone();
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
            (false, false) => {
                // A type of another crate may have no `Default`.
                let is_foreign = match &field.ty {
                    Ty::External(_) => true,
                    Ty::Named(id) => model.types.reused(*id).is_some(),
                    Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) => false,
                };
                if is_foreign {
                    quote!(#ident: kube_codegen_record::blank())
                } else {
                    quote!(#ident: Default::default())
                }
            }
        }
    });
    let rest = root.rest.as_ref();
    let rest = rest.map(|ident| quote!(#ident: Default::default(),));
    quote! {
        #docs
        pub fn new(name: impl Into<String> #parameter #(, #more)*) -> Self {
            Self {
                #(#fields,)*
                #rest
            }
        }
    }
}

/// Tells if the schema requires the field, and something in it.
fn needs_value(field: &Field, model: &Model) -> bool {
    if field.presence.may_be_absent() {
        return false;
    }
    match &field.ty {
        Ty::Named(id) => match &model.types[model.types.definition(*id)].body {
            Body::Struct(it) => it.fields.iter().any(|it| !it.presence.may_be_absent()),
            Body::Enum(_) | Body::Union(_) | Body::Alias(_) => true,
        },
        Ty::List(_) | Ty::Map(_) => false,
        Ty::Scalar(_) | Ty::Nullable(_) | Ty::External(_) => true,
    }
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
