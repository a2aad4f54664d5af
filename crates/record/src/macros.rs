//! Macros for field tables: `records!` for structs, `leaves!` for types with serde impls of their own.

/// Implements `Record`, `Value`, `Serialize` and `Deserialize` for structs.
///
/// Each struct lists its fields by their names on the wire, numbered from 0, in byte order of the names. `= "name": "text"` is a
/// constant without a struct field: it is always written, and checked when read. `unless_blank` after a name omits an empty field.
/// A last entry `.. field` names a `BTreeMap<String, serde_json::Value>` that keeps undeclared fields.
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
        $crate::__record_views! { $($type { $($entries)* })* }
        $(
            // rustdoc determines the auto traits of each type, and exceeds the recursion limit on deeply nested ones.
            impl ::core::panic::UnwindSafe for $type {}
            impl ::core::panic::RefUnwindSafe for $type {}
            impl<'de> $crate::private::Deserialize<'de> for $type {
                fn deserialize<D: $crate::private::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                    $crate::private::read(deserializer)
                }
            }
            impl $crate::private::Serialize for $type {
                fn serialize<S: $crate::private::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                    $crate::private::write(self, serializer)
                }
            }
        )*
    };
}

/// The view of a field of `records!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __field_view {
    ($value:expr) => {
        $crate::private::Value::view($value)
    };
    ($value:expr, unless_blank) => {
        $crate::private::View::unless_blank($crate::private::Value::view($value))
    };
}

/// The part of `records!` that fits types with serde impls of their own.
#[doc(hidden)]
#[macro_export]
macro_rules! __record_views {
    ($($type:ident {
        $($index:literal $(= $fixed:literal : $text:literal)? $($field:ident $name:literal $($unless:ident)?)?),*
        $(,)?
        $(.. $rest:ident $(,)?)?
    })*) => {$(
        impl $crate::private::Value for $type {
            fn blank() -> Self {
                Self {
                    $($($field: $crate::private::Value::blank(),)?)*
                    $($rest: $crate::private::Value::blank(),)?
                }
            }
            #[inline]
            fn view(&self) -> $crate::private::View<'_> {
                $crate::private::View::Record(self)
            }
            #[inline]
            fn slot(&mut self) -> $crate::private::Slot<'_> {
                $crate::private::Slot::Record(self)
            }
        }
        impl $crate::private::Record for $type {
            fn names(&self) -> &'static [&'static str] {
                const NAMES: &[&str] = &[$($($fixed)? $($name)?),*];
                const { $crate::private::assert_order(NAMES, &[$($index),*]) };
                NAMES
            }
            fn get(&self, index: usize) -> $crate::private::View<'_> {
                match index {
                    $($index => $($crate::private::View::Str($text))? $($crate::__field_view!(&self.$field $(, $unless)?))?,)*
                    _ => $crate::private::View::Absent,
                }
            }
            fn at(&mut self, index: usize) -> $crate::private::Slot<'_> {
                match index {
                    $($index => $($crate::private::Slot::Fixed($crate::private::Fixed($text)))? $($crate::private::Value::slot(&mut self.$field))?,)*
                    _ => $crate::private::Slot::Skip,
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

/// Implements `Value` for types with serde impls of their own: `Type = blank value`.
///
/// Such a type can then be a field of a record. Its serde code is compiled only in crates that have such a field.
///
/// ```
/// #[derive(Default, serde::Deserialize, serde::Serialize)]
/// struct Endpoint { host: String, port: u16 }
///
/// kube_codegen_record::leaves! { Endpoint = Endpoint::default() }
/// ```
#[macro_export]
macro_rules! leaves {
    ($($type:ty = $blank:expr),* $(,)?) => {$(
        impl $crate::private::Value for $type {
            #[inline]
            fn blank() -> Self {
                $blank
            }
            #[inline]
            fn view(&self) -> $crate::private::View<'_> {
                $crate::private::View::Foreign(self)
            }
            #[inline]
            fn slot(&mut self) -> $crate::private::Slot<'_> {
                $crate::private::Slot::Foreign(self)
            }
        }
    )*};
}
