//! `records!`, `text_enums!` and their kin: the field tables of types in, their views and serde impls out.

/// Implements [`Record`](crate::Record), [`Value`](crate::Value), `Serialize` and `Deserialize` for structs, which are
/// data and so unwind safe.
///
/// Each struct lists its fields by name on the wire: numbered from 0, in byte order of the names. `= "name": "text"` is a constant that
/// is no field of the struct: written always, checked on read. `unless_blank` behind a name leaves the field out while nothing is in it.
/// `.. field` as last entry is a `BTreeMap<String, serde_json::Value>` that keeps undeclared fields.
///
/// ```
/// # use kube_codegen_record::private::{BTreeMap, Json};
/// #[derive(Debug, PartialEq)]
/// pub struct Foo { pub spec: FooSpec }
/// #[derive(Debug, PartialEq)]
/// pub struct FooSpec { pub replicas: Option<i64>, pub others: BTreeMap<String, Json> }
///
/// kube_codegen_record::records! {
///     Foo { 0 = "apiVersion": "example.com/v1", 1 = "kind": "Foo", 2 spec "spec" }
///     FooSpec { 0 replicas "replicas", .. others }
/// }
///
/// let foo: Foo = serde_json::from_str(r#"{"spec": {"replicas": 2}}"#)?;
/// assert_eq!(serde_json::to_string(&foo)?, r#"{"apiVersion":"example.com/v1","kind":"Foo","spec":{"replicas":2}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! records {
    ($($type:ident { $($entries:tt)* })*) => {
        $crate::record_views! { $($type { $($entries)* })* }
        $(
            // Said once for each type: rustdoc asks it of all, and to find it out takes more steps through what lies deep than rustc goes.
            impl ::core::panic::UnwindSafe for $type {}
            impl ::core::panic::RefUnwindSafe for $type {}
            impl<'de> $crate::private::Deserialize<'de> for $type {
                fn deserialize<D: $crate::private::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                    $crate::read(deserializer)
                }
            }
            impl $crate::private::Serialize for $type {
                fn serialize<S: $crate::private::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                    $crate::write(self, serializer)
                }
            }
        )*
    };
}

/// How a field of [`records!`] is seen.
#[doc(hidden)]
#[macro_export]
macro_rules! field_view {
    ($value:expr) => {
        $crate::Value::view($value)
    };
    ($value:expr, unless_blank) => {
        $crate::View::unless_blank($crate::Value::view($value))
    };
}

/// The part of [`records!`] for types that have serde impls of their own.
#[doc(hidden)]
#[macro_export]
macro_rules! record_views {
    ($($type:ident {
        $($index:literal $(= $fixed:literal : $text:literal)? $($field:ident $name:literal $($unless:ident)?)?),*
        $(,)?
        $(.. $rest:ident $(,)?)?
    })*) => {$(
        impl $crate::Value for $type {
            fn blank() -> Self {
                Self {
                    $($($field: $crate::Value::blank(),)?)*
                    $($rest: $crate::Value::blank(),)?
                }
            }
            #[inline]
            fn view(&self) -> $crate::View<'_> {
                $crate::View::Record(self)
            }
            #[inline]
            fn slot(&mut self) -> $crate::Slot<'_> {
                $crate::Slot::Record(self)
            }
        }
        impl $crate::Record for $type {
            fn names(&self) -> &'static [&'static str] {
                const NAMES: &[&str] = &[$($($fixed)? $($name)?),*];
                const { $crate::private::assert_order(NAMES, &[$($index),*]) };
                NAMES
            }
            fn get(&self, index: usize) -> $crate::View<'_> {
                match index {
                    $($index => $($crate::View::Str($text))? $($crate::field_view!(&self.$field $(, $unless)?))?,)*
                    _ => $crate::View::Absent,
                }
            }
            fn at(&mut self, index: usize) -> $crate::Slot<'_> {
                match index {
                    $($index => $($crate::Slot::Fixed($crate::Fixed($text)))? $($crate::Value::slot(&mut self.$field))?,)*
                    _ => $crate::Slot::Skip,
                }
            }
            $(
                fn rest(&self) -> ::core::option::Option<&$crate::private::BTreeMap<::std::string::String, $crate::private::Json>> {
                    ::core::option::Option::Some(&self.$rest)
                }
                fn rest_mut(&mut self) -> ::core::option::Option<&mut $crate::private::BTreeMap<::std::string::String, $crate::private::Json>> {
                    ::core::option::Option::Some(&mut self.$rest)
                }
            )?
        }
    )*};
}

