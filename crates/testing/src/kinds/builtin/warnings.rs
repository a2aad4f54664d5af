//! What the server warns of when it accepts an object (`WarningsOnCreate` and `WarningsOnUpdate` of the strategies): fields that do
//! nothing, that have better names by now, or that hide each other.

use std::collections::BTreeSet;

use k8s_openapi::ByteString;
use kube_codegen_formats::names;
use serde_json::Value;

use super::{Strategy, quantity};
use crate::values::object::{self, at, list, map, text};

/// Labels of nodes that have been renamed: their release, and the new name.
const LABELS: &[(&str, &str, &str)] = &[
    ("beta.kubernetes.io/arch", "v1.14", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "v1.14", "kubernetes.io/os"),
    (
        "beta.kubernetes.io/instance-type",
        "v1.17",
        "node.kubernetes.io/instance-type",
    ),
    (
        "failure-domain.beta.kubernetes.io/region",
        "v1.17",
        "topology.kubernetes.io/region",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "v1.17",
        "topology.kubernetes.io/zone",
    ),
];

/// Volumes whose drivers have been removed: the field, how the server spells it, and since when.
const VOLUMES: &[(&str, &str, &str)] = &[
    (
        "gitRepo",
        "gitRepo",
        "deprecated in v1.11, and disabled by default in v1.33+",
    ),
    (
        "scaleIO",
        "scaleIO",
        "deprecated in v1.16, non-functional in v1.22+",
    ),
    (
        "flocker",
        "flocker",
        "deprecated in v1.22, non-functional in v1.25+",
    ),
    (
        "storageos",
        "storageOS",
        "deprecated in v1.22, non-functional in v1.25+",
    ),
    (
        "quobyte",
        "quobyte",
        "deprecated in v1.22, non-functional in v1.25+",
    ),
    (
        "glusterfs",
        "glusterfs",
        "deprecated in v1.25, non-functional in v1.26+",
    ),
    (
        "cephfs",
        "cephfs",
        "deprecated in v1.28, non-functional in v1.31+",
    ),
    (
        "rbd",
        "rbd",
        "deprecated in v1.28, non-functional in v1.31+",
    ),
];

/// Annotations of Pods that have become fields; a slash at the end takes the name of a container.
const ANNOTATIONS: &[(&str, &str, &str)] = &[
    (
        "container.apparmor.security.beta.kubernetes.io/",
        "deprecated since v1.30",
        "appArmorProfile",
    ),
    (
        "container.seccomp.security.alpha.kubernetes.io/",
        "non-functional in v1.27+",
        "seccompProfile",
    ),
    (
        "seccomp.security.alpha.kubernetes.io/pod",
        "non-functional in v1.27+",
        "seccompProfile",
    ),
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+",
        "priorityClassName",
    ),
    (
        "security.alpha.kubernetes.io/sysctls",
        "non-functional in v1.11+",
        "sysctls",
    ),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+",
        "sysctls",
    ),
];

/// Returns the warnings about a new Pod: nobody changes Pods by hand.
pub(super) fn pod(old: Option<&Value>, pod: &Value) -> Vec<String> {
    let mut out = Vec::new();
    if old.is_none() {
        name(&mut out, pod, "the Pod's hostname");
        template(&mut out, "", pod);
    }
    out
}

/// Returns the warnings about a kind that runs Pods.
pub(super) fn workload(strategy: &Strategy, old: Option<&Value>, object: &Value) -> Vec<String> {
    let (kind, pointer) = (strategy.kind, strategy.template.unwrap_or_default());
    let mut out = Vec::new();
    if old.is_none() && kind != "DaemonSet" {
        name(&mut out, object, "Pod names and hostnames");
    }
    if old.is_some_and(|old| at(old, "/spec") == at(object, "/spec")) {
        return out;
    }
    let spec = at(object, pointer.trim_end_matches("/template"));
    many_indexes(&mut out, kind, spec);
    let path = format!("{}.", dotted(pointer));
    template(&mut out, &path, at(object, pointer));
    let claims = list(object, "/spec/volumeClaimTemplates").iter();
    for (index, claim) in claims.enumerate() {
        claimed(
            &mut out,
            &format!("spec.volumeClaimTemplates[{index}]."),
            claim,
        );
    }
    out
}

