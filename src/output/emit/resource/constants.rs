//! The names of a kind, as constants of its struct.
use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::code;
use crate::model::ir::Kind;

/// Makes the constants, in the order a reader looks for them.
pub(super) fn of(kind: &Kind) -> TokenStream {
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
    let selectable_fields = selectable_fields(kind);
    quote! {
        /// The API group.
        pub const GROUP: &'static str = #group;
        /// The version in the group.
        pub const VERSION: &'static str = #version;
        /// Group and version, as objects have them in `apiVersion`.
        pub const API_VERSION: &'static str = #api_version;
        /// The kind.
        pub const KIND: &'static str = #name;
        /// The plural: the path segment of requests.
        pub const PLURAL: &'static str = #plural;
        /// The singular, as kubectl takes it.
        pub const SINGULAR: &'static str = #singular;
        /// Short names, as kubectl takes them.
        pub const SHORT_NAMES: &'static [&'static str] = &[#(#short_names),*];
        /// Categories, which kubectl lists together.
        pub const CATEGORIES: &'static [&'static str] = &[#(#categories),*];
        #selectable_fields
    }
}

/// Makes a constant for each selectable field, as `SPEC_CHOICE_FIELD` for `.spec.choice`.
fn selectable_fields(kind: &Kind) -> TokenStream {
    let mut seen = BTreeSet::new();
    let fields = kind.selectable_fields.iter().filter_map(|field| {
        let path = field.json_path.trim_start_matches('.');
        let name = format!("{}_FIELD", upper_snake(path));
        if name.starts_with(|c: char| c.is_ascii_digit()) || !seen.insert(name.clone()) {
            return None;
        }
        let docs = code::doc(&format!("`{path}`, for field selectors."));
        let name = code::ident(&name);
        Some(quote! {
            #docs
            pub const #name: SelectableField<Self> = SelectableField::new(#path);
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
