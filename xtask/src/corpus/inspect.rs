//! Counts the inline objects of a CRD's schemas.
use kube_codegen::private::crd::{Additional, Crd, Items, Schema};

/// Returns the number of inline objects in the served versions: schema nodes with declared properties.
pub(super) fn inline_objects(crd: &Crd) -> usize {
    let served = crd.versions.iter().filter(|version| version.served);
    served
        .filter_map(|version| version.schema.as_deref())
        .map(objects)
        .sum()
}

fn objects(schema: &Schema) -> usize {
    let properties = schema
        .properties
        .iter()
        .flatten()
        .map(|(_, it)| it.as_ref());
    let items = schema.items.iter().filter_map(|items| match items {
        Items::Schema(schema) => Some(schema.as_ref()),
        Items::Tuple(_) => None,
    });
    let values = schema.additional.iter().filter_map(|values| match values {
        Additional::Schema(schema) => Some(schema.as_ref()),
        Additional::Bool(_) => None,
    });
    let own = schema
        .properties
        .as_ref()
        .is_some_and(|all| !all.is_empty());
    usize::from(own)
        + properties
            .chain(items)
            .chain(values)
            .map(objects)
            .sum::<usize>()
}