pub(super) fn claim(claim: &Value) -> Vec<String> {
    let mut out = Vec::new();
    claimed(&mut out, "", claim);
    out
}

pub(super) fn volume(volume: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let affinity = at(volume, "/spec/nodeAffinity/required");
    terms(&mut out, "spec.nodeAffinity.required", affinity);
    if text(volume, "/spec/persistentVolumeReclaimPolicy") == "Recycle" {
        out.push("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.".to_owned());
    }
    out
}

pub(super) fn storage_class(class: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for (index, topology) in list(class, "/allowedTopologies").iter().enumerate() {
        for (number, term) in list(topology, "/matchLabelExpressions").iter().enumerate() {
            if let Some(why) = renamed(text(term, "/key")) {
                out.push(format!(
                    "allowedTopologies[{index}].matchLabelExpressions[{number}].key: {why}"
                ));
            }
        }
    }
    out
}

pub(super) fn runtime_class(class: &Value) -> Vec<String> {
    let labels = at(class, "/scheduling/nodeSelector").as_object();
    let found = labels.into_iter().flatten();
    let found = found.filter_map(|(key, _)| renamed(key));
    found
        .map(|why| format!("scheduling.nodeSelector: {why}"))
        .collect()
}

fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

/// Returns what a renamed label of nodes is called by now.
fn renamed(label: &str) -> Option<String> {
    let (_, since, new) = LABELS.iter().find(|(old, ..)| *old == label)?;
    Some(format!("deprecated since {since}; use {new:?} instead"))
}

/// Warns of names that become those of Pods and are not labels.
fn name(out: &mut Vec<String>, object: &Value, used: &str) {
    let flaws = names::dns_1123_label(object::name(object));
    if !flaws.is_empty() {
        let flaws = flaws.join(" ");
        out.push(format!("metadata.name: this is used in {used}, which can result in surprising behavior; a DNS label is recommended: [{flaws}]"));
    }
}

fn many_indexes(out: &mut Vec<String>, workload: &str, spec: &Value) {
    let number = |pointer: &str| at(spec, pointer).as_i64().unwrap_or_default();
    let is_big = number("/completions") > 100_000 && number("/parallelism") > 10_000;
    if workload == "Job" && text(spec, "/completionMode") == "Indexed" && is_big {
        out.push("spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail".to_owned());
    }
}

/// Warns of a Pod or of a template at a path, which ends with a dot.
fn template(out: &mut Vec<String>, path: &str, pod: &Value) {
    let annotations = at(pod, "/metadata/annotations").as_object();
    for key in annotations.into_iter().flat_map(serde_json::Map::keys) {
        let mut known = ANNOTATIONS.iter();
        let of = |known: &str| key == known || known.ends_with('/') && key.starts_with(known);
        if let Some((_, since, field)) = known.find(|(known, ..)| of(known)) {
            out.push(format!(
                "{path}metadata.annotations[{key}]: {since}; use the {field:?} field instead"
            ));
        }
    }
    let (path, spec) = (&format!("{path}spec"), at(pod, "/spec"));
    let selector = at(spec, "/nodeSelector").as_object();
    for (key, why) in selector
        .into_iter()
        .flatten()
        .filter_map(|(key, _)| Some((key, renamed(key)?)))
    {
        out.push(format!("{path}.nodeSelector[{key}]: {why}"));
    }
    affinity(out, path, spec);
    duplicates(out, path, spec);
    for (index, volume) in list(spec, "/volumes").iter().enumerate() {
        let found = VOLUMES
            .iter()
            .filter(|(field, ..)| volume.get(field).is_some());
        out.extend(found.map(|(_, shown, why)| format!("{path}.volumes[{index}].{shown}: {why}")));
        overlaps(out, volume);
    }
    fractions(out, &format!("{path}.overhead"), at(spec, "/overhead"));
    let mut ports = Vec::new();
    for (index, container) in list(spec, "/containers").iter().enumerate() {
        self::container(
            out,
            &format!("{path}.containers[{index}]"),
            container,
            &mut ports,
        );
    }
    for (index, container) in list(spec, "/initContainers").iter().enumerate() {
        let path = format!("{path}.initContainers[{index}]");
        self::container(out, &path, container, &mut Vec::new());
    }
}

