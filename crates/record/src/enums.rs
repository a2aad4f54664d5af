//! Macros for enums: of strings, of integers, of values of several types, and unions of types.

/// Implements an enum of strings: `as_str`, `ALL`, `From<&str>`, `From<String>`, `FromStr`, `Display`, `AsRef<str>`,
/// `Value`, `Serialize` and `Deserialize`.
///
/// A variant stands for its own name, or for the text that follows `=`. The last one holds any other text, such as a value that a newer
/// server added.
///
/// ```
/// #[derive(Clone, Debug, PartialEq)]
/// pub enum Policy { Always, Never, OnFailure, Other(String) }
///
/// kube_codegen_record::text_enums! { Policy { Always, Never, OnFailure = "on-failure", .. Other } }
///
/// assert_eq!(Policy::from("Never"), Policy::Never);
/// assert_eq!(Policy::from("Often").as_str(), "Often");
/// assert_eq!(Policy::from("on-failure"), Policy::OnFailure);
/// assert_eq!(Policy::ALL, [Policy::Always, Policy::Never, Policy::OnFailure]);
/// ```
#[macro_export]
macro_rules! text_enums {
    ($($type:ident { $($variant:ident $(= $text:literal)?),* $(,)? .. $other:ident $(,)? })*) => {$(
        impl $type {
            /// The declared values, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the text on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $crate::__name!($variant $($text)?),)*
                    Self::$other(text) => text,
                }
            }

            fn declared(text: &str) -> ::core::option::Option<Self> {
                match text {
                    $($crate::__name!($variant $($text)?) => ::core::option::Option::Some(Self::$variant),)*
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
        $crate::__text_traits! { $type }
    )*};
}

/// Implements a text with constants: what [`text_enums!`](crate::text_enums) implements for an enum, for a struct around a
/// `Cow<'static, str>`.
///
/// rustc takes too long for an enum of thousands of values.
///
/// ```
/// #[derive(Clone, Debug, PartialEq)]
/// pub struct Zone(pub std::borrow::Cow<'static, str>);
///
/// kube_codegen_record::text_constants! { Zone { EuCentral1a = "eu-central-1a", EuWest1b = "eu-west-1b" } }
///
/// assert_eq!(Zone::from("eu-west-1b"), Zone::EuWest1b);
/// assert_eq!(Zone::from("mars-1").as_str(), "mars-1");
/// assert_eq!(Zone::ALL, [Zone::EuCentral1a, Zone::EuWest1b]);
/// ```
#[macro_export]
macro_rules! text_constants {
    ($($type:ident { $($name:ident $(= $text:literal)?),* $(,)? })*) => {$(
        #[allow(non_upper_case_globals, reason = "the names are those of the variants of an enum")]
        impl $type {
            $(
                #[doc = ::core::concat!("`\"", $crate::__name!($name $($text)?), "\"`")]
                pub const $name: Self = Self(::std::borrow::Cow::Borrowed($crate::__name!($name $($text)?)));
            )*

            /// The declared values, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the text on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl ::core::convert::From<&str> for $type {
            fn from(text: &str) -> Self {
                Self(::std::borrow::Cow::Owned(::std::string::String::from(text)))
            }
        }
        impl ::core::convert::From<::std::string::String> for $type {
            fn from(text: ::std::string::String) -> Self {
                Self(::std::borrow::Cow::Owned(text))
            }
        }
        $crate::__text_traits! { $type }
    )*};
}

/// Implements the traits of a text, from `as_str` and `From`.
#[doc(hidden)]
#[macro_export]
macro_rules! __text_traits {
    ($type:ident) => {
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
        impl $crate::private::Value for $type {
            fn blank() -> Self {
                Self::from("")
            }
            #[inline]
            fn view(&self) -> $crate::private::View<'_> {
                $crate::private::View::Str(self.as_str())
            }
            #[inline]
            fn slot(&mut self) -> $crate::private::Slot<'_> {
                $crate::private::Slot::Text(self)
            }
        }
        impl $crate::private::Text for $type {
            fn set(&mut self, text: &str) {
                *self = Self::from(text);
            }
        }
        impl<'de> $crate::private::Deserialize<'de> for $type {
            fn deserialize<D: $crate::private::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::private::read(deserializer)
            }
        }
        impl $crate::private::Serialize for $type {
            fn serialize<S: $crate::private::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

/// Implements an enum of integers: `as_int`, `ALL`, `From` both ways, `FromStr`, `Display`,
/// `Value`, `Serialize` and `Deserialize`.
///
/// The last variant holds any other number of the type, such as a value that a newer server added.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// pub enum Family { V4, V6, Other(i32) }
///
/// kube_codegen_record::int_enums! { Family: i32 { V4 = 4, V6 = 6, .. Other } }
///
/// assert_eq!(Family::from(6), Family::V6);
/// assert_eq!("5".parse(), Ok(Family::Other(5)));
/// assert_eq!(serde_json::to_string(&Family::ALL)?, "[4,6]");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! int_enums {
    ($($type:ident: $int:ty { $($variant:ident = $value:literal),* $(,)? .. $other:ident $(,)? })*) => {$(
        impl $type {
            /// The declared values, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the number on the wire.
            pub const fn as_int(self) -> $int {
                match self {
                    $(Self::$variant => $value,)*
                    Self::$other(value) => value,
                }
            }
        }
        impl ::core::convert::From<$int> for $type {
            fn from(value: $int) -> Self {
                match value {
                    $($value => Self::$variant,)*
                    value => Self::$other(value),
                }
            }
        }
        impl ::core::convert::From<$type> for $int {
            fn from(value: $type) -> Self {
                value.as_int()
            }
        }
        impl ::core::str::FromStr for $type {
            type Err = ::core::num::ParseIntError;
            fn from_str(text: &str) -> ::core::result::Result<Self, ::core::num::ParseIntError> {
                ::core::str::FromStr::from_str(text).map(|value: $int| Self::from(value))
            }
        }
        impl ::core::fmt::Display for $type {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.as_int(), f)
            }
        }
        impl $crate::private::Value for $type {
            fn blank() -> Self {
                Self::from(0)
            }
            #[inline]
            fn view(&self) -> $crate::private::View<'_> {
                $crate::private::View::from(self.as_int())
            }
            #[inline]
            fn slot(&mut self) -> $crate::private::Slot<'_> {
                $crate::private::Slot::Scalar(self)
            }
        }
        impl $crate::private::Scalar for $type {
            fn set(&mut self, literal: &mut $crate::private::Literal<'_>) -> ::core::result::Result<(), $crate::private::Misfit> {
                *self = Self::from($crate::private::integer::<$int>(literal)?);
                ::core::result::Result::Ok(())
            }
            fn clear(&mut self) {
                *self = Self::from(0);
            }
            fn expects(&self) -> &'static str {
                ::core::stringify!($int)
            }
        }
        $crate::__value_serde! { $type }
    )*};
}

