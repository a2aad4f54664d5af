//! Writes schema paths as `kube_codegen_record::conversion::Path`.
use proc_macro2::TokenStream;
use quote::quote;

use crate::model::ir::{SchemaPath, Segment};

/// Returns the levels of a path: the properties between one list or map and the next.
pub(super) fn literal(path: &SchemaPath) -> TokenStream {
    let mut levels: Vec<Vec<&str>> = vec![Vec::new()];
    for segment in path.segments() {
        match segment {
            Segment::Property(name) => {
                if let Some(level) = levels.last_mut() {
                    level.push(name);
                }
            }
            Segment::Items | Segment::Values => levels.push(Vec::new()),
        }
    }
    let levels = levels.iter().map(|level| quote!(&[#(#level),*]));
    quote!(&[#(#levels),*])
}
