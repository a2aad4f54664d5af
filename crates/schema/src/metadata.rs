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

/// How many characters of `generateName` the server keeps.
const LONGEST_PREFIX: usize = 63 - SUFFIX.len();
/// What stands for the characters that it adds.
const SUFFIX: &str = "xxxxx";

/// Returns the violations of the `metadata` of a custom resource: names, namespace, labels, annotations, owners and finalizers.
///
/// The API server demands a name or `generateName` of each object, and that Go can decode the metadata. It sets `generation` and
/// `managedFields` itself, and ignores the namespace of an object that belongs to none. What depends on the request, such as whether the
/// namespace exists, is not checked.
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
    let prefix = text("generateName");
    if !prefix.is_empty() {
        for why in names::dns_1123_subdomain(&masked(prefix)) {
            let at = "metadata.generateName";
            causes.push(Cause::new(at, Reason::Invalid, &quote(prefix), &why));
        }
    }
    match text("name") {
        "" if prefix.is_empty() => {
            let why = "name or generateName is required";
            causes.push(Cause::new("metadata.name", Reason::Required, "", why));
        }
        // The server makes a name of it, and validates that, too.
        "" => {
            let start: String = prefix.chars().take(LONGEST_PREFIX).collect();
            let name = start + SUFFIX;
            for why in names::dns_1123_subdomain(&name) {
                let cause = Cause::new("metadata.name", Reason::Invalid, &quote(&name), &why);
                causes.push(cause.at("metadata.generateName"));
            }
        }
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
    let namespace = text("namespace");
    if !namespace.is_empty() {
        for why in names::dns_1123_label(namespace) {
            let at = "metadata.namespace";
            causes.push(Cause::new(at, Reason::Invalid, &quote(namespace), &why));
        }
    }
    others(metadata, "metadata", &mut causes);
    causes
}

/// Returns the text that the server validates for a prefix: a final dash and the character before it become one letter.
fn masked(prefix: &str) -> String {
    let start = prefix
        .strip_suffix('-')
        .map(|start| start.split_at_checked(start.len().wrapping_sub(1)));
    match start {
        Some(Some((start, _))) => format!("{start}a"),
        _ => prefix.to_owned(),
    }
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
    let has = |name: &str| items(metadata, "finalizers").any(|it| it == name);
    if has("orphan") && has("foregroundDeletion") {
        let path = path::field(path, "finalizers");
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        let all = shown(&metadata["finalizers"]);
        causes.push(Cause::new(&path, Reason::Invalid, &all, why));
    }
}

/// The most bytes of all annotations.
const ANNOTATIONS: usize = 256 << 10;

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
        if (api_version, text("kind")) == ("v1", "Event") {
            let why = "/v1, Kind=Event is disallowed from being an owner";
            causes.push(Cause::new(&at, Reason::Invalid, &shown(owner), why));
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
    let size: usize = texts("annotations")
        .map(|(key, text)| key.len() + text.len())
        .sum();
    if size > ANNOTATIONS {
        let path = path::field(path, "annotations");
        let why = format!("may not be more than {ANNOTATIONS} bytes");
        causes.push(Cause::new(&path, Reason::TooLong, "", &why));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The texts are those of kube-apiserver 1.37.
    #[test]
    fn metadata_is_validated_as_by_the_server() {
        const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
        let said = |metadata: &Value| -> Vec<String> {
            let causes = validate_metadata(&json!({"metadata": metadata}));
            causes.iter().map(ToString::to_string).collect()
        };
        for (metadata, expected) in [
            (json!({"name": "a", "namespace": "My_NS"}), format!("metadata.namespace: Invalid value: \"My_NS\": {LABEL}")),
            (json!({"name": "a", "namespace": "${NAMESPACE}"}), format!("metadata.namespace: Invalid value: \"${{NAMESPACE}}\": {LABEL}")),
            (json!({"name": "a", "generateName": "A_"}), format!("metadata.generateName: Invalid value: \"A_\": {SUBDOMAIN}")),
            (
                json!({"name": "a", "finalizers": ["foregroundDeletion", "orphan"]}),
                "metadata.finalizers: Invalid value: [\"foregroundDeletion\",\"orphan\"]: finalizer orphan and foregroundDeletion cannot be both set".to_owned(),
            ),
            (
                json!({"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "a", "uid": "b"}]}),
                "metadata.ownerReferences[0]: Invalid value: {\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"a\",\"uid\":\"b\"}: /v1, Kind=Event is disallowed from being an owner".to_owned(),
            ),
            (
                json!({"name": "a", "annotations": {"a": "x".repeat(262_144)}}),
                "metadata.annotations: Too long: may not be more than 262144 bytes".to_owned(),
            ),
        ] {
            assert_eq!(said(&metadata), [expected]);
        }
        for metadata in [
            json!({"generateName": "a.b-"}),
            json!({"generateName": format!("{}-", "a".repeat(250))}),
            json!({"name": "a", "generateName": "B-"}),
            json!({"name": "a", "generateName": "a.-"}),
            json!({"name": "a", "namespace": ""}),
            json!({"name": "a", "namespace": "kube-system", "generation": -1}),
            json!({"name": "a", "annotations": {"a": "x".repeat(262_143)}}),
            json!({"name": "a", "managedFields": [{"manager": "x", "operation": "Bogus", "fieldsType": "F"}]}),
            json!({"name": "a", "ownerReferences": [{"apiVersion": "events.k8s.io/v1", "kind": "Event", "name": "a", "uid": "b"}]}),
        ] {
            assert_eq!(said(&metadata), [""; 0], "{metadata}");
        }
    }

    /// The server has five random characters where these have `x`.
    #[test]
    fn the_name_that_is_made_of_a_prefix_is_validated() {
        for (prefix, fields) in [
            (
                "Gen-",
                &[
                    "metadata.generateName: Invalid value: \"Gen-\"",
                    "metadata.name: Invalid value: \"Gen-xxxxx\"",
                ][..],
            ),
            (
                "-",
                &[
                    "metadata.generateName: Invalid value: \"-\"",
                    "metadata.name: Invalid value: \"-xxxxx\"",
                ],
            ),
            ("a.-", &["metadata.name: Invalid value: \"a.-xxxxx\""]),
            ("gen.", &["metadata.generateName: Invalid value: \"gen.\""]),
            (
                "ä-",
                &[
                    "metadata.generateName: Invalid value: \"ä-\"",
                    "metadata.name: Invalid value: \"ä-xxxxx\"",
                ],
            ),
        ] {
            let object = json!({"metadata": {"generateName": prefix}});
            let causes = validate_metadata(&object);
            let found: Vec<String> = causes.iter().map(ToString::to_string).collect();
            assert_eq!(found.len(), fields.len(), "{found:?}");
            assert!(
                found
                    .iter()
                    .zip(fields)
                    .all(|(text, start)| text.starts_with(start)),
                "{found:?}"
            );
            assert!(
                causes
                    .iter()
                    .all(|it| it.pointer(&object) == "/metadata/generateName")
            );
        }
    }

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
