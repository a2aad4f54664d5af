//! The defaults of the core group.

use serde_json::{Map, Value, json};

use crate::{
    kinds::builtin::{
        fields::{copy_labels, get, inner, is_blank, or, or_nil},
        strategy::Fields,
    },
    values::object::{at, list, map, section, text},
};

/// Fills in the defaults of a type.
pub(super) fn set(name: &str, it: &mut Fields) {
    match name {
        "Pod" => pod(inner(it, "spec")),
        "PodSpec" => {
            let account = match get(it, "serviceAccountName") {
                "" => get(it, "serviceAccount").to_owned(),
                name => name.to_owned(),
            };
            it.insert("serviceAccountName".to_owned(), account.as_str().into());
            it.insert("serviceAccount".to_owned(), account.into());
            or(it, "dnsPolicy", "ClusterFirst");
            or(it, "restartPolicy", "Always");
            or_nil(it, "securityContext", json!({}));
            or_nil(it, "terminationGracePeriodSeconds", 30);
            or(it, "schedulerName", "default-scheduler");
        }
        "Container" | "EphemeralContainer" => {
            or(it, "imagePullPolicy", pull_policy(get(it, "image")));
            or(it, "terminationMessagePath", "/dev/termination-log");
            or(it, "terminationMessagePolicy", "File");
        }
        "Probe" => {
            or(it, "timeoutSeconds", 1);
            or(it, "periodSeconds", 10);
            or(it, "successThreshold", 1);
            or(it, "failureThreshold", 3);
        }
        "HTTPGetAction" => {
            or(it, "path", "/");
            or(it, "scheme", "HTTP");
        }
        "GRPCAction" => or_nil(it, "service", ""),
        "ObjectFieldSelector" => or(it, "apiVersion", "v1"),
        "Volume" => {
            if it
                .iter()
                .all(|(name, value)| name == "name" || value.is_null())
            {
                it.insert("emptyDir".to_owned(), json!({}));
            }
            if let Some(Value::Object(image)) = it.get_mut("image") {
                or(image, "pullPolicy", pull_policy(get(image, "reference")));
            }
        }
        "SecretVolumeSource"
        | "ConfigMapVolumeSource"
        | "DownwardAPIVolumeSource"
        | "ProjectedVolumeSource" => or_nil(it, "defaultMode", 420),
        "ServiceAccountTokenProjection" => or_nil(it, "expirationSeconds", 3600),
        "HostPathVolumeSource" => or_nil(it, "type", ""),
        "Service" => service(it),
        "Secret" => or(it, "type", "Opaque"),
        "PersistentVolume" => {
            or(inner(it, "status"), "phase", "Pending");
            or(inner(it, "spec"), "persistentVolumeReclaimPolicy", "Retain");
            or_nil(inner(it, "spec"), "volumeMode", "Filesystem");
        }
        "PersistentVolumeClaim" => or(inner(it, "status"), "phase", "Pending"),
        "PersistentVolumeClaimSpec" => or_nil(it, "volumeMode", "Filesystem"),
        "EndpointPort" => or(it, "protocol", "TCP"),
        "Namespace" => {
            let name = at(it.get("metadata").unwrap_or(&Value::Null), "/name").clone();
            if !is_blank(Some(&name)) {
                let labels = inner(inner(it, "metadata"), "labels");
                labels.insert("kubernetes.io/metadata.name".to_owned(), name);
            }
        }
        "NamespaceStatus" => or(it, "phase", "Active"),
        "NodeStatus" => {
            if let Some(capacity) = it.get("capacity").cloned() {
                or_nil(it, "allocatable", capacity);
            }
        }
        "ReplicationController" => {
            let labels = at(&Value::Object(it.clone()), "/spec/template/metadata/labels").clone();
            if labels.is_object() {
                let selector = inner(it, "spec")
                    .get("selector")
                    .cloned()
                    .unwrap_or_default();
                if selector.as_object().is_none_or(Map::is_empty) {
                    inner(it, "spec").insert("selector".to_owned(), labels.clone());
                }
                copy_labels(it, &labels);
            }
        }
        "LimitRangeItem" if get(it, "type") == "Container" => limits(it),
        _ => {}
    }
}

