//! The subresource `resize` of Pods: it changes the resources of containers, and nothing else.

use serde_json::Value;

use crate::values::object::{at, copy, list, map, section, text};

const CONTAINERS: [&str; 2] = ["containers", "initContainers"];

/// Returns a Pod with the resources of the containers of a new state. Where its containers are others, they stay for the validation.
pub(super) fn resized(old: &Value, object: &Value) -> Value {
    let mut whole = old.clone();
    let metadata = section(&mut whole, "metadata");
    copy(metadata, at(object, "/metadata"), "managedFields");
    let spec = section(&mut whole, "spec");
    copy(spec, at(object, "/spec"), "resources");
    for field in CONTAINERS {
        let pointer = format!("/spec/{field}");
        let names = |pod| -> Vec<&str> {
            list(pod, &pointer)
                .iter()
                .map(|it| text(it, "/name"))
                .collect()
        };
        if names(old) != names(object) {
            copy(spec, at(object, "/spec"), field);
            continue;
        }
        let kept = spec.get_mut(field).and_then(Value::as_array_mut);
        for (kept, new) in kept.into_iter().flatten().zip(list(object, &pointer)) {
            for part in ["resources", "resizePolicy"] {
                copy(map(kept), new, part);
            }
        }
    }
    whole
}
