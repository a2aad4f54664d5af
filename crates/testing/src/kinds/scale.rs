//! The `autoscaling/v1` Scale of an object.

use serde_json::{Value, json};

use crate::{
    kinds::{kind::SCALE_VERSION, target::Target},
    values::{
        object::{self, at, text},
        status::{Answer, internal, no_resource},
    },
};

/// Returns the scale of an object.
pub(crate) fn scale_of(target: &Target, object: &Value) -> Answer<Value> {
    let paths = target.version()?.scale.as_ref().ok_or_else(no_resource)?;
    let Some(replicas) = at(object, &paths.spec).as_i64() else {
        let path = paths.spec.replace('/', ".");
        return Err(internal(&format!(
            "the spec replicas field {path:?} does not exist"
        )));
    };
    let mut metadata = json!({});
    for field in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        if let Some(value) = at(object, "/metadata").get(field) {
            metadata[field] = value.clone();
        }
    }
    let mut status = json!({"replicas": at(object, &paths.status).as_i64().unwrap_or_default()});
    let selector = match &paths.selector {
        Some(path) => text(object, path).to_owned(),
        None => labels(at(object, "/spec/selector")),
    };
    if !selector.is_empty() {
        status["selector"] = selector.into();
    }
    // Go does not write a zero there.
    let spec = if replicas == 0 {
        json!({})
    } else {
        json!({"replicas": replicas})
    };
    Ok(
        json!({"apiVersion": SCALE_VERSION, "kind": "Scale", "metadata": metadata, "spec": spec, "status": status}),
    )
}

/// Writes a label selector as text, sorted by key.
fn labels(selector: &Value) -> String {
    let pairs = at(selector, "/matchLabels")
        .as_object()
        .into_iter()
        .flatten();
    let mut terms: Vec<(&str, String)> = pairs
        .map(|(key, value)| {
            let value = value.as_str().unwrap_or_default();
            (key.as_str(), format!("{key}={value}"))
        })
        .collect();
    for term in object::list(selector, "/matchExpressions") {
        let key = text(term, "/key");
        let mut values = object::strings(term, "/values");
        values.sort();
        let values = values.join(",");
        let shown = match text(term, "/operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        terms.push((key, shown));
    }
    terms.sort();
    let terms: Vec<String> = terms.into_iter().map(|(_, shown)| shown).collect();
    terms.join(",")
}
