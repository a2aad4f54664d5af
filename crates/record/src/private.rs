//! What generated code uses beside the public API. Not for use by hand: it changes whenever the generator does.
use crate::scalars;

pub use crate::{
    __generated_by as generated_by, __see_the_error_above as see_the_error_above, int_enums,
    literal::{Literal, Misfit},
    mixed_enums,
    read::read,
    records,
    resource::crd,
    text_constants, text_enums, unions,
    value::{Fixed, Foreign, List, Map, Optional, Record, Scalar, Slot, Text, Value, View, Whole},
    write::write,
};
pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub use serde_json::Value as Json;
pub use std::collections::BTreeMap;

/// Whether an API group is one of Kubernetes itself. Its name does not tell: `gateway.networking.k8s.io` is one of CRDs.
pub fn is_core_group(group: &str) -> bool {
    crate::built_in::GROUPS.contains(&group)
}

/// Checks the version of this API that code was generated for; any other version is a compile error.
///
/// ```compile_fail
/// kube_codegen_record::private::generated_by!(1);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __generated_by {
    (2) => {};
    ($version:literal) => {
        ::core::compile_error! { ::core::concat!(
            "this code was generated for API ", $version, " of kube-codegen-record, but the version in use has API 2: \
             use kube-codegen and kube-codegen-record of the same release, and generate the code again",
        ) }
        $crate::private::see_the_error_above! {}
    };
}

/// Ends the compilation by endless recursion, so that the errors that follow from a version mismatch are not reported.
#[doc(hidden)]
#[macro_export]
macro_rules! __see_the_error_above {
    () => {
        $crate::private::see_the_error_above! {}
    };
}

/// Checks at compile time that a field table is numbered from 0 and sorted by name, as the binary search of the reader requires.
pub const fn assert_order(names: &[&str], indexes: &[usize]) {
    let mut at = 0;
    while at < names.len() {
        assert!(
            indexes[at] == at,
            "records!: fields are numbered 0, 1, 2, …"
        );
        assert!(
            at == 0 || is_before(names[at - 1].as_bytes(), names[at].as_bytes()),
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
