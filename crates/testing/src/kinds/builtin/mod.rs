//! The built-in kinds that operators use, with the types of a real server.

mod certificates;
mod decode;
mod defaults;
mod parts;
mod prepare;
mod protobuf;
mod scalar;
mod types;
mod validate;

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use self::{
    certificates::identify, decode::decode, parts::written, scalar::quantity, validate::validate,
};
use crate::{
    kinds::kind::{Kind, Scale, Types, Version},
    values::object::{self, at, text},
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

/// Kinds without `metadata.generation`, in groups whose other kinds have it.
const NO_GENERATION: &[&str] = &[
    "ControllerRevision",
    "IPAddress",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ServiceCIDR",
];
const GENERATION: &[&str] = &[
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apps",
    "autoscaling",
    "batch",
    "discovery.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "policy",
    "resource.k8s.io",
    "scheduling.k8s.io",
];
const CORE_GENERATION: &[&str] = &["Pod", "PodTemplate", "ReplicationController"];

/// Field selectors of built-in kinds besides name and namespace.
#[rustfmt::skip]
const FIELDS: &[(&str, &[&str])] = &[
    ("pods", &["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"]),
    ("services", &["spec.clusterIP", "spec.type"]),
    ("namespaces", &["status.phase"]),
    ("nodes", &["spec.unschedulable"]),
    ("certificatesigningrequests", &["spec.signerName"]),
    ("replicationcontrollers", &["status.replicas"]),
    ("secrets", &["type"]),
    ("replicasets", &["status.replicas"]),
    ("jobs", &["status.successful"]),
    ("events", &["involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
        "involvedObject.resourceVersion", "involvedObject.fieldPath", "regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
        "reason", "reportingComponent", "reportingController", "source", "type"]),
];

pub(crate) fn kinds() -> impl Iterator<Item = Kind> {
    RESOURCES.iter().map(|resource| {
        let has = |name: &str| resource.subresources.iter().any(|it| it == name);
        let kind = resource.kind.as_str();
        let generation = if resource.group.is_empty() {
            CORE_GENERATION.contains(&kind)
        } else {
            GENERATION.contains(&resource.group.as_str()) && !NO_GENERATION.contains(&kind)
        };
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
            generation,
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
                fields: FIELDS
                    .iter()
                    .filter(|(of, _)| *of == resource.plural)
                    .flat_map(|(_, fields)| *fields)
                    .map(ToString::to_string)
                    .collect(),
                warning: None,
            }],
        }
    })
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
pub(crate) fn default(schema: &Value, object: &mut Value) {
    // An apply has not been decoded yet.
    let _checked = decode::decode(schema, object);
    decode::normalize(schema, object);
    prepare::convert(object);
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
    // An update of the status decides nothing about a Service.
    if subresource.is_empty() || !is_service(kind) {
        prepare::prepare(kind, old, object, is_labelled);
    }
    decode::normalize(schema, object);
    decode::store(schema, object);
}

/// Whether something of an object is read through `status` alone.
pub(crate) fn is_hidden(kind: &Kind, subresource: &str, object: &Value) -> bool {
    let is_shown = subresource == "status" || !is_service(kind);
    !is_shown && text(object, "/spec/type") == "ExternalName"
}

/// Removes what is stored but read through `status` alone.
pub(crate) fn hide(kind: &Kind, subresource: &str, object: &mut Value) {
    if is_hidden(kind, subresource, object) {
        object::section(object, "spec").remove("internalTrafficPolicy");
    }
}

pub(crate) fn is_service(kind: &Kind) -> bool {
    kind.group.is_empty() && kind.kind == "Service"
}