/// Implements an enum of strings, numbers and booleans: `to_json`, `ALL`, `From<serde_json::Value>`, `Display`,
/// `Value`, `Serialize` and `Deserialize`.
///
/// The last variant holds any other JSON.
///
/// ```
/// #[derive(Clone, Debug, PartialEq)]
/// pub enum Level { Auto, V1, Off, Other(serde_json::Value) }
///
/// kube_codegen_record::mixed_enums! { Level { Auto = "auto", V1 = 1_i64, Off = false, .. Other } }
///
/// assert_eq!(serde_json::from_str::<Vec<Level>>(r#"["auto", 1, false]"#)?, Level::ALL);
/// assert_eq!(serde_json::to_string(&Level::Other(2.into()))?, "2");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! mixed_enums {
    ($($type:ident { $($variant:ident = $value:literal),* $(,)? .. $other:ident $(,)? })*) => {$(
        impl $type {
            /// The declared values, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the value on the wire.
            pub fn to_json(&self) -> $crate::private::Json {
                match self {
                    $(Self::$variant => $crate::private::Json::from($value),)*
                    Self::$other(value) => ::core::clone::Clone::clone(value),
                }
            }
        }
        impl ::core::convert::From<$crate::private::Json> for $type {
            fn from(json: $crate::private::Json) -> Self {
                $(
                    if json == $value {
                        return Self::$variant;
                    }
                )*
                Self::$other(json)
            }
        }
        impl ::core::fmt::Display for $type {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    $(Self::$variant => ::core::fmt::Display::fmt(&$value, f),)*
                    Self::$other($crate::private::Json::String(text)) => f.pad(text),
                    Self::$other(json) => ::core::fmt::Display::fmt(json, f),
                }
            }
        }
        impl $crate::private::Value for $type {
            fn blank() -> Self {
                Self::from($crate::private::Json::Null)
            }
            #[inline]
            fn view(&self) -> $crate::private::View<'_> {
                match self {
                    $(Self::$variant => $crate::private::View::from($value),)*
                    Self::$other(json) => $crate::private::View::Json(json),
                }
            }
            #[inline]
            fn slot(&mut self) -> $crate::private::Slot<'_> {
                $crate::private::Slot::Whole(self)
            }
        }
        impl $crate::private::Whole for $type {
            fn take(&mut self, json: $crate::private::Json) {
                *self = Self::from(json);
            }
        }
        $crate::__value_serde! { $type }
    )*};
}

