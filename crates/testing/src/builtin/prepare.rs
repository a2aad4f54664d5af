//! What the server sets in built-in objects besides defaults: the strategies of its registries, and its admission plugins.

use serde_json::{Value, json};

use super::quantity::Quantity;
use crate::{
    kind::Kind,
    object::{self, at, copy, list, map, put, section, strings, text},
};

/// Sets what the server decides.
pub(super) fn prepare(kind: &Kind, old: Option<&Value>, object: &mut Value) {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Pod") => pod(old, object),
        ("", "Secret") => secret(object),
        ("", "Service") => service(object),
        ("", "Namespace") => namespace(old, object),
        ("", "Node") if old.is_none() => {
            // The admission plugin TaintNodesByCondition.
            let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
            let taints = section(object, "spec")
                .entry("taints")
                .or_insert(Value::Null);
            match taints {
                Value::Array(taints) if taints.contains(&taint) => {}
                Value::Array(taints) => taints.push(taint),
                other => *other = json!([taint]),
            }
        }
        ("", "PersistentVolumeClaim") if old.is_none() => {
            finalizer(object, "kubernetes.io/pvc-protection");
        }
        ("", "PersistentVolume") if old.is_none() => {
            finalizer(object, "kubernetes.io/pv-protection");
        }
        ("", "PersistentVolumeClaim") => {
            // A client that does not know the class keeps it.
            if let Some(old) = old
                && at(object, "/spec/dataSourceRef").is_null()
                && !at(old, "/spec/dataSourceRef").is_null()
                && at(object, "/spec/dataSource") == at(old, "/spec/dataSource")
            {
                copy(section(object, "spec"), at(old, "/spec"), "dataSourceRef");
            }
        }
        ("batch", "Job") => job(old, object),
        ("apps", "DaemonSet") => {
            // The counter of a removed version of the API.
            let annotation = "deprecated.daemonset.template.generation";
            let generation = match old {
                None => 1,
                Some(old) => {
                    let before = text(old, &format!("/metadata/annotations/{annotation}"));
                    let is_new = at(old, "/spec/template") != at(object, "/spec/template");
                    before.parse::<i64>().unwrap_or_default() + i64::from(is_new)
                }
            };
            let annotations = section(object, "metadata").entry("annotations");
            let annotations = map(annotations.or_insert(Value::Null));
            annotations.insert(annotation.to_owned(), generation.to_string().into());
        }
        ("apps", "StatefulSet") => claim_templates(object),
        _ => {}
    }
}

fn finalizer(object: &mut Value, name: &str) {
    let mut finalizers = strings(object, "/metadata/finalizers");
    if !finalizers.iter().any(|it| it == name) {
        finalizers.push(name.to_owned());
    }
    put(object, "/metadata/finalizers", json!(finalizers));
}

fn secret(object: &mut Value) {
    let Some(Value::Object(plain)) = map(object).remove("stringData") else {
        return;
    };
    let data = section(object, "data");
    for (name, value) in plain {
        let bytes = value.as_str().unwrap_or_default().as_bytes().to_vec();
        data.insert(name, json!(k8s_openapi::ByteString(bytes)));
    }
}

fn namespace(old: Option<&Value>, object: &mut Value) {
    match old {
        None => {
            let mut finalizers = strings(object, "/spec/finalizers");
            if !finalizers.iter().any(|it| it == "kubernetes") {
                finalizers.push("kubernetes".to_owned());
            }
            put(object, "/spec/finalizers", json!(finalizers));
            put(object, "/status", json!({"phase": "Active"}));
        }
        Some(old) => copy(section(object, "spec"), at(old, "/spec"), "finalizers"),
    }
    let name = object::name(object).to_owned();
    let labels = section(object, "metadata").entry("labels");
    map(labels.or_insert(Value::Null))
        .insert("kubernetes.io/metadata.name".to_owned(), name.into());
}

