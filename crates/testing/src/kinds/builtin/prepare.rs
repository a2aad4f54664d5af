//! What the server sets in built-in objects besides defaults: the strategies of its registries, and its admission plugins.

use kube_codegen_quantity::ParsedQuantity;
use serde_json::{Map, Value, json};

use crate::{
    kinds::{definition, kind::Kind},
    values::object::{self, at, copy, list, map, put, section, strings, text},
};

/// The counter of a removed version of the API.
const GENERATION: &str = "deprecated.daemonset.template.generation";

/// Sets what the server's conversion between versions sets.
pub(super) fn convert(object: &mut Value) {
    match (text(object, "/apiVersion"), text(object, "/kind")) {
        ("v1", "Secret") => secret(object),
        ("v1", "Node") => {
            let single = text(object, "/spec/podCIDR").to_owned();
            let first = text(object, "/spec/podCIDRs/0").to_owned();
            if !single.is_empty() && single != first {
                put(object, "/spec/podCIDRs", json!([single]));
            } else if !first.is_empty() {
                put(object, "/spec/podCIDR", first.into());
            }
        }
        ("apps/v1", "StatefulSet") => claim_templates(object),
        ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema")
            if at(object, "/spec/matchingPrecedence")
                .as_i64()
                .is_none_or(|it| it == 0) =>
        {
            put(object, "/spec/matchingPrecedence", 1000.into());
        }
        ("apiregistration.k8s.io/v1", "APIService")
            if at(object, "/spec/service").is_object()
                && at(object, "/spec/service/port").is_null() =>
        {
            put(object, "/spec/service/port", 443.into());
        }
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => definition::default(object),
        ("apps/v1", "DaemonSet") => {
            let annotations = at(object, "/metadata/annotations");
            let generation = annotations.get(GENERATION).and_then(Value::as_str);
            if generation.is_none_or(|it| it.parse::<i64>().is_err()) {
                annotate(object, GENERATION, "0");
            }
        }
        _ => {}
    }
}

fn annotate(object: &mut Value, name: &str, value: &str) {
    let annotations = section(object, "metadata").entry("annotations");
    let annotations = map(annotations.or_insert(Value::Null));
    annotations.insert(name.to_owned(), value.into());
}

