//! The output for each of `fixtures/*.yaml`, one module per file, which the build script generates.
include!(concat!(env!("OUT_DIR"), "/lib.rs"));

/// The type that an override of `required_enums` names.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Machine {
    /// How many.
    pub cpu: Option<String>,
}

kube_codegen_record::leaves! { Machine = Machine::default() }
