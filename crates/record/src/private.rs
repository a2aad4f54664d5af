//! What the macros for generated code expand to. Not for use by hand: it changes whenever the macros do.
use crate::scalars;

pub use crate::{
    literal::{Literal, Misfit},
    read::read,
    resource::crd,
    value::{Fixed, Foreign, List, Map, Optional, Record, Scalar, Slot, Text, Value, View, Whole},
    write::write,
};
pub use k8s_openapi::{
    self, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub use serde_json::Value as Json;
pub use std::collections::BTreeMap;

/// Whether an API group is one of Kubernetes itself. Its name does not tell: `gateway.networking.k8s.io` is one of CRDs.
pub fn is_core_group(group: &str) -> bool {
    crate::built_in::GROUPS.contains(&group)
}

/// Checks at compile time that a field table is sorted by name, as the binary search of the reader requires.
pub const fn assert_order(names: &[&str]) {
    let mut at = 1;
    while at < names.len() {
        assert!(
            is_before(names[at - 1].as_bytes(), names[at].as_bytes()),
            "records!: fields are in byte order of their names, each once"
        );
        at += 1;
    }
}

const fn is_before(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}

/// Shows the value of the next field, if it is present. Optimized, the index is a constant, and an absent field takes one comparison.
#[inline]
pub fn show<'a>(index: &mut usize, view: View<'a>, see: &mut dyn FnMut(usize, View<'a>)) {
    if !matches!(view, View::Absent) {
        see(*index, view);
    }
    *index += 1;
}

/// Returns the integer that a literal holds.
pub fn integer<T: TryFrom<i128>>(literal: &mut Literal<'_>) -> Result<T, Misfit> {
    scalars::integer(literal)
}

/// Reads JSON as a `T` if that loses nothing: written again, the value equals the JSON. `null` fits no type.
pub fn fit<T: Value>(json: &Json) -> Option<T> {
    if json.is_null() {
        return None;
    }
    let value: T = read(json).ok()?;
    let written = serde_json::to_value(value.view()).ok()?;
    (written == *json).then_some(value)
}