/// Returns the warnings about an object.
pub(crate) fn warnings(kind: &Kind, object: &Value) -> Vec<String> {
    if kind.kind != "Service" {
        return null_selectors(kind, object);
    }
    let mut warnings = Vec::new();
    let kind = text(object, "/spec/type");
    if text(object, "/spec/clusterIP") == "None"
        && text(object, "/spec/sessionAffinity") == "ClientIP"
    {
        warnings.push("spec.SessionAffinity is ignored for headless services".to_owned());
    }
    if kind != "ExternalName" && !text(object, "/spec/externalName").is_empty() {
        warnings
            .push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    warnings
}

/// Returns the warnings about selectors of Pods that are absent, and select none.
fn null_selectors(kind: &Kind, object: &Value) -> Vec<String> {
    let spec = match kind.kind.as_str() {
        "Pod" => "/spec",
        "CronJob" => "/spec/jobTemplate/spec/template/spec",
        _ => "/spec/template/spec",
    };
    let mut warnings = Vec::new();
    let mut check = |list: &str, term: &str| {
        for (index, item) in object::list(object, &format!("{spec}{list}"))
            .iter()
            .enumerate()
        {
            if at(item, &format!("{term}/labelSelector")).is_null() {
                let path = format!("{spec}{list}")
                    .trim_start_matches('/')
                    .replace('/', ".");
                let term = term.replace('/', ".");
                warnings.push(format!("{path}[{index}]{term}.labelSelector: a null labelSelector results in matching no pod"));
            }
        }
    };
    check("/topologySpreadConstraints", "");
    for affinity in ["podAffinity", "podAntiAffinity"] {
        let path = |when: &str| {
            format!("/affinity/{affinity}/{when}DuringSchedulingIgnoredDuringExecution")
        };
        check(&path("required"), "");
        check(&path("preferred"), "/podAffinityTerm");
    }
    warnings
}

/// Metadata that a write of the status cannot change, besides what no write can.
pub(crate) fn kept_metadata(kind: &Kind) -> &'static [&'static str] {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("apps", "Deployment") => &["labels"],
        ("", "Pod") => &["deletionTimestamp", "ownerReferences"],
        ("apiregistration.k8s.io", _) => {
            &["labels", "annotations", "finalizers", "ownerReferences"]
        }
        _ => &[],
    }
}

/// Metadata that a write of the status changes.
pub(crate) fn status_metadata(kind: &Kind) -> impl Iterator<Item = &'static str> {
    const FIELDS: &[&str] = &[
        "managedFields",
        "labels",
        "annotations",
        "finalizers",
        "ownerReferences",
    ];
    let kept = kept_metadata(kind);
    FIELDS.iter().copied().filter(|it| !kept.contains(it))
}

/// Returns the subresources besides the status and the scale.
pub(crate) fn subresources(kind: &Kind) -> &'static [&'static str] {
    match (kind.group.as_str(), kind.kind.as_str()) {
        _ if kind.custom => &[],
        ("", "Namespace") => &["finalize"],
        ("", "Pod") => &["binding", "ephemeralcontainers", "eviction"],
        ("", "ServiceAccount") => &["token"],
        ("certificates.k8s.io", "CertificateSigningRequest") => &["approval"],
        _ => &[],
    }
}

/// Returns the fields that a write through a subresource cannot change, of the kinds for which they differ from the others'.
pub(crate) fn unwritten(kind: &Kind, subresource: &str) -> Option<&'static [&'static str]> {
    certificates::is_request(kind).then(|| certificates::unwritten(subresource))
}

/// Returns whether an update of an absent object creates it; that of a status creates Services alone.
pub(crate) fn creates_on_update(kind: &Kind, subresource: &str) -> bool {
    if !subresource.is_empty() {
        return subresource == "status" && is_service(kind);
    }
    matches!(
        (kind.group.as_str(), kind.kind.as_str()),
        ("", "LimitRange" | "Event" | "Service" | "Endpoints")
            | (
                "coordination.k8s.io" | "events.k8s.io" | "rbac.authorization.k8s.io",
                _
            )
    )
}

/// Returns whether an update must name the resource version that it replaces.
pub(crate) fn needs_version(kind: &Kind) -> bool {
    kind.custom
        || matches!(
            (kind.group.as_str(), kind.kind.as_str()),
            (
                "policy"
                    | "coordination.k8s.io"
                    | "admissionregistration.k8s.io"
                    | "apiregistration.k8s.io",
                _
            ) | (
                "storage.k8s.io",
                "CSIDriver" | "CSINode" | "CSIStorageCapacity" | "VolumeAttachment"
            )
        )
}

/// Returns whether a deletion answers the deleted object.
pub(crate) fn returns_deleted(kind: &Kind) -> bool {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", name) => matches!(
            name,
            "Pod"
                | "PodTemplate"
                | "Service"
                | "ServiceAccount"
                | "Namespace"
                | "PersistentVolume"
                | "PersistentVolumeClaim"
                | "ResourceQuota"
        ),
        ("storage.k8s.io", name) => name != "CSIStorageCapacity",
        ("resource.k8s.io", _) => true,
        _ => false,
    }
}

/// Returns whether a value has empty maps or lists where the old one has none: they differ in Go until they are stored.
pub(crate) fn has_new_blanks(schema: &Value, old: &Value, new: &Value) -> bool {
    decode::has_new_blanks(schema, old, new)
}

/// Brings an object into the form in which the server writes it.
pub(crate) fn normalize(schema: &Value, object: &mut Value) {
    decode::normalize(schema, object);
}