fn affinity(out: &mut Vec<String>, path: &str, spec: &Value) {
    let node = at(spec, "/affinity/nodeAffinity");
    let nodes = format!("{path}.affinity.nodeAffinity");
    let (required, preferred) = (
        "requiredDuringSchedulingIgnoredDuringExecution",
        "preferredDuringSchedulingIgnoredDuringExecution",
    );
    terms(
        out,
        &format!("{nodes}.{required}"),
        at(node, &format!("/{required}")),
    );
    for (index, term) in list(node, &format!("/{preferred}")).iter().enumerate() {
        let path = format!("{nodes}.{preferred}[{index}].preference");
        expressions(out, &path, at(term, "/preference"));
    }
    for (index, spread) in list(spec, "/topologySpreadConstraints").iter().enumerate() {
        let path = format!("{path}.topologySpreadConstraints[{index}]");
        let key = text(spread, "/topologyKey");
        if let Some(why) = renamed(key) {
            out.push(format!("{path}.topologyKey: {key} is {why}"));
        }
        null_selector(out, &path, spread);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let of_kind = at(spec, &format!("/affinity/{kind}"));
        let path = format!("{path}.affinity.{kind}");
        for (index, term) in list(of_kind, &format!("/{required}")).iter().enumerate() {
            null_selector(out, &format!("{path}.{required}[{index}]"), term);
        }
        for (index, term) in list(of_kind, &format!("/{preferred}")).iter().enumerate() {
            let path = format!("{path}.{preferred}[{index}].podAffinityTerm");
            null_selector(out, &path, at(term, "/podAffinityTerm"));
        }
    }
}

fn terms(out: &mut Vec<String>, path: &str, selector: &Value) {
    for (index, term) in list(selector, "/nodeSelectorTerms").iter().enumerate() {
        expressions(out, &format!("{path}.nodeSelectorTerms[{index}]"), term);
    }
}

fn expressions(out: &mut Vec<String>, path: &str, term: &Value) {
    for (index, expression) in list(term, "/matchExpressions").iter().enumerate() {
        let key = text(expression, "/key");
        if let Some(why) = renamed(key) {
            out.push(format!(
                "{path}.matchExpressions[{index}].key: {key} is {why}"
            ));
        }
    }
}

fn null_selector(out: &mut Vec<String>, path: &str, term: &Value) {
    if at(term, "/labelSelector").is_null() {
        out.push(format!(
            "{path}.labelSelector: a null labelSelector results in matching no pod"
        ));
    }
}

fn duplicates(out: &mut Vec<String>, path: &str, spec: &Value) {
    let mut seen = BTreeSet::new();
    for (index, alias) in list(spec, "/hostAliases").iter().enumerate() {
        let ip = text(alias, "/ip");
        if !seen.insert(ip) {
            out.push(format!(
                "{path}.hostAliases[{index}].ip: duplicate ip {ip:?}"
            ));
        }
    }
    let mut seen = BTreeSet::new();
    for (index, secret) in list(spec, "/imagePullSecrets").iter().enumerate() {
        let name = text(secret, "/name");
        let path = format!("{path}.imagePullSecrets[{index}].name");
        if name.is_empty() {
            out.push(format!("{path}: invalid empty name \"\""));
        } else if !seen.insert(name) {
            out.push(format!("{path}: duplicate name {name:?}"));
        }
    }
}

/// Warns of files of a volume that replace each other.
fn overlaps(out: &mut Vec<String>, volume: &Value) {
    for (field, shown, name) in [
        ("configMap", "ConfigMap", "name"),
        ("secret", "Secret", "secretName"),
        ("downwardAPI", "DownwardAPI", ""),
    ] {
        let source = at(volume, &format!("/{field}"));
        let shown = match text(source, &format!("/{name}")) {
            "" => shown.to_owned(),
            name => format!("{shown} {name:?}"),
        };
        let mut seen: Vec<&str> = Vec::new();
        for item in list(source, "/items") {
            let path = text(item, "/path");
            let is_in = |one: &str, other: &str| {
                one == other
                    || one
                        .strip_prefix(other)
                        .is_some_and(|rest| rest.starts_with('/'))
            };
            if let Some(other) = seen
                .iter()
                .find(|other| is_in(path, other) || is_in(other, path))
            {
                let volume = text(volume, "/name");
                out.push(format!(
                    "volume {volume:?} ({shown}): overlapping paths: {path:?} with {other:?}"
                ));
            }
            seen.push(path);
        }
    }
}