/// Implements what an enum of strings needs: `as_str`, `ALL`, `From<&str>`, `From<String>`, `FromStr`, `Display`, `AsRef<str>`,
/// [`Value`](crate::Value), `Serialize` and `Deserialize`.
///
/// The last variant holds any other text, such as a value that only a newer server knows.
///
/// ```
/// #[derive(Clone, Debug, PartialEq)]
/// pub enum Policy { Always, Never, Other(String) }
///
/// kube_codegen_record::text_enums! { Policy { Always = "Always", Never = "Never", .. Other } }
///
/// assert_eq!(Policy::from("Never"), Policy::Never);
/// assert_eq!(Policy::from("Often").as_str(), "Often");
/// assert_eq!(Policy::ALL, [Policy::Always, Policy::Never]);
/// ```
#[macro_export]
macro_rules! text_enums {
    ($($type:ident { $($variant:ident = $text:literal),* $(,)? .. $other:ident $(,)? })*) => {$(
        impl $type {
            /// The declared values, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The text on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::$other(text) => text,
                }
            }

            fn declared(text: &str) -> ::core::option::Option<Self> {
                match text {
                    $($text => ::core::option::Option::Some(Self::$variant),)*
                    _ => ::core::option::Option::None,
                }
            }
        }
        impl ::core::convert::From<&str> for $type {
            fn from(text: &str) -> Self {
                match Self::declared(text) {
                    ::core::option::Option::Some(value) => value,
                    ::core::option::Option::None => Self::$other(::std::string::String::from(text)),
                }
            }
        }
        impl ::core::convert::From<::std::string::String> for $type {
            fn from(text: ::std::string::String) -> Self {
                match Self::declared(&text) {
                    ::core::option::Option::Some(value) => value,
                    ::core::option::Option::None => Self::$other(text),
                }
            }
        }
        impl ::core::str::FromStr for $type {
            type Err = ::core::convert::Infallible;
            fn from_str(text: &str) -> ::core::result::Result<Self, ::core::convert::Infallible> {
                ::core::result::Result::Ok(Self::from(text))
            }
        }
        impl ::core::convert::AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
        impl ::core::fmt::Display for $type {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl $crate::Value for $type {
            fn blank() -> Self {
                Self::from("")
            }
            #[inline]
            fn view(&self) -> $crate::View<'_> {
                $crate::View::Str(self.as_str())
            }
            #[inline]
            fn slot(&mut self) -> $crate::Slot<'_> {
                $crate::Slot::Text(self)
            }
        }
        impl $crate::Text for $type {
            fn set(&mut self, text: &str) {
                *self = Self::from(text);
            }
        }
        impl<'de> $crate::private::Deserialize<'de> for $type {
            fn deserialize<D: $crate::private::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::read(deserializer)
            }
        }
        impl $crate::private::Serialize for $type {
            fn serialize<S: $crate::private::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )*};
}

/// Makes types with serde impls of their own fit to be fields of records: one line each, `Type = blank value`.
///
/// The serde code of a type is instantiated over one erased (de)serializer, and only in a crate that has such a field: a line here
/// costs next to nothing by itself. Must be used in the crate that defines the type, or in this one.
#[macro_export]
macro_rules! leaves {
    ($($type:ty = $blank:expr),* $(,)?) => {$(
        impl $crate::Value for $type {
            #[inline]
            fn blank() -> Self {
                $blank
            }
            #[inline]
            fn view(&self) -> $crate::View<'_> {
                $crate::View::Foreign(self)
            }
            #[inline]
            fn slot(&mut self) -> $crate::Slot<'_> {
                $crate::Slot::Foreign(self)
            }
        }
    )*};
}

/// Holds at compile time that a table is numbered from 0 and sorted: the reader searches it.
#[doc(hidden)]
pub const fn assert_order(names: &[&str], indexes: &[usize]) {
    let mut at = 0;
    while at < names.len() {
        assert!(
            indexes[at] == at,
            "records!: fields are numbered 0, 1, 2, …"
        );
        assert!(
            at == 0 || before(names[at - 1].as_bytes(), names[at].as_bytes()),
            "records!: fields are in byte order of their names, each once"
        );
        at += 1;
    }
}

const fn before(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}
