//! The table of a type: its fields or values and their names in JSON, from which a macro implements serde's traits.
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::code;
use crate::model::ir::{Body, Enum, EnumBase, Ident, Kind, Struct, TypeDef, Union};

/// Makes the table of a type; `root` is the kind whose objects have it.
pub(super) fn of(def: &TypeDef, root: Option<&Kind>) -> TokenStream {
    let name = def.defined_name();
    match &def.body {
        Body::Struct(body) => {
            let entries = record(body, root);
            quote!(kube_codegen_record::records! { #name { #entries } })
        }
        Body::Enum(body) => {
            let entries = choices(body);
            match body.base {
                EnumBase::Text if body.constants => {
                    quote!(kube_codegen_record::text_constants! { #name { #entries } })
                }
                EnumBase::Text => quote!(kube_codegen_record::text_enums! { #name { #entries } }),
                EnumBase::Int(width) => {
                    let int = code::ident(code::int(width));
                    quote!(kube_codegen_record::int_enums! { #name: #int { #entries } })
                }
                EnumBase::Mixed => quote!(kube_codegen_record::mixed_enums! { #name { #entries } }),
            }
        }
        Body::Union(Union { arms, other, .. }) => {
            let arms = arms.iter().map(|arm| &arm.ident);
            quote!(kube_codegen_record::unions! { #name { #(#arms,)* .. #other } })
        }
        // Where its type is defined.
        Body::Alias(_) => TokenStream::new(),
    }
}

fn record(body: &Struct, root: Option<&Kind>) -> TokenStream {
    let mut entries: Vec<(&str, TokenStream)> = body
        .fields
        .iter()
        .map(|field| {
            let entry = named(field.ident(), &field.wire);
            // Input without metadata, as command line tools read it, is written without metadata.
            let unless = (root.is_some() && field.wire == "metadata").then(|| quote!(unless_blank));
            (field.wire.as_str(), quote!(#entry #unless))
        })
        .collect();
    if let Some(kind) = root {
        let api_version = format!("{}/{}", kind.group, kind.version);
        let name = &kind.kind;
        entries.push(("apiVersion", quote!("apiVersion": #api_version)));
        entries.push(("kind", quote!("kind": #name)));
    }
    // The reader searches for a name.
    entries.sort_by_key(|(wire, _)| *wire);
    let entries = entries.iter().map(|(_, entry)| entry);
    if let Some(rest) = &body.rest {
        quote!(#(#entries,)* .. #rest)
    } else {
        quote!(#(#entries),*)
    }
}

/// Writes a name, and that in JSON where it is another one. rustc normalizes the letters of a name beyond ASCII, so that another one may be
/// spelled alike.
fn named(ident: &Ident, wire: &str) -> TokenStream {
    if ident.as_str() == wire && wire.is_ascii() {
        quote!(#ident)
    } else {
        quote!(#ident = #wire)
    }
}

fn choices(body: &Enum) -> TokenStream {
    let variants = body.variants.iter().map(|variant| {
        let ident = variant.ident();
        let value = match &variant.value {
            Value::String(text) if body.base == EnumBase::Text => return named(ident, text),
            Value::String(text) => Literal::string(text).to_string(),
            number if number.is_i64() && body.base == EnumBase::Mixed => format!("{number}_i64"),
            number if number.is_u64() && body.base == EnumBase::Mixed => format!("{number}_u64"),
            other => other.to_string(),
        };
        let value = code::parsed(&value);
        quote!(#ident = #value)
    });
    let variants: Vec<TokenStream> = variants.collect();
    let other = &body.other;
    if body.constants {
        quote!(#(#variants),*)
    } else {
        quote!(#(#variants,)* .. #other)
    }
}
