//! The names of a kind, as constants of its struct.
use super::doc;
use crate::ir::{Kind, SelectableField};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::BTreeSet;

/// The constants, in the order a reader looks for them.
pub(crate) fn of(kind: &Kind) -> TokenStream {
    let texts = [
        ("GROUP", "The API group.", kind.group.clone()),
        ("VERSION", "The version in the group.", kind.version.clone()),
        (
            "API_VERSION",
            "Group and version, as objects have them in `apiVersion`.",
            format!("{}/{}", kind.group, kind.version),
        ),
        ("KIND", "The kind.", kind.kind.clone()),
        (
            "PLURAL",
            "The plural: the path segment of requests.",
            kind.plural.clone(),
        ),
        (
            "SINGULAR",
            "The singular, as kubectl takes it.",
            kind.singular.clone(),
        ),
    ];
    let texts = texts.into_iter().map(|(name, about, text)| {
        let name = constant(name);
        let about = doc::outer(&[about]);
        quote!(#about pub const #name: &'static str = #text;)
    });
    let lists = [
        (
            "SHORT_NAMES",
            "Short names, as kubectl takes them.",
            &kind.short_names,
        ),
        (
            "CATEGORIES",
            "Categories, which kubectl lists together.",
            &kind.categories,
        ),
    ];
    let lists = lists.into_iter().map(|(name, about, texts)| {
        let name = constant(name);
        let about = doc::outer(&[about]);
        quote!(#about pub const #name: &'static [&'static str] = &[#(#texts),*];)
    });
    let mut taken = BTreeSet::new();
    let fields = kind
        .selectable_fields
        .iter()
        .filter_map(|field| selectable(field, &mut taken));
    quote!(#(#texts)* #(#lists)* #(#fields)*)
}

/// `SPEC_CHOICE_FIELD` for `.spec.choice`; the same path again says nothing new.
fn selectable(field: &SelectableField, taken: &mut BTreeSet<String>) -> Option<TokenStream> {
    let path = field.json_path.trim_start_matches('.');
    let mut name = String::new();
    let mut before = '.';
    for c in path.chars() {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            name.push('_');
        }
        name.push(if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        });
        before = c;
    }
    let name = format!("{name}_FIELD");
    if name.starts_with(|c: char| c.is_ascii_digit()) || !taken.insert(name.clone()) {
        return None;
    }
    let name = constant(&name);
    let about = doc::outer(&[format!("`{path}`, for field selectors.")]);
    Some(quote! {
        #about
        pub const #name: SelectableField<Self> = SelectableField::new(#path);
    })
}

fn constant(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
