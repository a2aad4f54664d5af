//! The structs of several versions come in, what all of them agree upon goes out: what is reused must mean the same whatever version is enabled.
use super::types::{Field, Struct, Ty, Version};
use std::collections::BTreeMap;

/// The types that every version has.
pub(super) fn merge(versions: Vec<Version>) -> Version {
    let mut versions = versions.into_iter();
    let mut common = versions.next().unwrap_or_default();
    for other in versions {
        common = common
            .into_iter()
            .filter_map(|(path, body)| {
                let body = both(body, other.get(&path)?)?;
                Some((path, body))
            })
            .collect();
    }
    common.retain(|path, body| usable(path, body));
    forget_others(common)
}

/// A struct as both versions have it; none where they cannot be reconciled.
fn both(old: Struct, new: &Struct) -> Option<Struct> {
    // A field that only one of them has, and always writes, would be written where the other never wrote it.
    let lone = |fields: &BTreeMap<String, Field>, others: &BTreeMap<String, Field>| {
        let mut all = fields.iter();
        all.any(|(wire, field)| field.required && !others.contains_key(wire))
    };
    if lone(&old.fields, &new.fields) || lone(&new.fields, &old.fields) {
        return None;
    }
    let fields = old.fields.into_iter().filter_map(|(wire, field)| {
        let other = new.fields.get(&wire)?;
        let ty = if field.ty == other.ty {
            field.ty
        } else {
            Ty::Plain("Other")
        };
        let required = field.required || other.required;
        Some((
            wire,
            Field {
                required,
                ty,
                ..field
            },
        ))
    });
    Some(Struct {
        fields: fields.collect(),
        default: old.default && new.default,
        root: old.root || new.root,
        ..old
    })
}

/// The runtime knows these field by field; all others as leaves, which need a blank value.
pub(super) const RECORDS: [&str; 6] = [
    "Condition",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
];

/// Whether the runtime reads and writes the type field by field.
pub(super) fn is_record(path: &str) -> bool {
    path.strip_prefix("apimachinery::pkg::apis::meta::v1::")
        .is_some_and(|name| RECORDS.contains(&name))
}

/// An object of the API writes its own `apiVersion` and `kind`; nothing tells what an empty struct is.
fn usable(path: &str, body: &Struct) -> bool {
    !body.root && !body.fields.is_empty() && (body.default || is_record(path))
}

/// Fields of structs that are not in the table.
fn forget_others(mut types: Version) -> Version {
    let known: Vec<String> = types.keys().cloned().collect();
    for body in types.values_mut() {
        for field in body.fields.values_mut() {
            let holds = field.ty.holds();
            if holds.is_some_and(|path| !known.iter().any(|it| it == path)) {
                field.ty = Ty::Plain("Other");
            }
        }
    }
    types
}
