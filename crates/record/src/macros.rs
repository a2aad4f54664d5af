//! Macros for field tables: `records!` for structs, `leaves!` for types with serde impls of their own; and `resource!` for the traits of a kind.

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
            #[allow(unused_mut, unused_variables)]
            fn each<'a>(&'a self, see: &mut dyn ::core::ops::FnMut(usize, $crate::private::View<'a>)) {
                let mut index = 0;
                $(
                    $($crate::private::show(&mut index, $crate::private::View::Str($text), see);)?
                    $($crate::private::show(&mut index, $crate::private::Value::view(&self.$field)$(.$unless())?, see);)?
                )*
            }
            // Counts down, since the table has no numbers. Optimized, it is the same jump table as a `match` of them.
            #[allow(unused_assignments, unused_mut, unused_variables)]
            fn at(&mut self, index: usize) -> $crate::private::Slot<'_> {
                let mut before = index;
                $(
                    $(
                        match before {
                            0 => return $crate::private::Slot::Fixed($crate::private::Fixed($text)),
                            _ => before -= 1,
                        }
                    )?
                    $(
                        match before {
                            0 => return $crate::private::Value::slot(&mut self.$field),
                            _ => before -= 1,
                        }
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

/// Implements the traits by which kube's clients know a kind: `Resource`, `ListableResource` and `Metadata` of k8s-openapi, from which
/// follows `kube::Resource`, and `CustomResourceExt` of kube.
///
/// The type has a field `metadata`, and its names as constants: `API_VERSION`, `GROUP`, `KIND`, `VERSION` and `PLURAL`. Its scope is
/// `Namespaced` or `Cluster`. `short_names` can be left out. `crd` is the name of its definition, and the definition as JSON.
///
/// ```ignore
/// kube_codegen_record::resource! {
///     Foo: Namespaced {
///         list_kind: "FooList",
///         short_names: Foo::SHORT_NAMES,
///         crd: "foos.example.com" = include_str!("../foos.json"),
///     }
/// }
/// ```
#[macro_export]
macro_rules! resource {
    ($type:ident: $scope:ident {
        list_kind: $list_kind:literal,
        $(short_names: $short_names:expr,)?
        crd: $name:literal = $manifest:expr $(,)?
    }) => {
        impl $crate::private::k8s_openapi::Resource for $type {
            const API_VERSION: &'static str = Self::API_VERSION;
            const GROUP: &'static str = Self::GROUP;
            const KIND: &'static str = Self::KIND;
            const VERSION: &'static str = Self::VERSION;
            const URL_PATH_SEGMENT: &'static str = Self::PLURAL;
            type Scope = $crate::__scope!($scope);
        }
        impl $crate::private::k8s_openapi::ListableResource for $type {
            const LIST_KIND: &'static str = $list_kind;
        }
        impl $crate::private::k8s_openapi::Metadata for $type {
            type Ty = $crate::private::ObjectMeta;
            fn metadata(&self) -> &$crate::private::ObjectMeta {
                &self.metadata
            }
            fn metadata_mut(&mut self) -> &mut $crate::private::ObjectMeta {
                &mut self.metadata
            }
        }
        impl ::kube::core::CustomResourceExt for $type {
            fn crd() -> $crate::private::CustomResourceDefinition {
                $crate::private::crd($manifest)
            }
            fn crd_name() -> &'static str {
                $name
            }
            fn api_resource() -> ::kube::core::ApiResource {
                ::kube::core::ApiResource::erase::<Self>(&())
            }
            fn shortnames() -> &'static [&'static str] {
                $crate::__or!($($short_names)?, &[])
            }
        }
    };
}

/// The scope of a kind, as k8s-openapi has it.
#[doc(hidden)]
#[macro_export]
macro_rules! __scope {
    (Namespaced) => {
        $crate::private::k8s_openapi::NamespaceResourceScope
    };
    (Cluster) => {
        $crate::private::k8s_openapi::ClusterResourceScope
    };
}

/// The first expression, or the second one without the first.
#[doc(hidden)]
#[macro_export]
macro_rules! __or {
    (, $default:expr) => {
        $default
    };
    ($value:expr, $default:expr) => {
        $value
    };
}
