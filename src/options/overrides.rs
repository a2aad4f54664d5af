//! What is decided by hand for one place of a schema.
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

macro_rules! override_entry {
    ($($(#[doc = $doc:literal])* $field:ident: $ty:ty, key $key:literal, set $method:ident($arg:ident: $arg_ty:ty) $set:block;)*) => {
        /// What is decided by hand for one place.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Override {
            /// The place: `[group/version/]Kind.path.in.the[].schema`, as findings show it.
            pub path: String,
            $(
                $(#[doc = $doc])*
                #[serde(rename = $key, default, skip_serializing_if = "is_default")]
                pub $field: $ty,
            )*
        }

        impl Override {
            /// The keys of an `[[override]]` of the config file.
            pub const KEYS: &'static [&'static str] = &["path", $($key,)*];

            /// Decides nothing yet for a place: `[group/version/]Kind.path.in.the[].schema`, as findings show it.
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
    /// Name of the struct or enum there.
    type_name: Option<String>, key "type-name",
    set type_name(name: impl Into<String>) { *type_name = Some(name.into()); };
    /// Name of the field.
    field_name: Option<String>, key "field-name",
    set field_name(name: impl Into<String>) { *field_name = Some(name.into()); };
    /// A Rust type to use in place of the generated one.
    rust_type: Option<String>, key "rust-type",
    set rust_type(path: impl Into<String>) { *rust_type = Some(path.into()); };
    /// Leaves the field out.
    skip: bool, key "skip",
    set skip(leave_out: bool) { *skip = leave_out; };
    /// Behind a `Box` or not, whatever the size.
    boxed: Option<bool>, key "boxed",
    set boxed(on_heap: bool) { *boxed = Some(on_heap); };
    /// More traits to derive.
    derives: BTreeSet<String>, key "derives",
    set derive(name: impl Into<String>) { derives.insert(name.into()); };
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