/// Sets what the server decides.
pub(super) fn prepare(kind: &Kind, old: Option<&Value>, object: &mut Value, is_labelled: bool) {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Pod") => pod(old, object),
        ("", "Service") => service(old, object),
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
        ("apiregistration.k8s.io", _) if old.is_none() && at(object, "/spec/service").is_null() => {
            let local = json!({"type": "Available", "status": "True", "lastTransitionTime": object::now(), "reason": "Local", "message": "Local APIServices are always available"});
            put(object, "/status", json!({"conditions": [local]}));
        }
        ("batch", "Job") => job(old, object, is_labelled),
        ("apps", "DaemonSet") => {
            let generation = match old {
                None => 1,
                Some(old) => {
                    let before = at(old, "/metadata/annotations").get(GENERATION);
                    let before = before.and_then(Value::as_str).unwrap_or_default();
                    let is_new = at(old, "/spec/template") != at(object, "/spec/template");
                    before.parse::<i64>().unwrap_or_default() + i64::from(is_new)
                }
            };
            annotate(object, GENERATION, &generation.to_string());
        }
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
    match old {
        None => {
            let class = quality(at(object, "/spec"));
            let mut status = json!({"phase": "Pending", "qosClass": class});
            if !list(object, "/spec/schedulingGates").is_empty() {
                status["conditions"] = json!([{
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "SchedulingGated",
                    "message": "Scheduling is blocked due to non-empty scheduling gates",
                    "lastProbeTime": null,
                    "lastTransitionTime": object::now(),
                }]);
            }
            put(object, "/status", status);
        }
        Some(old) => {
            let spec = section(object, "spec");
            for name in ["priority", "preemptionPolicy"] {
                if let (None, Some(value)) = (spec.get(name), at(old, "/spec").get(name)) {
                    spec.insert(name.to_owned(), value.clone());
                }
            }
            if text(object, "/status/qosClass").is_empty() {
                copy(section(object, "status"), at(old, "/status"), "qosClass");
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
                let value = text.parse::<ParsedQuantity>().ok();
                value.filter(|it| *it != ParsedQuantity::ZERO)
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

fn job(old: Option<&Value>, object: &mut Value, is_labelled: bool) {
    if old.is_some() || at(object, "/spec/manualSelector") == true {
        return;
    }
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
    // By default, a Job has the labels of its template, also those that the server adds.
    if !is_labelled {
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

fn service(old: Option<&Value>, object: &mut Value) {
    let kind = text(object, "/spec/type").to_owned();
    if let Some(old) = old {
        if text(old, "/spec/type") == "LoadBalancer" && kind != "LoadBalancer" {
            section(object, "status").insert("loadBalancer".to_owned(), json!({}));
        }
        retype(at(old, "/spec"), section(object, "spec"));
    }
    if kind == "ExternalName" {
        return;
    }
    let spec = section(object, "spec");
    let is_dual = selects_nothing(spec);
    let policy = spec.entry("ipFamilyPolicy").or_insert_with(|| {
        json!(if is_dual {
            "RequireDualStack"
        } else {
            "SingleStack"
        })
    });
    let families = if policy == "RequireDualStack" {
        json!(["IPv4", "IPv6"])
    } else {
        json!(["IPv4"])
    };
    spec.entry("ipFamilies").or_insert(families);
    let address = spec.get("clusterIP").and_then(Value::as_str);
    if let Some(address) = address.filter(|it| !it.is_empty()) {
        let addresses = json!([address]);
        spec.entry("clusterIPs").or_insert(addresses);
    }
}

/// Returns whether a Service has neither an address nor a selector: it then has both families.
fn selects_nothing(spec: &Map<String, Value>) -> bool {
    let selector = spec.get("selector").and_then(Value::as_object);
    spec.get("clusterIP").is_some_and(|it| it == "None") && selector.is_none_or(Map::is_empty)
}

/// Drops what the former type needed and the new one does not, unless the client changed it, and keeps what was allocated.
fn retype(old: &Value, spec: &mut Map<String, Value>) {
    let kind = |spec: Option<&Value>| spec.and_then(Value::as_str).unwrap_or_default().to_owned();
    let (before, after) = (kind(old.get("type")), kind(spec.get("type")));
    let has_address = |kind: &str| kind != "ExternalName";
    let has_node_ports = |kind: &str| matches!(kind, "NodePort" | "LoadBalancer");
    let drop_same = |spec: &mut Map<String, Value>, name: &str| {
        if spec.get(name) == old.get(name) {
            spec.remove(name);
        }
    };
    if has_address(&before) && !has_address(&after) {
        for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            drop_same(spec, name);
        }
    }
    if has_address(&before) && has_address(&after) {
        for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            let is_unset = spec.get(name).is_none_or(|it| it.is_null() || it == "");
            let was_headless = old.get("clusterIP").is_some_and(|it| it == "None");
            if name.starts_with("ip") && selects_nothing(spec) && !was_headless {
                continue;
            }
            if let (true, Some(value)) = (is_unset, old.get(name)) {
                spec.insert(name.to_owned(), value.clone());
            }
        }
    }
    if has_node_ports(&before) && !has_node_ports(&after) {
        let numbers = |ports: Option<&Value>| -> Vec<Value> {
            let ports = ports.and_then(Value::as_array).into_iter().flatten();
            ports.map(|it| at(it, "/nodePort").clone()).collect()
        };
        if numbers(old.get("ports")) == numbers(spec.get("ports")) {
            let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
            for port in ports.into_iter().flatten() {
                map(port).remove("nodePort");
            }
        }
        drop_same(spec, "externalTrafficPolicy");
    }
    if before == "LoadBalancer" && after != "LoadBalancer" {
        drop_same(spec, "allocateLoadBalancerNodePorts");
        drop_same(spec, "loadBalancerClass");
    }
}