/// Returns the default pull policy of an image.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit('/').next().unwrap_or_default();
    let is_latest = match name.split_once(':') {
        _ if image.contains('@') => false,
        Some((_, tag)) => tag == "latest",
        None => true,
    };
    // An image that does not parse has no tag.
    let parses = !image.is_empty()
        && image
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-._/:@".contains(c))
        && !name
            .chars()
            .take_while(|c| *c != ':')
            .any(char::is_uppercase);
    if is_latest && parses {
        "Always"
    } else {
        "IfNotPresent"
    }
}

fn pod(spec: &mut Fields) {
    if let Some(Value::Number(period)) = spec.get("terminationGracePeriodSeconds")
        && period.as_i64().is_some_and(|it| it < 0)
    {
        spec.insert("terminationGracePeriodSeconds".to_owned(), 1.into());
    }
    for name in ["containers", "initContainers"] {
        let Some(Value::Array(containers)) = spec.get_mut(name) else {
            continue;
        };
        for container in containers {
            let Some(Value::Object(limits)) = container.pointer("/resources/limits").cloned()
            else {
                continue;
            };
            let requests = inner(section(container, "resources"), "requests");
            for (name, limit) in limits {
                requests.entry(name).or_insert(limit);
            }
        }
    }
    or_nil(spec, "enableServiceLinks", true);
    if spec.get("hostNetwork") == Some(&Value::Bool(true)) {
        host_ports(spec);
    }
}

/// With the network of the host, ports of containers are ports of the host.
fn host_ports(spec: &mut Fields) {
    for name in ["containers", "initContainers"] {
        let Some(Value::Array(containers)) = spec.get_mut(name) else {
            continue;
        };
        for port in containers
            .iter_mut()
            .filter_map(|it| it.get_mut("ports")?.as_array_mut())
            .flatten()
        {
            let number = at(port, "/containerPort").clone();
            or(map(port), "hostPort", number);
        }
    }
}

fn service(it: &mut Fields) {
    let whole = Value::Object(it.clone());
    let kind = match text(&whole, "/spec/type") {
        "" => "ClusterIP",
        kind => kind,
    };
    let spec = inner(it, "spec");
    or(spec, "sessionAffinity", "None");
    match get(spec, "sessionAffinity") {
        "None" => drop(spec.remove("sessionAffinityConfig")),
        "ClientIP"
            if at(
                &whole,
                "/spec/sessionAffinityConfig/clientIP/timeoutSeconds",
            )
            .is_null() =>
        {
            let config = json!({"clientIP": {"timeoutSeconds": 10800}});
            spec.insert("sessionAffinityConfig".to_owned(), config);
        }
        _ => {}
    }
    or(spec, "type", kind);
    for port in spec
        .get_mut("ports")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let number = at(port, "/port").clone();
        let port = map(port);
        or(port, "protocol", "TCP");
        or(port, "targetPort", number);
    }
    let is_external = matches!(kind, "NodePort" | "LoadBalancer")
        || kind == "ClusterIP" && !list(&whole, "/spec/externalIPs").is_empty();
    if is_external {
        or(spec, "externalTrafficPolicy", "Cluster");
    }
    if matches!(kind, "ClusterIP" | "NodePort" | "LoadBalancer") {
        or_nil(spec, "internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        or_nil(spec, "allocateLoadBalancerNodePorts", true);
        let ingress = inner(inner(it, "status"), "loadBalancer").get_mut("ingress");
        for address in ingress.and_then(Value::as_array_mut).into_iter().flatten() {
            if !text(address, "/ip").is_empty() {
                or_nil(map(address), "ipMode", "VIP");
            }
        }
    }
}

fn limits(it: &mut Fields) {
    for (from, to) in [
        ("max", "default"),
        ("default", "defaultRequest"),
        ("min", "defaultRequest"),
    ] {
        let Some(Value::Object(from)) = it.get(from).cloned() else {
            continue;
        };
        let to = inner(it, to);
        for (name, value) in from {
            to.entry(name).or_insert(value);
        }
    }
}
