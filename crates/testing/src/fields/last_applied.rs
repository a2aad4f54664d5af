//! The annotation in which `kubectl apply` keeps the last configuration. Once kubectl applies on the server, the server keeps it up to date,
//! and what it has does not conflict: the user has applied it before.

use serde_json::Value;

use super::{Shape, compare, set::Fields, typed};
use crate::values::object::{at, map, section, text};

/// The field manager of `kubectl apply --server-side`.
pub(super) const KUBECTL: &str = "kubectl";

const NAME: &str = "kubectl.kubernetes.io/last-applied-configuration";
const POINTER: &str = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";

/// The bytes that all annotations of an object may have.
const MOST: usize = 256 * 1024;

/// Returns whether an object has the annotation.
pub(super) fn is_in(object: &Value) -> bool {
    !text(object, POINTER).is_empty()
}

/// Returns the fields that still have the values of the last configuration, if it is of the version.
pub(super) fn fields(object: &Value, shape: &Shape<'_>, version: &str) -> Fields {
    let last = serde_json::from_str::<Value>(text(object, POINTER));
    let Some(last) = last.ok().filter(|it| text(it, "/apiVersion") == version) else {
        return Fields::default();
    };
    let compared = compare::compare(shape, &last, object);
    typed::fields_of(shape, &last).difference(&compared.modified)
}

/// Replaces the last configuration, if there is one.
pub(super) fn replace(object: &mut Value, config: &Value) {
    if !is_in(object) {
        return;
    }
    let mut config = config.clone();
    if at(&config, "/metadata/annotations").is_object() {
        map(&mut section(&mut config, "metadata")["annotations"]).remove(NAME);
    }
    // As Go writes JSON.
    let mut last = config.to_string();
    for (character, escaped) in [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026")] {
        last = last.replace(character, escaped);
    }
    let annotations = map(&mut section(object, "metadata")["annotations"]);
    annotations.insert(NAME.to_owned(), (last + "\n").into());
    let sizes = annotations.iter();
    let sizes = sizes.map(|(name, value)| name.len() + value.as_str().map_or(0, str::len));
    if sizes.sum::<usize>() > MOST {
        annotations.remove(NAME);
    }
}
