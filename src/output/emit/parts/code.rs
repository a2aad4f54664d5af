//! Small pieces of Rust: identifiers, doc comments, lint and feature attributes.
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    base::options::Options,
    model::ir::{self, Field, IntWidth, Module, ModuleNames, Presence, Ty},
};

/// Returns the identifier of a name; a keyword is raw.
pub(crate) fn ident(name: &str) -> Ident {
    (&ir::Ident::new(name)).into()
}

/// Parses a path or type that an override names. The overrides pass has parsed it already.
pub(crate) fn parsed(code: &str) -> TokenStream {
    code.parse().unwrap_or_default()
}

/// Makes a doc comment of one line.
pub(crate) fn doc(line: &str) -> TokenStream {
    docs(&[line])
}

/// Makes a doc comment, line by line.
pub(crate) fn docs<S: AsRef<str>>(lines: &[S]) -> TokenStream {
    let lines = lines.iter().map(|line| spaced(line.as_ref()));
    quote!(#(#[doc = #lines])*)
}

fn spaced(line: &str) -> String {
    match line {
        "" => String::new(),
        line => format!(" {line}"),
    }
}

/// Makes the doc comment of a file.
pub(crate) fn file_docs(line: &str) -> TokenStream {
    file_docs_of(&[line])
}

/// Makes the doc comment of a file, line by line.
pub(crate) fn file_docs_of(lines: &[&str]) -> TokenStream {
    let lines = lines.iter().map(|line| spaced(line));
    quote!(#(#![doc = #lines])*)
}

/// Makes the attributes of items in the root of the output, which has no inner attributes: it may be included into a module of the user.
///
/// They allow the lints that generated code may trip: an operator uses part of it, and a CRD does not describe every field.
pub(crate) fn root_attributes(deprecated: bool) -> TokenStream {
    let deprecated = deprecated.then(|| quote!(deprecated,));
    quote! {
        #[rustfmt::skip]
        #[allow(clippy::pedantic, dead_code, #deprecated missing_docs, unreachable_pub, unused_imports)]
    }
}

/// Joins nouns: `a, b and c`.
pub(crate) fn enumerated(nouns: &[&str]) -> String {
    match nouns {
        [] => String::new(),
        [noun] => (*noun).to_owned(),
        [nouns @ .., last] => format!("{} and {last}", nouns.join(", ")),
    }
}

/// Returns the path of a version's module from the root of the output.
pub(crate) fn path_of(module: &Module) -> TokenStream {
    let ModuleNames { group, version, .. } = module.names();
    quote!(#group::#version)
}

/// Makes the attribute that compiles an item only with the feature of one of the modules, if features were asked for.
pub(crate) fn gate<'m>(
    modules: impl IntoIterator<Item = &'m Module>,
    options: &Options,
) -> Option<TokenStream> {
    if !options.feature_gates {
        return None;
    }
    let features: Vec<String> = modules.into_iter().map(Module::feature).collect();
    match features.as_slice() {
        [] => None,
        [feature] => Some(quote!(#[cfg(feature = #feature)])),
        features => Some(quote!(#[cfg(any(#(feature = #features),*))])),
    }
}

/// Lets a type keep the spelling of its kind where clippy would change it, as in `DNS`.
pub(crate) fn allow_acronym(name: &ir::Ident) -> Option<TokenStream> {
    let name = name.plain();
    let is_acronym = name.len() > 2 && name.chars().all(|c| !c.is_ascii_lowercase());
    is_acronym.then(|| quote!(#[allow(clippy::upper_case_acronyms)]))
}

/// Allows a type that clippy finds too complex: the schema is.
pub(crate) fn allow_complexity(field: &Field) -> Option<TokenStream> {
    /// The highest score that `clippy::type_complexity` accepts, in tenths.
    const LIMIT: usize = 25;
    let around = match field.presence {
        Presence::Required => 0,
        Presence::Optional | Presence::Nullable => 1,
        Presence::OptionalNullable => 2,
    } + usize::from(field.boxed);
    let score = (1..=around).sum::<usize>() + complexity(&field.ty, around + 1);
    (score > LIMIT).then(|| quote!(#[allow(clippy::type_complexity)]))
}

/// Sums the depth of each part of a type, as clippy does.
fn complexity(ty: &Ty, depth: usize) -> usize {
    depth
        + match ty {
            Ty::List(inner) | Ty::Nullable(inner) => complexity(inner, depth + 1),
            Ty::Map(inner) => depth + 1 + complexity(inner, depth + 1),
            Ty::Scalar(_) | Ty::Named(_) | Ty::External(_) => 0,
        }
}

/// Returns the type of an integer.
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
