//! Overrides: decisions of the user about one schema location.
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

macro_rules! override_entry {
    ($($(#[doc = $doc:literal])* $field:ident: $ty:ty, key $key:literal, set $method:ident($arg:ident: $arg_ty:ty) $set:block;)*) => {
        /// Decisions of the user about one schema location.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[non_exhaustive]
        pub struct Override {
            /// The schema location: `[group/version/]Kind.path.in.the[].schema`, as diagnostics show it.
            pub path: String,
            $(
                $(#[doc = $doc])*
                #[serde(rename = $key, default, skip_serializing_if = "is_default")]
                pub $field: $ty,
            )*
        }

        impl Override {
            /// The keys of `[[override]]` in the config file.
            pub const KEYS: &'static [&'static str] = &["path", $($key,)*];

            /// Creates an override without effect for a schema location: `[group/version/]Kind.path.in.the[].schema`.
            pub fn at(path: impl Into<String>) -> Self {
                Self { path: path.into(), ..Self::default() }
            }

            $(
                $(#[doc = $doc])*
                #[must_use]
                pub fn $method(mut self, $arg: $arg_ty) -> Self {
                    let $field = &mut self.$field;
                    $set
                    self
                }
            )*
        }
    };
}

override_entry! {
    /// Names the struct or enum.
    type_name: Option<String>, key "type-name",
    set type_name(name: impl Into<String>) { *type_name = Some(name.into()); };
    /// Names the field.
    field_name: Option<String>, key "field-name",
    set field_name(name: impl Into<String>) { *field_name = Some(name.into()); };
    /// Uses a Rust type instead of the generated one.
    rust_type: Option<String>, key "rust-type",
    set rust_type(path: impl Into<String>) { *rust_type = Some(path.into()); };
    /// Omits the field.
    skip: bool, key "skip",
    set skip(omit: bool) { *skip = omit; };
    /// Puts the field in a `Box`.
    boxed: Option<bool>, key "boxed",
    set boxed(on_heap: bool) { *boxed = Some(on_heap); };
    /// Generates no view of the fields of which at most one is set.
    no_choice: bool, key "no-choice",
    set no_choice(off: bool) { *no_choice = off; };
    /// Derives more traits.
    derives: BTreeSet<String>, key "derives",
    set derive(name: impl Into<String>) { derives.insert(name.into()); };
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
