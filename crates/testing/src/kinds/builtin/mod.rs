//! The built-in kinds that operators use, with the types of a real server.

mod cells;
mod decode;
mod defaults;
mod fields;
mod groups;
mod parts;
mod protobuf;
mod quality;
mod resize;
mod scalar;
mod strategy;
mod types;
mod validate;
mod warnings;

use std::sync::LazyLock;

use kube::core::response::StatusCause;
use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use self::{
    cells::age,
    decode::decode,
    parts::written,
    scalar::quantity,
    strategy::{Cell, Deletion, Strategy},
};
use self::{strategy::Creation, validate::Causes};
use crate::{
    kinds::kind::{Kind, Scale, Types, Version},
    values::object::text,
};

/// The minor version of Kubernetes whose kinds these are.
pub(crate) const RELEASE: (&str, &str) = ("1", "37");

/// A recorded resource.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    group: String,
    version: String,
    kind: String,
    plural: String,
    singular: String,
    namespaced: bool,
    short_names: Vec<String>,
    categories: Vec<String>,
    subresources: Vec<String>,
    #[serde(rename = "type")]
    type_name: String,
}

static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| {
    // The tests read the file.
    serde_json::from_str(include_str!("resources.json")).unwrap_or_default()
});

/// The recorded type of a scale.
pub(crate) const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// Returns the strategy of a kind.
pub(crate) fn strategy(kind: &Kind) -> &'static Strategy {
    if kind.custom {
        return &Strategy::CUSTOM;
    }
    groups::strategy(&kind.group, &kind.kind).unwrap_or(&Strategy::PLAIN)
}

/// Returns the kinds; one with several versions is stored in the first.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for resource in RESOURCES.iter() {
        let kind = kind_of(resource);
        match kinds
            .iter_mut()
            .find(|known| known.qualified() == kind.qualified())
        {
            Some(known) => known.versions.extend(kind.versions),
            None => kinds.push(kind),
        }
    }
    kinds
}

fn kind_of(resource: &'static Resource) -> Kind {
    let has = |name: &str| resource.subresources.iter().any(|it| it == name);
    let kind = resource.kind.as_str();
    let strategy = groups::strategy(&resource.group, kind).unwrap_or(&Strategy::PLAIN);
    Kind {
        group: resource.group.clone(),
        kind: kind.to_owned(),
        list_kind: format!("{kind}List"),
        plural: resource.plural.clone(),
        singular: resource.singular.clone(),
        short_names: resource.short_names.clone(),
        categories: resource.categories.clone(),
        namespaced: resource.namespaced,
        custom: false,
        storage: None,
        generation: strategy.has_generation,
        versions: vec![Version {
            name: resource.version.clone(),
            status: has("status"),
            scale: has("scale").then(|| Scale {
                spec: "/spec/replicas".into(),
                status: "/status/replicas".into(),
                selector: None,
            }),
            types: Types::Builtin(&resource.type_name),
            columns: Vec::new(),
            fields: strategy.selectors.iter().map(ToString::to_string).collect(),
            warning: strategy.deprecation.map(str::to_owned),
        }],
    }
}

/// Returns an object in a version of its kind. In the version in which it is stored, it has that version's defaults.
pub(crate) fn converted(kind: &Kind, object: Value, version: &str) -> Value {
    let Some(convert) = strategy(kind).to_version else {
        return object;
    };
    if text(&object, "/apiVersion") == kind.api_version(version) {
        return object;
    }
    let mut object = convert(object, version);
    if let Some(stored) = kind.versions.first().filter(|it| it.name == version)
        && let Types::Builtin(name) = &stored.types
    {
        default(kind, schema(name), &mut object);
    }
    object
}

/// Returns an object in the version in which its kind is stored.
pub(crate) fn stored(kind: &Kind, object: Value) -> Value {
    match kind.versions.first() {
        Some(version) => converted(kind, object, &version.name),
        None => object,
    }
}

