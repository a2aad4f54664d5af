//! Which parts of an object a write changes: those of its subresource.

use serde_json::Value;

use super::{resize, strategy::Strategy};
use crate::values::object::{at, copy, map, put, section};

/// Returns the new state of an object of which only the parts of the subresource change.
pub(crate) fn written(
    strategy: &Strategy,
    subresource: &str,
    has_status: bool,
    old: &Value,
    mut object: Value,
) -> Value {
    match subresource {
        "status" => {
            let mut whole = Value::clone(old);
            copy(map(&mut whole), &object, "apiVersion");
            copy(map(&mut whole), &object, "status");
            let metadata = section(&mut whole, "metadata");
            for field in strategy.status_metadata() {
                copy(metadata, at(&object, "/metadata"), field);
            }
            object = whole;
        }
        "ephemeralcontainers" => object = only(old, &object, "/spec/ephemeralContainers"),
        "resize" => object = resize::resized(old, &object),
        "approval" => object = only(old, &object, "/status/conditions"),
        _ if has_status => copy(map(&mut object), old, "status"),
        _ => {}
    }
    (strategy.restore)(&mut object, subresource, old);
    object
}

/// Returns an object with one value of another one.
fn only(old: &Value, object: &Value, pointer: &str) -> Value {
    let mut whole = old.clone();
    put(&mut whole, pointer, at(object, pointer).clone());
    let metadata = section(&mut whole, "metadata");
    copy(metadata, at(object, "/metadata"), "managedFields");
    whole
}
