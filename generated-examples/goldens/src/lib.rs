//! The output for each of `fixtures/*.yaml`, one module per file, written by the test `golden`.
pub mod boxed_fields;
pub mod cluster_scoped;
pub mod constraints;
pub mod crdkind;
pub mod deep_types;
pub mod descriptions;
pub mod embedded_resource;
pub mod enums;
pub mod enums_of_numbers;
pub mod enums_of_several_types;
pub mod flat;
pub mod groups;
pub mod hostile_text;
pub mod int_or_string;
pub mod known_types;
pub mod legacy;
pub mod lists_and_maps;
pub mod long_names;
pub mod names;
pub mod near_misses;
k8s_openapi::k8s_if_ge_1_35! {
    pub mod newer_kubernetes;
}
pub mod numbers;
pub mod opaque;
pub mod opaque_root;
pub mod prelude_names;
pub mod presence;
pub mod presence_matrix;
pub mod required_spec;
pub mod scalars;
pub mod shared_types;
pub mod subresources;
pub mod unicode_names;
pub mod unions;
pub mod versions;
pub mod versions_alike;
