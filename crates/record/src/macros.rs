//! Macros for field tables: `records!` for structs, `leaves!` for types with serde impls of their own.

/// Implements `Record`, `Value`, `Serialize` and `Deserialize` for structs, by a table of the fields of each.
///
/// A field stands for itself where JSON has the same name; any other name follows `=`, also that of a raw identifier:
/// `r#type = "type"`. Fields are in byte order of their names in JSON, which is the order in which they are written.
///
/// | entry | meaning |
/// |---|---|
/// | `replicas` | the field `replicas`, which has the same name in JSON |
/// | `size_limit = "sizeLimit"` | the field `size_limit`, which is `sizeLimit` in JSON |
/// | `metadata unless_blank` | a field that is not written while it is empty |
/// | `"kind": "Foo"` | no field: a constant, which is always written, and checked when it is read |
/// | `.. others` | the last entry: a `BTreeMap<String, serde_json::Value>` that keeps the fields that the table does not have |
///
/// ```
/// use std::collections::BTreeMap;
///
/// #[derive(Debug, PartialEq)]
/// pub struct Foo { pub spec: FooSpec }
/// #[derive(Debug, PartialEq)]
/// pub struct FooSpec { pub size_limit: Option<i64>, pub r#type: String, pub others: BTreeMap<String, serde_json::Value> }
///
/// kube_codegen_record::records! {
///     Foo { "apiVersion": "example.com/v1", "kind": "Foo", spec }
///     FooSpec { size_limit = "sizeLimit", r#type = "type", .. others }
/// }
///
/// let foo: Foo = serde_json::from_str(r#"{"spec": {"type": "a", "sizeLimit": 3}}"#)?;
/// let text = serde_json::to_string(&foo)?;
/// assert_eq!(text, r#"{"apiVersion":"example.com/v1","kind":"Foo","spec":{"sizeLimit":3,"type":"a"}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Fields in another order do not compile:
///
/// ```compile_fail
/// struct Pair { a: i64, b: i64 }
/// kube_codegen_record::records! { Pair { b, a } }
/// ```
#[macro_export]
macro_rules! records {
    ($($type:ident {
        $($($constant:literal : $text:literal)? $($field:ident $(= $name:literal)? $($unless:ident)?)?),*
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
                const NAMES: &[&str] = &[$($($constant)? $($crate::__name!($field $($name)?))?),*];
                const { $crate::private::assert_order(NAMES) };
                NAMES
            }
            // Counts down instead of a `match`, since the table has no numbers. Optimized, it is the same jump table.
            #[allow(unused_assignments, unused_mut, unused_variables)]
            fn get(&self, index: usize) -> $crate::private::View<'_> {
                let mut before = index;
                $(
                    $(
                        if before == 0 {
                            return $crate::private::View::Str($text);
                        }
                        before = before.wrapping_sub(1);
                    )?
                    $(
                        if before == 0 {
                            return $crate::private::Value::view(&self.$field)$(.$unless())?;
                        }
                        before = before.wrapping_sub(1);
                    )?
                )*
                $crate::private::View::Absent
            }
            #[allow(unused_assignments, unused_mut, unused_variables)]
            fn at(&mut self, index: usize) -> $crate::private::Slot<'_> {
                let mut before = index;
                $(
                    $(
                        if before == 0 {
                            return $crate::private::Slot::Fixed($crate::private::Fixed($text));
                        }
                        before = before.wrapping_sub(1);
                    )?
                    $(
                        if before == 0 {
                            return $crate::private::Value::slot(&mut self.$field);
                        }
                        before = before.wrapping_sub(1);
                    )?
                )*
                $crate::private::Slot::Skip
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
    )*};
}

/// The name in JSON of a field of `records!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __name {
    ($field:ident) => {
        ::core::stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
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
