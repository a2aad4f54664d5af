//! Mutates a CRD as a tree, so that it stays well-formed.
use super::values::{Chance, change_some};
use kube_codegen::diag::Diagnostics;
use kube_codegen::{private::yaml, source::Source};

/// Changes one to four parts of the first document; none if there is no document. The same seed makes the same changes.
pub fn mutate(text: &str, seed: u64) -> Option<String> {
    let source = Source::new("", text);
    let mut root = yaml::documents(&source, &mut Diagnostics::new())
        .into_iter()
        .next()?;
    change_some(&mut root, &mut Chance(seed));
    Some(root.to_string())
}
