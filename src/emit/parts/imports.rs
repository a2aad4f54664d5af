//! The `use` lines of a file: only what was asked for while its code was made.
use std::collections::BTreeSet;

/// What a file of types can use, in the order of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Import {
    ByteString,
    ObjectMeta,
    Time,
    IntOrString,
    Nullable,
    Value,
    BTreeMap,
}

impl Import {
    fn name(self) -> &'static str {
        match self {
            Self::ByteString => "ByteString",
            Self::ObjectMeta => "ObjectMeta",
            Self::Time => "Time",
            Self::IntOrString => "IntOrString",
            Self::Nullable => "Nullable",
            Self::Value => "Value",
            Self::BTreeMap => "BTreeMap",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::ByteString => "k8s_openapi",
            Self::ObjectMeta | Self::Time => "k8s_openapi::apimachinery::pkg::apis::meta::v1",
            Self::IntOrString => "k8s_openapi::apimachinery::pkg::util::intstr",
            Self::Nullable => "kube_codegen_runtime::record",
            Self::Value => "serde_json",
            Self::BTreeMap => "std::collections",
        }
    }
}

/// What a file of types uses.
#[derive(Default)]
pub(crate) struct Imports(BTreeSet<Import>);

impl Imports {
    /// The name of an import, which is used by that.
    pub(crate) fn name(&mut self, import: Import) -> &'static str {
        self.0.insert(import);
        import.name()
    }

    /// The lines.
    pub(crate) fn text(&self) -> String {
        let all: Vec<Import> = self.0.iter().copied().collect();
        all.chunk_by(|a, b| a.path() == b.path())
            .map(|same| {
                let path = same[0].path();
                let names: Vec<&str> = same.iter().map(|import| import.name()).collect();
                match names.as_slice() {
                    [one] => format!("use {path}::{one};\n"),
                    all => format!("use {path}::{{{}}};\n", all.join(", ")),
                }
            })
            .collect()
    }
}
