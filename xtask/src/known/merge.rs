//! The structs of several versions come in, what all agree upon from one of them on goes out: what is reused must mean the same whichever is enabled.
use super::types::{Field, Struct, Ty, Version};
use kube_codegen::Kubernetes;
use std::collections::BTreeMap;

/// The types, each with the version from which on all newer ones agree upon it; so each field. Versions come oldest first.
pub(super) fn merge(versions: Vec<(Kubernetes, Version)>) -> Result<Version, String> {
    // What all agree upon from each version on, newest first.
    let mut agreed: Vec<(Kubernetes, Version)> = Vec::new();
    for (at, version) in versions.into_iter().rev() {
        let mut common = match agreed.last() {
            Some((_, newer)) => common(version, newer),
            None => version,
        };
        common.retain(|path, body| usable(path, body));
        agreed.push((at, forget_others(common)));
    }
    let mut table = Version::new();
    for (at, version) in agreed.into_iter().rev() {
        for (path, body) in version {
            match table.get_mut(&path) {
                Some(known) => extend(known, body, at)
                    .map_err(|what| format!("{path}: {what} is another in {at}"))?,
                None => _ = table.insert(path, body),
            }
        }
    }
    Ok(table)
}

/// The types that both have.
fn common(old: Version, newer: &Version) -> Version {
    let both = old.into_iter().filter_map(|(path, body)| {
        let body = both(body, newer.get(&path)?)?;
        Some((path, body))
    });
    both.collect()
}

/// Adds to a type of older versions what it has from this one on.
fn extend(known: &mut Struct, newer: Struct, at: Kubernetes) -> Result<(), String> {
    if known.default != newer.default {
        return Err("`Default`".to_owned());
    }
    for (wire, field) in newer.fields {
        match known.fields.get_mut(&wire) {
            None => _ = known.fields.insert(wire, Field { since: at, ..field }),
            Some(old) if old.ty == field.ty => {
                if old.required && !field.required {
                    old.required = false;
                    old.required_before = Some(at);
                }
            }
            // It is always written, and could not be told of before.
            Some(old) if old.required => return Err(format!("`{wire}`")),
            Some(old) => *old = Field { since: at, ..field },
        }
    }
    Ok(())
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
