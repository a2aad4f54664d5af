//! Names and types of the model become tokens; every text of a CRD passes through here or through a literal.
use super::imports::{Import, Imports};
use super::order;
use crate::ir::{Field, FloatWidth, IntWidth, Model, Module, Presence, Ty, TypeId, Types};
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

/// A kind keeps its spelling, whatever clippy thinks of `DNS`.
pub(crate) fn acronym(name: &str) -> Option<TokenStream> {
    let is_acronym = name.len() > 2 && name.chars().all(|c| !c.is_ascii_lowercase());
    is_acronym.then(|| quote!(#[allow(clippy::upper_case_acronyms)]))
}

/// The identifier of a module, from the name of its file.
pub(crate) fn module(file: &str) -> Ident {
    if syn::parse_str::<Ident>(file).is_ok() {
        ident(file)
    } else {
        Ident::new_raw(file, Span::call_site())
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
            let nullable = imports.name(Import::Nullable);
            quote!(#nullable<#ty>)
        }
        Presence::OptionalNullable => {
            let nullable = imports.name(Import::Nullable);
            quote!(Option<#nullable<#ty>>)
        }
    }
}

/// Spares a type as involved as clippy thinks no type should be: the schema is.
pub(crate) fn involved(field: &Field) -> Option<TokenStream> {
    let around = match field.presence {
        Presence::Required => 0,
        Presence::Optional | Presence::Nullable => 1,
        Presence::OptionalNullable => 2,
    } + usize::from(field.boxed == Some(true));
    let score = (1..=around).sum::<usize>() + score(&field.ty, around + 1);
    (score > INVOLVED).then(|| quote!(#[allow(clippy::type_complexity)]))
}

/// The most that clippy's `type_complexity` lets pass, in tenths of its own score.
const INVOLVED: usize = 25;

/// The sum of how deep each part of a type lies, as clippy counts.
fn score(ty: &Ty, depth: usize) -> usize {
    depth
        + match ty {
            Ty::List(inner) | Ty::Nullable(inner) => score(inner, depth + 1),
            Ty::Map(inner) => depth + 1 + score(inner, depth + 1),
            Ty::Bool
            | Ty::Int(_)
            | Ty::Float(_)
            | Ty::Str
            | Ty::Bytes
            | Ty::Time
            | Ty::IntOrString
            | Ty::Json
            | Ty::ObjectMeta
            | Ty::Named(_)
            | Ty::External(_) => 0,
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
        Ty::Bytes => imports.name(Import::ByteString),
        Ty::Time => imports.name(Import::Time),
        Ty::IntOrString => imports.name(Import::IntOrString),
        Ty::Json => imports.name(Import::Value),
        Ty::ObjectMeta => imports.name(Import::ObjectMeta),
        Ty::List(inner) => {
            let inner = self::ty(inner, types, imports);
            quote!(Vec<#inner>)
        }
        Ty::Map(inner) => {
            let inner = self::ty(inner, types, imports);
            let map = imports.name(Import::BTreeMap);
            quote!(#map<String, #inner>)
        }
        Ty::Nullable(inner) => {
            let inner = self::ty(inner, types, imports);
            let nullable = imports.name(Import::Nullable);
            quote!(#nullable<#inner>)
        }
        Ty::Named(id) => {
            let name = ident(&types[*id].name);
            quote!(#name)
        }
        // The overrides pass let only types through; any other text would be found when the output is parsed.
        Ty::External(path) => path.parse().unwrap_or_default(),
    }
}

/// The type of an integer.
pub(crate) fn int(width: IntWidth) -> TokenStream {
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

/// The `use` line of the root types of a module, for a file beside `types.rs`.
pub(crate) fn use_roots(model: &Model, module: &Module) -> TokenStream {
    use_types(
        model,
        model.kinds_of(module).map(|kind| kind.root).collect(),
    )
}

/// The `use` line of types, for a file beside `types.rs`.
pub(crate) fn use_types(model: &Model, mut types: Vec<TypeId>) -> TokenStream {
    types.sort_unstable();
    types.dedup();
    let names = types.iter().map(|id| model.types[*id].name.as_str());
    let mut names: Vec<&str> = names.collect();
    names.sort_by(|a, b| order::version(a, b));
    use_names(&quote!(super::types), &names)
}

/// A `use` line of names in order.
pub(crate) fn use_names(path: &TokenStream, names: &[&str]) -> TokenStream {
    let idents: Vec<Ident> = names.iter().map(|name| ident(name)).collect();
    match idents.as_slice() {
        [] => TokenStream::new(),
        [one] => quote!(use #path::#one;),
        all => quote!(use #path::{#(#all),*};),
    }
}

/// The `use` lines of one name from each version's module, for a file at the root.
pub(crate) fn use_of_modules(model: &Model, name: impl Fn(&Module) -> &str) -> TokenStream {
    let mut modules: Vec<&Module> = model.modules.iter().collect();
    modules.sort_by(|a, b| {
        let path = |module: &Module| format!("{}::{}", module.group_ident, module.version_ident);
        order::version(&path(a), &path(b))
    });
    let lines = modules.into_iter().map(|module| {
        let group = ident(&module.group_ident);
        let version = ident(&module.version_ident);
        let name = ident(name(module));
        quote!(use super::#group::#version::#name;)
    });
    lines.collect()
}
