//! Validates `metadata`: names, labels, annotations.

use kube_codegen_formats::{
    go::{Number, quote, shown},
    names,
};
use serde_json::{Map, Value};

use crate::{
    cause::{Cause, Reason},
    object_meta, path,
};

/// Returns why Go cannot decode the `metadata` of an object, in its words; none if it can.
///
/// ```
/// # use serde_json::json;
/// let object = json!({"metadata": {"name": "a", "labels": {"size": 3}}});
/// assert_eq!(
///     kube_codegen_schema::undecodable_metadata(&object).as_deref(),
///     Some("json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string")
/// );
/// ```
pub fn undecodable_metadata(object: &Value) -> Option<String> {
    let found = object_meta::undecodable(object.get("metadata")?)?;
    Some(found.why)
}

/// Returns the violation if the `metadata` in these fields cannot be decoded.
pub(crate) fn undecodable(fields: &Map<String, Value>, path: &str) -> Option<Cause> {
    let metadata = fields.get("metadata")?;
    let found = object_meta::undecodable(metadata)?;
    let path = path::field(path, "metadata");
    let cause = Cause::new(&path, Reason::Invalid, &shown(metadata), &found.why);
    Some(match &*found.path {
        "" => cause,
        inner => cause.at(&path::field(&path, inner)),
    })
}

/// Returns the violations of `metadata.name`, labels, annotations, owners and finalizers of a custom resource.
///
/// The API server demands a name or `generateName` of each object, and that Go can decode the metadata. What depends on the request, such as the namespace, is not checked.
pub fn validate_metadata(object: &Value) -> Vec<Cause> {
    if let Some(cause) = object.as_object().and_then(|it| undecodable(it, "")) {
        return vec![cause];
    }
    let mut causes = Vec::new();
    let none = Map::new();
    let metadata = object
        .get("metadata")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let text = |name: &str| {
        metadata
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match text("name") {
        "" if text("generateName").is_empty() => {
            let why = "name or generateName is required";
            causes.push(Cause::new("metadata.name", Reason::Required, "", why));
        }
        "" => {}
        name => {
            for why in names::dns_1123_subdomain(name) {
                causes.push(Cause::new(
                    "metadata.name",
                    Reason::Invalid,
                    &quote(name),
                    &why,
                ));
            }
        }
    }
    others(metadata, "metadata", &mut causes);
    causes
}

/// Adds the violations of labels, annotations, owners and finalizers.
fn others(metadata: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    labels(metadata, path, causes);
    owners(metadata, &path::field(path, "ownerReferences"), causes);
    for name in items(metadata, "finalizers").map(|it| it.as_str().unwrap_or_default()) {
        for why in names::qualified_name(name) {
            let path = path::field(path, "finalizers");
            causes.push(Cause::new(&path, Reason::Invalid, &quote(name), &why));
        }
    }
}

/// Returns the violations in the `metadata` of an embedded resource.
pub(crate) fn embedded(metadata: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let text = |name: &str| {
        metadata
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let mut report = |name: &str, text: &str, found: Vec<String>| {
        let path = path::field(path, name);
        for why in found {
            causes.push(Cause::new(&path, Reason::Invalid, &quote(text), &why));
        }
    };
    let name = text("name");
    report(
        "generateName",
        text("generateName"),
        names::path_segment_prefix(text("generateName")),
    );
    report("name", name, names::path_segment(name));
    if !text("namespace").is_empty() {
        report(
            "namespace",
            text("namespace"),
            names::dns_1123_label(text("namespace")),
        );
    }
    let generation = metadata
        .get("generation")
        .filter(|it| Number::of(it).is_some_and(|number| number.as_f64() < 0.0));
    if let Some(generation) = generation {
        let (path, why) = (
            path::field(path, "generation"),
            "must be greater than or equal to 0",
        );
        causes.push(Cause::new(&path, Reason::Invalid, &shown(generation), why));
    }
    others(metadata, path, causes);
}

fn items<'a>(metadata: &'a Map<String, Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    let items = metadata.get(name).and_then(Value::as_array);
    items.into_iter().flatten()
}

fn owners(metadata: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let mut controller: Option<String> = None;
    for (index, owner) in items(metadata, "ownerReferences").enumerate() {
        let at = path::index(path, index);
        let text = |name: &str| owner[name].as_str().unwrap_or_default();
        for name in ["apiVersion", "kind", "name", "uid"] {
            if text(name).is_empty() {
                let at = path::field(&at, name);
                causes.push(Cause::new(&at, Reason::Required, "", "must not be empty"));
            }
        }
        let api_version = text("apiVersion");
        if api_version.matches('/').count() > 1 || api_version.ends_with('/') {
            let why = "must be <group>/<version> or <version>";
            let at = path::field(&at, "apiVersion");
            causes.push(Cause::new(&at, Reason::Invalid, &quote(api_version), why));
        }
        if owner["controller"] == true {
            let this = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                None => controller = Some(this),
                Some(first) => {
                    let why = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"
                    );
                    let all = shown(&metadata["ownerReferences"]);
                    causes.push(Cause::new(path, Reason::Invalid, &all, &why));
                }
            }
        }
    }
}

fn labels(metadata: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let mut report = |name: &str, text: &str, found: Vec<String>| {
        let path = path::field(path, name);
        for why in found {
            causes.push(Cause::new(&path, Reason::Invalid, &quote(text), &why));
        }
    };
    let texts = |name: &str| {
        let entries = metadata
            .get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        entries.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
    };
    for (key, value) in texts("labels") {
        report("labels", key, names::qualified_name(key));
        report("labels", value, names::label_value(value));
    }
    for (key, _) in texts("annotations") {
        report(
            "annotations",
            key,
            names::qualified_name(&key.to_lowercase()),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn owners_and_finalizers_are_validated() {
        let object = json!({"metadata": {
            "name": "a",
            "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": null}],
            "finalizers": ["a b"],
        }});
        let causes = validate_metadata(&object);
        let texts: Vec<String> = causes.iter().map(Cause::to_string).collect();
        assert_eq!(
            texts[0],
            "metadata.ownerReferences[0].uid: Required value: must not be empty"
        );
        assert!(texts[1].starts_with("metadata.finalizers: Invalid value: \"a b\""));
        assert_eq!(texts.len(), 2, "{texts:?}");
    }
}
