//! Types of `k8s-openapi` as values: structs by their field tables, which are compiled where a struct is used.
mod tables;

use jiff::Timestamp;
use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, JSONSchemaPropsOrStringArray,
    },
    apimachinery::pkg::{apis::meta::v1::MicroTime, runtime::RawExtension},
};

use crate::leaves;

/// Implements `Value` and `Record` for structs of another crate: fields by their Rust name and, where it differs, the name
/// on the wire, numbered from 0 and sorted by the latter. All functions are inline: nothing is compiled for a struct until it is used.
macro_rules! records {
    ($($type:ident {
        $($index:literal $(= $fixed:literal : $text:literal)? $($field:ident $($name:literal)?)?,)*
    })*) => {$(
        impl crate::value::Value for $type {
            #[inline]
            fn blank() -> Self {
                Self { $($($field: crate::value::Value::blank(),)?)* }
            }
            #[inline]
            fn view(&self) -> crate::value::View<'_> {
                crate::value::View::Record(self)
            }
            #[inline]
            fn slot(&mut self) -> crate::value::Slot<'_> {
                crate::value::Slot::Record(self)
            }
        }
        impl crate::value::Record for $type {
            #[inline]
            fn names(&self) -> &'static [&'static str] {
                const NAMES: &[&str] = &[$($($fixed)? $(crate::k8s::name!($field $($name)?))?),*];
                const { crate::private::assert_order(NAMES) };
                NAMES
            }
            #[inline]
            fn each<'a>(&'a self, see: &mut dyn FnMut(usize, crate::value::View<'a>)) {
                let mut index = 0;
                $(crate::private::show(&mut index, $(crate::value::View::Str($text))? $(crate::value::Value::view(&self.$field))?, see);)*
            }
            #[inline]
            fn at(&mut self, index: usize) -> crate::value::Slot<'_> {
                match index {
                    $($index => $(crate::value::Slot::Fixed(crate::value::Fixed($text)))? $(crate::value::Value::slot(&mut self.$field))?,)*
                    _ => crate::value::Slot::Skip,
                }
            }
        }
    )*};
}
use records;

/// The name of a field on the wire.
macro_rules! name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}
use name;

leaves! {
    JSONSchemaPropsOrArray = JSONSchemaPropsOrArray::Schemas(Vec::new()),
    JSONSchemaPropsOrBool = JSONSchemaPropsOrBool::Bool(false),
    JSONSchemaPropsOrStringArray = JSONSchemaPropsOrStringArray::Strings(Vec::new()),
    MicroTime = MicroTime(Timestamp::UNIX_EPOCH),
}

/// Implements `Value` for newtypes of raw JSON.
macro_rules! json {
    ($($type:ident)*) => {$(
        impl crate::value::Value for $type {
            #[inline]
            fn blank() -> Self {
                Self::default()
            }
            #[inline]
            fn view(&self) -> crate::value::View<'_> {
                crate::value::View::Json(&self.0)
            }
            #[inline]
            fn slot(&mut self) -> crate::value::Slot<'_> {
                crate::value::Slot::Json(&mut self.0)
            }
        }
    )*};
}
use json;

json! { RawExtension }
