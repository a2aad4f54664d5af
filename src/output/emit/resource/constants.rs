//! The names of a kind, as constants of its struct.
use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::{Imports, code};
use crate::model::ir::Kind;

/// Makes the constants, in the order a reader looks for them.
pub(super) fn of(kind: &Kind, imports: &mut Imports<'_>) -> TokenStream {
    let Kind {
        group,
        version,
        kind: name,
        plural,
        singular,
        short_names,
        categories,
        ..
    } = kind;
    let api_version = format!("{group}/{version}");
    let lists = [("SHORT_NAMES", short_names), ("CATEGORIES", categories)];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let lists = lists.map(|(name, names)| {
        let name = code::ident(name);
        quote!(pub const #name: &'static [&'static str] = &[#(#names),*];)
    });
    let selectable_fields = selectable_fields(kind, imports);
    quote! {
        pub const GROUP: &'static str = #group;
        pub const VERSION: &'static str = #version;
        pub const API_VERSION: &'static str = #api_version;
        pub const KIND: &'static str = #name;
        pub const PLURAL: &'static str = #plural;
        pub const SINGULAR: &'static str = #singular;
        #(#lists)*
        #selectable_fields
    }
}

/// Makes a constant for each selectable field, as `SPEC_CHOICE_FIELD` for `.spec.choice`.
fn selectable_fields(kind: &Kind, imports: &mut Imports<'_>) -> TokenStream {
    let mut seen = BTreeSet::new();
    let fields = kind.selectable_fields.iter().filter_map(|field| {
        let path = field.json_path.trim_start_matches('.');
        let name = format!("{}_FIELD", upper_snake(path));
        if name.starts_with(|c: char| c.is_ascii_digit()) || !seen.insert(name.clone()) {
            return None;
        }
        let docs = code::doc(&format!("`{path}`, for field selectors."));
        let name = code::ident(&name);
        let selectable = imports.name("kube_codegen_record::walk::SelectableField");
        Some(quote! {
            #docs
            pub const #name: #selectable<Self> = #selectable::new(#path);
        })
    });
    fields.collect()
}

fn upper_snake(path: &str) -> String {
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
    name
}