fn pod(old: Option<&Value>, object: &mut Value) {
    if old.is_some() {
        return;
    }
    let class = quality(at(object, "/spec"));
    put(
        object,
        "/status",
        json!({"phase": "Pending", "qosClass": class}),
    );
    let spec = section(object, "spec");
    // The admission plugins Priority and DefaultTolerationSeconds.
    spec.entry("priority").or_insert(json!(0));
    spec.entry("preemptionPolicy")
        .or_insert(json!("PreemptLowerPriority"));
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    if let Some(tolerations) = tolerations.as_array_mut() {
        for key in [
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
        ] {
            let tolerates = |it: &Value| {
                let is_key = matches!(text(it, "/key"), "") || text(it, "/key") == key;
                is_key && matches!(text(it, "/effect"), "" | "NoExecute")
            };
            if !tolerations.iter().any(tolerates) {
                tolerations.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
            }
        }
    }
}

/// Returns the class of quality of service.
fn quality(spec: &Value) -> &'static str {
    let containers = list(spec, "/containers")
        .iter()
        .chain(list(spec, "/initContainers"));
    let (mut is_guaranteed, mut has_any) = (true, false);
    for container in containers {
        for name in ["cpu", "memory"] {
            let value = |part: &str| {
                let text = text(container, &format!("/resources/{part}/{name}"));
                Quantity::parse(text)
                    .ok()
                    .map(|it| it.nano())
                    .filter(|it| *it != 0)
            };
            let (request, limit) = (value("requests"), value("limits"));
            has_any |= request.is_some() || limit.is_some();
            is_guaranteed &= limit.is_some() && request == limit;
        }
    }
    match (has_any, is_guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

fn job(old: Option<&Value>, object: &mut Value) {
    if old.is_some() || at(object, "/spec/manualSelector") == true {
        return;
    }
    // By default, a Job has the labels of its template, and the server changes both.
    let own = at(object, "/metadata/labels");
    let is_shared = own.is_object() && own == at(object, "/spec/template/metadata/labels");
    let (name, uid) = (
        object::name(object).to_owned(),
        object::uid(object).to_owned(),
    );
    let spec = section(object, "spec");
    let template = spec.entry("template").or_insert(Value::Null);
    let labels = map(section(template, "metadata")
        .entry("labels")
        .or_insert(Value::Null));
    for key in ["job-name", "batch.kubernetes.io/job-name"] {
        labels.entry(key).or_insert_with(|| name.as_str().into());
    }
    for key in ["controller-uid", "batch.kubernetes.io/controller-uid"] {
        labels.entry(key).or_insert_with(|| uid.as_str().into());
    }
    let shared = Value::Object(labels.clone());
    let selector = spec.entry("selector").or_insert(Value::Null);
    section(selector, "matchLabels")
        .entry("batch.kubernetes.io/controller-uid")
        .or_insert_with(|| uid.into());
    if is_shared {
        put(object, "/metadata/labels", shared);
    }
}

/// Claims in a `StatefulSet` name their type.
fn claim_templates(object: &mut Value) {
    let claims = object.pointer_mut("/spec/volumeClaimTemplates");
    for claim in claims.and_then(Value::as_array_mut).into_iter().flatten() {
        put(claim, "/apiVersion", "v1".into());
        put(claim, "/kind", "PersistentVolumeClaim".into());
        put(claim, "/status", json!({"phase": "Pending"}));
    }
}

fn service(object: &mut Value) {
    let kind = text(object, "/spec/type").to_owned();
    if kind == "ExternalName" {
        return;
    }
    let spec = section(object, "spec");
    spec.entry("ipFamilies").or_insert_with(|| json!(["IPv4"]));
    spec.entry("ipFamilyPolicy")
        .or_insert_with(|| json!("SingleStack"));
    if let Some(address) = spec
        .get("clusterIP")
        .filter(|it| it.as_str().is_some_and(|it| !it.is_empty()))
    {
        let addresses = json!([address]);
        spec.entry("clusterIPs").or_insert(addresses);
    }
}
