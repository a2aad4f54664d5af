//! Writes schema paths as `kube_codegen_record::conversion::FieldPath`.
use proc_macro2::TokenStream;
use quote::quote;

use crate::model::ir::{SchemaPath, Segment};

/// Writes a path: its properties, and those after each list or map.
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
    match levels.as_slice() {
        [] => quote!([]),
        [names] => quote!([#(#names),*]),
        [names, inner @ ..] => {
            let inner = inner.iter().map(|names| quote!(.each([#(#names),*])));
            quote!(FieldPath::new([#(#names),*]) #(#inner)*)
        }
    }
}

/// Returns whether a path goes into lists or maps, and so is written with the name of its type.
pub(super) fn is_nested(path: &SchemaPath) -> bool {
    let mut segments = path.segments().into_iter();
    segments.any(|segment| !matches!(segment, Segment::Property(_)))
}
