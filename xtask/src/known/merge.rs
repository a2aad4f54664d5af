//! Merges the structs of several Kubernetes versions: a reused type has to be the same whichever version is enabled.
use super::types::{Field, Struct, Ty, Version};
use kube_codegen::Kubernetes;
use std::collections::BTreeMap;

/// Merges versions, oldest first. Each type and field has the first version since which all newer ones agree on it.
pub(super) fn merge(versions: Vec<(Kubernetes, Version)>) -> Result<Version, String> {
    // What all versions from each one on agree on, newest first.
    let mut agreed: Vec<(Kubernetes, Version)> = Vec::new();
    for (at, version) in versions.into_iter().rev() {
        let mut common = match agreed.last() {
            Some((_, newer)) => common(version, newer),
            None => version,
        };
        common.retain(|path, body| is_usable(path, body));
        agreed.push((at, mark_others(common)));
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

/// Returns the types that both versions have.
fn common(old: Version, newer: &Version) -> Version {
    let both = old.into_iter().filter_map(|(path, body)| {
        let body = both(body, newer.get(&path)?)?;
        Some((path, body))
    });
    both.collect()
}

/// Adds the fields that a type has since a newer version.
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
            // Older versions always write it, with another type.
            Some(old) if old.required => return Err(format!("`{wire}`")),
            Some(old) => *old = Field { since: at, ..field },
        }
    }
    Ok(())
}

/// Returns the common part of a struct in two versions; `None` if a field that only one has is always written.
fn both(old: Struct, new: &Struct) -> Option<Struct> {
    let has_own = |fields: &BTreeMap<String, Field>, others: &BTreeMap<String, Field>| {
        let mut all = fields.iter();
        all.any(|(wire, field)| field.required && !others.contains_key(wire))
    };
    if has_own(&old.fields, &new.fields) || has_own(&new.fields, &old.fields) {
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

/// The types that the runtime reads and writes field by field. All others are leaves, which need a `Default`.
pub(super) const RECORDS: [&str; 6] = [
    "Condition",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
];

/// Returns whether the runtime reads and writes a type field by field.
pub(super) fn is_record(path: &str) -> bool {
    path.strip_prefix("apimachinery::pkg::apis::meta::v1::")
        .is_some_and(|name| RECORDS.contains(&name))
}

/// Returns whether a type can be reused. An API object writes its own `apiVersion` and `kind`, and an empty struct matches anything.
fn is_usable(path: &str, body: &Struct) -> bool {
    !body.root && !body.fields.is_empty() && (body.default || is_record(path))
}

/// Marks the types of fields that are not in the table.
fn mark_others(mut types: Version) -> Version {
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
