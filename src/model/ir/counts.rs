//! Counts the generated, reused and shared types of a model.
use super::{Body, Model};

/// How many types a model has, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Generated structs.
    pub structs: usize,
    /// Generated enums.
    pub enums: usize,
    /// Schema locations whose type is reused from another crate, such as `k8s-openapi`.
    pub reused: usize,
    /// Schema locations whose type is that of another location.
    pub shared: usize,
}

impl Counts {
    /// Returns the number of generated types.
    pub fn types(&self) -> usize {
        self.structs + self.enums
    }
}

impl Model {
    /// Counts the types that are emitted.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for module in &self.modules {
            for id in self.types_of(module) {
                match &self.types[id].body {
                    Body::Struct(_) => counts.structs += 1,
                    Body::Enum(_) | Body::Union(_) => counts.enums += 1,
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
