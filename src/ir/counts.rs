//! How many places of the schemas ask for a type, and what became of them.
use super::{Body, Model};

/// Types of a model by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Structs that are defined.
    pub structs: usize,
    /// Enums that are defined.
    pub enums: usize,
    /// Places whose type is one of somebody else, as of `k8s-openapi`.
    pub reused: usize,
    /// Places whose type is that of another place.
    pub shared: usize,
}

impl Counts {
    /// Types that are defined.
    pub fn types(&self) -> usize {
        self.structs + self.enums
    }
}

impl Model {
    /// Counts what is emitted.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for module in &self.modules {
            for id in self.types_of(module) {
                match &self.types[id].body {
                    Body::Struct(_) => counts.structs += 1,
                    Body::Enum(_) | Body::Union(_) => counts.enums += 1,
                    // No kind reaches one.
                    Body::Alias(_) => {}
                }
            }
            for (_, ty) in self.aliases_of(module) {
                match ty.named() {
                    Some(_) => counts.shared += 1,
                    None => counts.reused += 1,
                }
            }
        }
        counts
    }
}
