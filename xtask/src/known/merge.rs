//! Merges the structs of several Kubernetes versions: a reused type must behave the same in each version that can be enabled.
use super::types::{Field, Struct, Ty, Version};
use kube_codegen::Kubernetes;
use std::collections::BTreeMap;

/// Returns the types and fields, each with the version from which on all versions agree on it. Versions are given oldest first.
pub(super) fn merge(versions: Vec<(Kubernetes, Version)>) -> Result<Version, String> {
    // What all versions from each one on have in common, newest first.
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
                    .map_err(|what| format!("{path}: {what} differs in {at}"))?,
                None => _ = table.insert(path, body),
            }
        }
    }
    Ok(table)
}

/// Returns the types that both have.
fn common(old: Version, newer: &Version) -> Version {
    let both = old.into_iter().filter_map(|(path, body)| {
        let body = both(body, newer.get(&path)?)?;
        Some((path, body))
    });
    both.collect()
}

/// Adds to a type the fields that it has from this version on.
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
            // It is always written, so its type must not change.
            Some(old) if old.required => return Err(format!("`{wire}`")),
            Some(old) => *old = Field { since: at, ..field },
        }
    }
    Ok(())
}

/// Returns what both versions of a struct have in common; `None` if they are incompatible.
fn both(old: Struct, new: &Struct) -> Option<Struct> {
    // A field that only one of them has and always writes would be added to objects of the other.
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

/// Records read and written field by field; all others are leaves, which need a default value.
pub(super) const RECORDS: [&str; 6] = [
    "Condition",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
];

/// Returns whether the type is read and written field by field.
pub(super) fn is_record(path: &str) -> bool {
    path.strip_prefix("apimachinery::pkg::apis::meta::v1::")
        .is_some_and(|name| RECORDS.contains(&name))
}

/// Excludes API objects, which write their own `apiVersion` and `kind`, and empty structs, which cannot be identified.
fn usable(path: &str, body: &Struct) -> bool {
    !body.root && !body.fields.is_empty() && (body.default || is_record(path))
}

/// Replaces the types of fields that hold structs outside the table.
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
