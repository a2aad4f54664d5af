//! Declared conversions: how the value of one path becomes that of another version of the same kind.
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use std::collections::BTreeMap;

macro_rules! conversion_entry {
    ($($(#[doc = $doc:literal])* $field:ident: $ty:ty, key $key:literal, set $method:ident($($arg:ident: $arg_ty:ty),*) $set:block;)*) => {
        /// How the value of one path becomes that of another version.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[non_exhaustive]
        pub struct Conversion {
            /// The kind, with or without its group: `Widget` or `example.com/Widget`.
            pub kind: String,
            $(
                $(#[doc = $doc])*
                #[serde(rename = $key, default, skip_serializing_if = "is_default")]
                pub $field: $ty,
            )*
        }

        impl Conversion {
            /// The keys of `[[conversion]]` in the config file.
            pub const KEYS: &'static [&'static str] = &["kind", $($key,)*];

            /// Creates a conversion of a kind that declares nothing yet.
            pub fn of(kind: impl Into<String>) -> Self {
                Self { kind: kind.into(), ..Self::default() }
            }

            $(
                $(#[doc = $doc])*
                #[must_use]
                pub fn $method(mut self, $($arg: $arg_ty),*) -> Self {
                    let $field = &mut self.$field;
                    $set
                    self
                }
            )*
        }
    };
}

conversion_entry! {
    /// The older version [default: the older of each two versions, by Kubernetes' priority of versions].
    from: Option<String>, key "from",
    set from(version: impl Into<String>) { *from = Some(version.into()); };
    /// The newer version.
    to: Option<String>, key "to",
    set to(version: impl Into<String>) { *to = Some(version.into()); };
    /// The path in the older version and the one in the newer version: `spec.size -> spec.capacity`.
    rename: Option<String>, key "rename",
    set rename(older: &str, newer: &str) { *rename = Some(format!("{older} -> {newer}")); };
    /// The path, if it is the same in both versions.
    path: Option<String>, key "path",
    set path(both: impl Into<String>) { *path = Some(both.into()); };
    /// The values of the older version, and those of the newer version.
    values: BTreeMap<String, String>, key "values",
    set values(pairs: impl IntoIterator<Item = (String, String)>) { values.extend(pairs); };
    /// One version has a list where the other has its only item.
    list: bool, key "list",
    set list(wrapped: bool) { *list = wrapped; };
    /// The number in the newer version is that of the older one, multiplied by this.
    scale: Option<Number>, key "scale",
    set scale(factor: Number) { *scale = Some(factor); };
    /// The value of a field that the other version does not have, or does not require.
    value: Option<Value>, key "value",
    set value(json: Value) { *value = Some(json); };
    /// The value is copied, or absent if the other version does not have it; what is lost is kept in the annotation.
    keep: bool, key "keep",
    set keep(copied: bool) { *keep = copied; };
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