fn container(
    out: &mut Vec<String>,
    path: &str,
    container: &Value,
    ports: &mut Vec<(Value, String)>,
) {
    for field in ["limits", "requests"] {
        let amounts = at(container, &format!("/resources/{field}"));
        fractions(out, &format!("{path}.resources.{field}"), amounts);
    }
    let mut seen = BTreeSet::new();
    for (index, variable) in list(container, "/env").iter().enumerate() {
        let name = text(variable, "/name");
        let refers = text(variable, "/value").contains(&format!("$({name})"));
        if !seen.insert(name) && !refers {
            out.push(format!("{path}.env[{index}]: hides previous definition of {name:?}, which may be dropped when using apply"));
        }
    }
    for (index, port) in list(container, "/ports").iter().enumerate() {
        let mut number = port.clone();
        map(&mut number).remove("name");
        let path = format!("{path}.ports[{index}]");
        match ports.iter().find(|(other, _)| *other == number) {
            Some((_, first)) => out.push(format!("{path}: duplicate port definition with {first}")),
            None => ports.push((number, path)),
        }
    }
}

/// Warns of bytes that are not whole.
fn fractions(out: &mut Vec<String>, path: &str, amounts: &Value) {
    for (name, amount) in amounts.as_object().into_iter().flatten() {
        let is_bytes = matches!(name.as_str(), "memory" | "storage" | "ephemeral-storage")
            || name.starts_with("hugepages-");
        let is_whole = quantity(amount).is_none_or(|it| it.nanos() % 1_000_000_000 == 0);
        if is_bytes && !is_whole {
            out.push(format!(
                "{path}[{name}]: fractional byte value {amount} is invalid, must be an integer"
            ));
        }
    }
}

fn claimed(out: &mut Vec<String>, path: &str, claim: &Value) {
    let class = "volume.beta.kubernetes.io/storage-class";
    if at(claim, "/metadata/annotations").get(class).is_some() {
        out.push(format!("{path}metadata.annotations[{class}]: deprecated since v1.8; use \"storageClassName\" attribute instead"));
    }
    for field in ["limits", "requests"] {
        let amounts = at(claim, &format!("/spec/resources/{field}"));
        fractions(out, &format!("{path}spec.resources.{field}"), amounts);
    }
}

pub(super) fn secret(secret: &Value) -> Vec<String> {
    if text(secret, "/type") != "kubernetes.io/tls" {
        return Vec::new();
    }
    for (field, shown, block) in [
        ("tls.crt", "certificate", "CERTIFICATE-----"),
        ("tls.key", "key", "PRIVATE KEY-----"),
    ] {
        let data = at(secret, "/data").get(field).cloned().unwrap_or_default();
        let pem = serde_json::from_value::<ByteString>(data).unwrap_or_default();
        if !String::from_utf8_lossy(&pem.0).contains(block) {
            return vec![format!("tls: failed to find any PEM data in {shown} input")];
        }
    }
    Vec::new()
}

pub(super) fn service(service: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let hints = "service.kubernetes.io/topology-aware-hints";
    if at(service, "/metadata/annotations").get(hints).is_some() {
        out.push(format!("annotation {hints} is deprecated, please use service.kubernetes.io/topology-mode instead"));
    }
    if text(service, "/spec/clusterIP") == "None"
        && text(service, "/spec/sessionAffinity") == "ClientIP"
    {
        out.push("spec.SessionAffinity is ignored for headless services".to_owned());
    }
    if text(service, "/spec/type") != "ExternalName"
        && !text(service, "/spec/externalName").is_empty()
    {
        out.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if text(service, "/spec/trafficDistribution") == "PreferClose" {
        out.push(
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""
                .to_owned(),
        );
    }
    out
}
