//! Names and types of the model become tokens; every text of a CRD passes through here or through a literal.
use super::imports::{Import, Imports};
use super::{gate, order};
use crate::ir::{Field, IntWidth, Model, Module, Presence, Ty, TypeId, Types};
use crate::options::Options;
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

/// The line that spares a kind: it keeps its spelling, whatever clippy thinks of `DNS`.
pub(crate) fn acronym(name: &str) -> &'static str {
    if name.len() > 2 && name.chars().all(|c| !c.is_ascii_lowercase()) {
        "#[allow(clippy::upper_case_acronyms)]\n"
    } else {
        ""
    }
}

/// The identifier of a module, from the name of its file.
pub(crate) fn module(file: &str) -> Ident {
    if syn::parse_str::<Ident>(file).is_ok() {
        ident(file)
    } else {
        Ident::new_raw(file, Span::call_site())
    }
}

/// Writes the type of a field.
pub(crate) fn field(out: &mut String, field: &Field, types: &Types, imports: &mut Imports<'_>) {
    let mut around = match field.presence {
        Presence::Required => Vec::new(),
        Presence::Optional => vec!["Option"],
        Presence::Nullable => vec![imports.name(Import::Nullable)],
        Presence::OptionalNullable => vec!["Option", imports.name(Import::Nullable)],
    };
    if field.boxed == Some(true) {
        around.push("Box");
    }
    for generic in &around {
        out.push_str(generic);
        out.push('<');
    }
    text(out, &field.ty, types, imports);
    out.extend(around.iter().map(|_| '>'));
}

/// Whether a type is as involved as clippy thinks no type should be: the schema is.
pub(crate) fn is_involved(field: &Field) -> bool {
    let around = match field.presence {
        Presence::Required => 0,
        Presence::Optional | Presence::Nullable => 1,
        Presence::OptionalNullable => 2,
    } + usize::from(field.boxed == Some(true));
    let score = (1..=around).sum::<usize>() + score(&field.ty, around + 1);
    score > INVOLVED
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
            | Ty::Float
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

/// A type, wherever it stands, as tokens.
pub(crate) fn ty(ty: &Ty, types: &Types, imports: &mut Imports<'_>) -> TokenStream {
    let mut out = String::new();
    text(&mut out, ty, types, imports);
    out.parse().unwrap_or_default()
}

/// Writes a type, wherever it stands.
pub(crate) fn text(out: &mut String, ty: &Ty, types: &Types, imports: &mut Imports<'_>) {
    let (name, inner) = match ty {
        Ty::Bool => ("bool", None),
        Ty::Int(width) => (int(*width), None),
        Ty::Float => ("f64", None),
        Ty::Str => ("String", None),
        Ty::Bytes => (imports.name(Import::ByteString), None),
        Ty::Time => (imports.name(Import::DateTime), None),
        Ty::IntOrString => (imports.name(Import::IntOrString), None),
        Ty::Json => (imports.name(Import::Value), None),
        Ty::ObjectMeta => (imports.name(Import::ObjectMeta), None),
        Ty::List(inner) => ("Vec", Some(inner)),
        Ty::Map(inner) => (imports.name(Import::BTreeMap), Some(inner)),
        Ty::Nullable(inner) => (imports.name(Import::Nullable), Some(inner)),
        Ty::Named(id) => (types[*id].name.as_str(), None),
        Ty::External(path) => match imports.foreign(path) {
            Some(name) => (name, None),
            None => return external(out, path),
        },
    };
    out.push_str(name);
    if let Some(inner) = inner {
        out.push('<');
        if matches!(ty, Ty::Map(_)) {
            out.push_str("String, ");
        }
        text(out, inner, types, imports);
        out.push('>');
    }
}

/// A type of somebody else, laid out as code is. The overrides pass let only types through.
fn external(out: &mut String, path: &str) {
    let alias = syn::parse_str::<syn::File>(&format!("type A = {path};"));
    let alias = alias.map(|file| prettyplease::unparse(&file));
    let alias = alias.as_deref().map(str::trim_end);
    let plain = alias
        .ok()
        .and_then(|line| line.strip_prefix("type A = ")?.strip_suffix(';'));
    // Any other text is found when the output is parsed.
    out.push_str(plain.unwrap_or(path));
}

/// The type of an integer.
pub(crate) fn int(width: IntWidth) -> &'static str {
    match width {
        IntWidth::I8 => "i8",
        IntWidth::I16 => "i16",
        IntWidth::I32 => "i32",
        IntWidth::I64 => "i64",
        IntWidth::U8 => "u8",
        IntWidth::U16 => "u16",
        IntWidth::U32 => "u32",
        IntWidth::U64 => "u64",
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
pub(crate) fn use_of_modules(
    model: &Model,
    options: &Options,
    name: impl Fn(&Module) -> &str,
) -> TokenStream {
    let mut modules: Vec<&Module> = model.modules.iter().collect();
    modules.sort_by(|a, b| {
        let path = |module: &Module| format!("{}::{}", module.group_ident, module.version_ident);
        order::version(&path(a), &path(b))
    });
    let lines = modules.into_iter().map(|module| {
        let group = ident(&module.group_ident);
        let version = ident(&module.version_ident);
        let name = ident(name(module));
        let gate = gate::of([module], options);
        quote!(#gate use super::#group::#version::#name;)
    });
    lines.collect()
}