/// Implements an enum of values of several types: `From<serde_json::Value>`, `Value`, `Serialize` and
/// `Deserialize`. A value is read as the first variant whose type it fits.
///
/// The last variant holds any other JSON.
///
/// ```
/// #[derive(Clone, Debug, PartialEq)]
/// pub enum Hosts { Boolean(bool), List(Vec<String>), Other(serde_json::Value) }
///
/// kube_codegen_record::unions! { Hosts { Boolean, List, .. Other } }
///
/// assert_eq!(serde_json::from_str::<Hosts>(r#"["a"]"#)?, Hosts::List(vec!["a".to_owned()]));
/// assert_eq!(serde_json::from_str::<Hosts>("[1]")?, Hosts::Other(serde_json::json!([1])));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! unions {
    ($($type:ident { $($variant:ident),* $(,)? .. $other:ident $(,)? })*) => {$(
        impl ::core::convert::From<$crate::private::Json> for $type {
            fn from(json: $crate::private::Json) -> Self {
                $(
                    if let ::core::option::Option::Some(value) = $crate::private::fit(&json) {
                        return Self::$variant(value);
                    }
                )*
                Self::$other(json)
            }
        }
        impl $crate::private::Value for $type {
            fn blank() -> Self {
                Self::$other($crate::private::Json::Null)
            }
            #[inline]
            fn view(&self) -> $crate::private::View<'_> {
                match self {
                    $(Self::$variant(value) => $crate::private::Value::view(value),)*
                    Self::$other(json) => $crate::private::View::Json(json),
                }
            }
            #[inline]
            fn slot(&mut self) -> $crate::private::Slot<'_> {
                $crate::private::Slot::Whole(self)
            }
        }
        impl $crate::private::Whole for $type {
            fn take(&mut self, json: $crate::private::Json) {
                *self = Self::from(json);
            }
        }
        $crate::__value_serde! { $type }
    )*};
}

/// Implements `Serialize` and `Deserialize` for a `Value`.
#[doc(hidden)]
#[macro_export]
macro_rules! __value_serde {
    ($type:ident) => {
        impl<'de> $crate::private::Deserialize<'de> for $type {
            fn deserialize<D: $crate::private::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::private::read(deserializer)
            }
        }
        impl $crate::private::Serialize for $type {
            fn serialize<S: $crate::private::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::private::Serialize::serialize(
                    &$crate::private::Value::view(self),
                    serializer,
                )
            }
        }
    };
}
