//! Names and types of the model become code.
use super::imports::{Import, Imports};
use super::layout;
use crate::ir::{Field, IntWidth, Presence, Ty, Types};
use proc_macro2::Ident;
use std::borrow::Cow;

/// The line that spares a kind: it keeps its spelling, whatever clippy thinks of `DNS`.
pub(crate) fn acronym(name: &str) -> &'static str {
    if name.len() > 2 && name.chars().all(|c| !c.is_ascii_lowercase()) {
        "#[allow(clippy::upper_case_acronyms)]\n"
    } else {
        ""
    }
}

/// The identifier of a module, from the name of its file.
pub(crate) fn module(file: &str) -> Cow<'_, str> {
    if syn::parse_str::<Ident>(file).is_ok() {
        file.into()
    } else {
        format!("r#{file}").into()
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
            | Ty::Number
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

/// Writes a type, wherever it stands.
pub(crate) fn text(out: &mut String, ty: &Ty, types: &Types, imports: &mut Imports<'_>) {
    let (name, inner) = match ty {
        Ty::Bool => ("bool", None),
        Ty::Int(width) => (int(*width), None),
        Ty::Number => (imports.name(Import::Number), None),
        Ty::Str => ("String", None),
        Ty::Bytes => (imports.name(Import::ByteString), None),
        Ty::Time => (imports.name(Import::DateTime), None),
        Ty::IntOrString => (imports.name(Import::IntOrString), None),
        Ty::Json => (imports.name(Import::Value), None),
        Ty::ObjectMeta => (imports.name(Import::ObjectMeta), None),
        Ty::List(inner) => ("Vec", Some(inner)),
        Ty::Map(inner) => (imports.name(Import::BTreeMap), Some(inner)),
        Ty::Nullable(inner) => (imports.name(Import::Nullable), Some(inner)),
        Ty::Named(id) => (imports.own(&types[*id]), None),
        Ty::External(path) => match imports.foreign(path) {
            Some(name) => (name, None),
            // The overrides pass let only types through.
            None => return out.push_str(&layout::foreign(path)),
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
