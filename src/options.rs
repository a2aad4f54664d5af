//! What a run can be told; flags, config file and builder fill the same struct.
use std::collections::BTreeSet;

/// What the pure pipeline is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Names of the emitters to run; empty means all.
    pub emit: Vec<String>,
    /// What is decided by hand for single places of a schema.
    pub overrides: Vec<Override>,
}

/// What is decided by hand for one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// The place: `[group/version/]Kind.path.in.the[].schema`, as findings show it.
    pub path: String,
    /// Name of the struct or enum there.
    pub type_name: Option<String>,
    /// Name of the field.
    pub field_name: Option<String>,
    /// A Rust type to use in place of the generated one.
    pub rust_type: Option<String>,
    /// Leaves the field out.
    pub skip: bool,
    /// Behind a `Box` or not, whatever the size.
    pub boxed: Option<bool>,
    /// More traits to derive.
    pub derives: BTreeSet<String>,
}
