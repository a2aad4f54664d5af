//! Reads arbitrary texts as generated types, and asserts what holds for every text.

use super::values::{Chance, change_text};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::CustomResourceExt;
use kube_codegen_goldens as goldens;
use kube_codegen_record::{decode, decode_all};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A generated type: whether it reads a text, and its definition.
pub struct Kind {
    read: fn(&str) -> bool,
    pub definition: fn() -> CustomResourceDefinition,
}

const fn kind<K: CustomResourceExt + DeserializeOwned + Serialize>() -> Kind {
    Kind {
        read: read::<K>,
        definition: K::crd,
    }
}

/// Types with each form of a schema.
pub const KINDS: &[Kind] = &[
    kind::<goldens::boxed_fields::example_com::v1::Boxes>(),
    kind::<goldens::constraints::example_com::v1::Bounded>(),
    kind::<goldens::crdkind::iksoon_test_com::v1::CrdKind>(),
    kind::<goldens::deep_types::example_com::v1::Deep>(),
    kind::<goldens::embedded_resource::example_com::v1::Carrier>(),
    kind::<goldens::enums::example_com::v1::Choice>(),
    kind::<goldens::enums_of_numbers::example_com::v1::Tier>(),
    kind::<goldens::enums_of_several_types::example_com::v1::Level>(),
    kind::<goldens::int_or_string::example_com::v1::Rollout>(),
    kind::<goldens::known_types::example_com::v1::Workload>(),
    kind::<goldens::lists_and_maps::example_com::v1::Collections>(),
    kind::<goldens::numbers::example_com::v1::Meter>(),
    kind::<goldens::opaque::example_com::v1::Opaque>(),
    kind::<goldens::opaque_root::example_com::v1::Anything>(),
    kind::<goldens::presence_matrix::example_com::v1::Matrix>(),
    kind::<goldens::quantities::example_com::v1::Budget>(),
    kind::<goldens::scalars::example_com::v1::Scalars>(),
    kind::<goldens::unions::example_com::v1::Mapping>(),
];

/// Reads a text as each type, and returns how many read it.
///
/// # Panics
/// If an invariant is violated.
pub fn records(text: &str) -> usize {
    KINDS.iter().filter(|kind| (kind.read)(text)).count()
}

/// Reads a text: what is read is written, and reads again as the same. The other ways to read agree.
fn read<K: DeserializeOwned + Serialize>(text: &str) -> bool {
    let read = serde_json::from_str::<K>(text);
    if let Ok(tree) = serde_json::from_str::<Value>(text) {
        let all = decode_all::<K>(&tree);
        assert_eq!(decode::<K>(&tree).is_ok(), all.is_ok(), "{text}");
        if let Err(problems) = all {
            assert!(
                problems.iter().all(|it| !it.to_string().is_empty()),
                "{text}"
            );
        }
    }
    let typed = match read {
        Ok(typed) => typed,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "{text}");
            return false;
        }
    };
    let written = serde_json::to_string(&typed).expect("what is read can be written");
    let again: K = serde_json::from_str(&written)
        .unwrap_or_else(|error| panic!("{error}: {written} of {text}"));
    let twice = serde_json::to_string(&again).expect("what is read can be written");
    assert_eq!(twice, written, "{text}");
    true
}

/// Changes an object. The same seed makes the same changes.
pub fn mutate(text: &str, seed: u64) -> String {
    let changed = change_text(text.as_bytes(), &mut Chance(seed));
    String::from_utf8_lossy(&changed).into_owned()
}
