//! Validates names, labels and owner references; generates names and uids.

use kube::core::response::StatusCause;
use kube_codegen_formats::names;
use serde_json::Value;

use crate::{
    kinds::kind::Kind,
    values::{
        object::{self, at, text},
        status::cause,
    },
};

/// Returns the violations in an object's name, labels and owner references; `violations` returns those of a name.
pub(crate) fn check(
    kind: &Kind,
    violations: fn(&str) -> Vec<String>,
    object: &Value,
) -> Vec<StatusCause> {
    let name = object::name(object);
    let mut causes = Vec::new();
    if name.is_empty() {
        causes.push(cause(
            "metadata.name",
            "FieldValueRequired",
            "Required value: name or generateName is required",
        ));
    }
    let whys = violations(name).into_iter();
    let whys = whys.filter(|_| !name.is_empty());
    causes.extend(whys.map(|why| {
        let message = format!("Invalid value: {name:?}: {why}");
        cause("metadata.name", "FieldValueInvalid", message)
    }));
    causes.extend(labels("metadata.labels", at(object, "/metadata/labels")));
    causes.extend(annotations(at(object, "/metadata/annotations")));
    causes.extend(finalizers(kind, object));
    let owners = object::list(object, "/metadata/ownerReferences").iter();
    for (index, owner) in owners.enumerate() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if text(owner, &format!("/{field}")).is_empty() {
                causes.push(cause(
                    format!("metadata.ownerReferences[{index}].{field}"),
                    "FieldValueRequired",
                    "Required value: must not be empty",
                ));
            }
        }
    }
    causes
}

/// The finalizers without a domain.
const STANDARD: [&str; 3] = ["foregroundDeletion", "kubernetes", "orphan"];

/// Returns what the server advises about new finalizers of a custom resource.
pub(crate) fn warnings(old: Option<&Value>, object: &Value) -> Vec<String> {
    let before = old.map(|old| object::strings(old, "/metadata/finalizers"));
    let before = before.unwrap_or_default();
    let new = object::strings(object, "/metadata/finalizers").into_iter();
    let new = new.filter(|name| {
        let is_known = name.contains('/') || STANDARD.contains(&name.as_str());
        !is_known && !before.contains(name)
    });
    new.map(|name| {
        let how = if name.contains('.') {
            " including a path (/)"
        } else {
            ""
        };
        format!(
            "metadata.finalizers: {name:?}: prefer a domain-qualified finalizer name{how} to avoid accidental conflicts with other finalizer writers"
        )
    })
    .collect()
}

/// Returns the violations in finalizers. Those of a custom resource need no domain.
fn finalizers(kind: &Kind, object: &Value) -> Vec<StatusCause> {
    let all = object::strings(object, "/metadata/finalizers");
    let invalid = |path: String, name: &str, why: &str| {
        let message = format!("Invalid value: {name:?}: {why}");
        cause(path, "FieldValueInvalid", message)
    };
    let mut causes = Vec::new();
    for name in &all {
        let whys = names::qualified_name(name).into_iter();
        causes.extend(whys.map(|why| invalid("metadata.finalizers".to_owned(), name, &why)));
    }
    for (index, name) in all.iter().enumerate() {
        if !kind.custom && !name.contains('/') && !STANDARD.contains(&name.as_str()) {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            let path = format!("metadata.finalizers[{index}]");
            causes.push(invalid(path, name, why));
        }
    }
    causes
}

/// Returns the violations in the keys of annotations.
fn annotations(annotations: &Value) -> Vec<StatusCause> {
    let keys = annotations.as_object().into_iter().flatten();
    let rejected = keys.flat_map(|(key, _)| {
        let whys = names::qualified_name(&key.to_lowercase()).into_iter();
        whys.map(move |why| {
            let message = format!("Invalid value: {key:?}: {why}");
            cause("metadata.annotations", "FieldValueInvalid", message)
        })
    });
    rejected.collect()
}

/// Returns the violations in keys and values of labels.
pub(crate) fn labels(path: &str, labels: &Value) -> Vec<StatusCause> {
    let mut causes = Vec::new();
    let mut invalid = |value: &str, why: &str| {
        causes.push(cause(
            path,
            "FieldValueInvalid",
            format!("Invalid value: {value:?}: {why}"),
        ));
    };
    for (key, value) in labels.as_object().into_iter().flatten() {
        for why in names::qualified_name(key) {
            invalid(key, &why);
        }
        let value = value.as_str().unwrap_or_default();
        for why in names::label_value(value) {
            invalid(value, &why);
        }
    }
    causes
}

/// Appends a suffix of five letters, as the server does for `generateName`. Each number gives another suffix.
pub(crate) fn generate(prefix: &str, number: u64) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    // The server truncates the prefix so that the name is a valid label.
    let prefix: String = prefix.chars().take(58).collect();
    // A step coprime to 27^5 visits every suffix before it repeats one.
    let mut rest = number.wrapping_mul(7_654_321);
    let mut suffix = String::with_capacity(5);
    for _ in 0..5 {
        let index = usize::try_from(rest % LETTERS.len() as u64).unwrap_or_default();
        suffix.push(char::from(LETTERS[index]));
        rest /= LETTERS.len() as u64;
    }
    prefix + &suffix
}

/// Returns the uid of the object with a number.
pub(crate) fn uid(number: u64) -> String {
    format!("{:08x}-0000-4000-8000-{number:012x}", std::process::id())
}