/// Decodes an object of a recorded type from protobuf; `None` if it is malformed.
pub(crate) fn from_protobuf(type_name: &str, body: &[u8]) -> Option<Value> {
    protobuf::decode(schema(type_name), body)
}

/// Decodes a review from protobuf; `None` if it is not in protobuf.
pub(crate) fn review_from_protobuf(body: &[u8]) -> Option<Value> {
    protobuf::review(body)
}

/// Returns the schema of a recorded type.
pub(crate) fn schema(type_name: &str) -> &'static Value {
    types::schema(type_name)
}

/// Returns the schema of a version, if there is one.
pub(crate) fn schema_of(version: &Version) -> Option<&Value> {
    match &version.types {
        Types::None => None,
        Types::Custom { schema, .. } => Some(schema),
        Types::Builtin(name) => Some(schema(name)),
    }
}

/// Adds a recorded type, and those that it refers to, in the form of OpenAPI.
pub(crate) fn describe(type_name: &str, schemas: &mut Map<String, Value>) {
    types::describe(type_name, schemas);
}

/// Decodes the metadata of a custom resource in place, and returns Go's error if it is malformed.
pub(crate) fn decode_metadata(object: &mut Value) -> Option<String> {
    let metadata = object.get_mut("metadata").filter(|it| !it.is_null())?;
    let schema = schema("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    decode::decode_as("v1.ObjectMeta", schema, metadata).error
}

/// Adds descriptions to recorded types in the form of OpenAPI, with the feature `descriptions`.
pub(crate) fn explain(schemas: &mut Map<String, Value>) {
    #[cfg(feature = "descriptions")]
    types::explain(schemas);
    #[cfg(not(feature = "descriptions"))]
    let _ = schemas;
}

/// Fills in the defaults of a decoded object.
pub(crate) fn default(kind: &Kind, schema: &Value, object: &mut Value) {
    // An apply has not been decoded yet.
    let _checked = decode::decode(schema, object);
    decode::normalize(schema, object);
    (strategy(kind).convert)(object);
    defaults::apply(schema, object);
    decode::normalize(schema, object);
}

/// Sets what the server decides, and brings the object into the form in which the server writes it. `is_labelled` says whether it has labels
/// that are no defaults.
pub(crate) fn prepare(
    schema: &Value,
    kind: &Kind,
    subresource: &str,
    old: Option<&Value>,
    object: &mut Value,
    is_labelled: bool,
) {
    let strategy = strategy(kind);
    if let Some(old) = old {
        (strategy.update)(object, subresource, old);
    } else {
        let creation = Creation {
            subresource,
            is_labelled,
        };
        (strategy.create)(object, &creation);
    }
    decode::normalize(schema, object);
    decode::store(schema, object);
}

/// Returns the violations of a complete object.
pub(crate) fn validate(
    kind: &Kind,
    subresource: &str,
    old: Option<&Value>,
    object: &Value,
) -> Vec<StatusCause> {
    let mut causes = Causes::default();
    let strategy = strategy(kind);
    let converted = strategy.to_version.map(|_| stored(kind, object.clone()));
    let object = converted.as_ref().unwrap_or(object);
    (strategy.validate)(&mut causes, subresource, old, object);
    if subresource == "status" && old.is_some() {
        // Nothing else changes.
        causes.0.retain(|cause| cause.field.starts_with("status"));
    }
    causes.0
}

/// Returns the field of the specification that is stored but read through `status` alone, if an object has one.
pub(crate) fn hidden(kind: &Kind, subresource: &str, object: &Value) -> Option<&'static str> {
    let is_hidden = subresource != "status";
    is_hidden.then(|| (strategy(kind).hidden)(object)).flatten()
}

/// Returns whether a value has empty maps or lists where the old one has none: they differ in Go until they are stored.
pub(crate) fn has_new_blanks(schema: &Value, old: &Value, new: &Value) -> bool {
    decode::has_new_blanks(schema, old, new)
}

/// Brings an object into the form in which the server writes it.
pub(crate) fn normalize(schema: &Value, object: &mut Value) {
    decode::normalize(schema, object);
}
