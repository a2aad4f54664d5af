//! Names and types of the model become tokens; every text of a CRD passes through here or through a literal.
use super::imports::Imports;
use crate::ir::{Field, FloatWidth, IntWidth, Presence, Ty, Types};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// An identifier of a name that the naming pass gave.
///
/// # Panics
/// Never for such a name: the passes check those that overrides give.
pub(crate) fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, Span::call_site()),
        None => format_ident!("{name}"),
    }
}

/// The type of a field.
pub(crate) fn field(field: &Field, types: &Types, imports: &mut Imports) -> TokenStream {
    let mut ty = ty(&field.ty, types, imports);
    if field.boxed == Some(true) {
        ty = quote!(Box<#ty>);
    }
    match field.presence {
        Presence::Required => ty,
        Presence::Optional => quote!(Option<#ty>),
        Presence::Nullable => {
            imports.nullable();
            quote!(Nullable<#ty>)
        }
        Presence::OptionalNullable => {
            imports.nullable();
            quote!(Option<Nullable<#ty>>)
        }
    }
}

/// A type, wherever it stands.
pub(crate) fn ty(ty: &Ty, types: &Types, imports: &mut Imports) -> TokenStream {
    match ty {
        Ty::Bool => quote!(bool),
        Ty::Int(width) => int(*width),
        Ty::Float(FloatWidth::F32) => quote!(f32),
        Ty::Float(FloatWidth::F64) => quote!(f64),
        Ty::Str => quote!(String),
        Ty::Bytes => imports.byte_string(),
        Ty::Time => imports.meta("Time"),
        Ty::IntOrString => imports.int_or_string(),
        Ty::Json => imports.json(),
        Ty::ObjectMeta => imports.meta("ObjectMeta"),
        Ty::List(inner) => {
            let inner = self::ty(inner, types, imports);
            quote!(Vec<#inner>)
        }
        Ty::Map(inner) => {
            let inner = self::ty(inner, types, imports);
            imports.map();
            quote!(BTreeMap<String, #inner>)
        }
        Ty::Nullable(inner) => {
            let inner = self::ty(inner, types, imports);
            imports.nullable();
            quote!(Nullable<#inner>)
        }
        Ty::Named(id) => {
            let name = ident(&types[*id].name);
            quote!(#name)
        }
        // The overrides pass let only types through; any other text would be found when the output is parsed.
        Ty::External(path) => path.parse().unwrap_or_default(),
    }
}

fn int(width: IntWidth) -> TokenStream {
    match width {
        IntWidth::I8 => quote!(i8),
        IntWidth::I16 => quote!(i16),
        IntWidth::I32 => quote!(i32),
        IntWidth::I64 => quote!(i64),
        IntWidth::U8 => quote!(u8),
        IntWidth::U16 => quote!(u16),
        IntWidth::U32 => quote!(u32),
        IntWidth::U64 => quote!(u64),
    }
}
