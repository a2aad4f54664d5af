//! Validates Pods and templates of Pods.

use std::collections::BTreeSet;

use kube_codegen_formats::names;
use serde_json::{Map, Value, json};

use super::{Causes, container, volume};
use crate::values::object::{self, at, list, text};

pub(crate) fn validate(it: &mut Causes, subresource: &str, old: Option<&Value>, pod: &Value) {
    spec(it, "spec", at(pod, "/spec"));
    let is_gated = !list(pod, "/spec/schedulingGates").is_empty();
    if old.is_none() && is_gated && !text(pod, "/spec/nodeName").is_empty() {
        let why = "cannot be set until all schedulingGates have been cleared";
        it.forbidden("spec.nodeName", why);
    }
    let added = list(pod, "/spec/ephemeralContainers");
    match old {
        None if !added.is_empty() => {
            it.forbidden("spec.ephemeralContainers", "cannot be set on create");
        }
        None => {}
        Some(old) if subresource == "ephemeralcontainers" => {
            for old in list(old, "/spec/ephemeralContainers") {
                let name = text(old, "/name");
                let why = match added.iter().find(|it| text(it, "/name") == name) {
                    None => "removed",
                    Some(new) if new != old => "changed",
                    Some(_) => continue,
                };
                let why = format!("existing ephemeral containers {name:?} may not be {why}\n");
                it.forbidden("spec.ephemeralContainers", &why);
            }
        }
        Some(old) => update(it, at(old, "/spec"), at(pod, "/spec")),
    }
}

/// Validates the containers that are added to a Pod.
fn ephemeral_containers<'a>(
    it: &mut Causes,
    path: &str,
    spec: &'a Value,
    volumes: &BTreeSet<&str>,
    names: &mut BTreeSet<&'a str>,
) {
    const REJECTED: [&str; 6] = [
        "ports",
        "resources",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "lifecycle",
    ];
    let others = names.clone();
    for (index, container) in list(spec, "/ephemeralContainers").iter().enumerate() {
        let path = format!("{path}.ephemeralContainers[{index}]");
        container::container(it, &path, container, volumes);
        if !names.insert(text(container, "/name")) {
            it.duplicate(format!("{path}.name"), at(container, "/name"));
        }
        let target = text(container, "/targetContainerName");
        if !target.is_empty() && !others.contains(target) {
            let path = format!("{path}.targetContainerName");
            it.not_found(path, at(container, "/targetContainerName"));
        }
        for field in REJECTED {
            let value = at(container, &format!("/{field}"));
            if !value.is_null() && *value != json!({}) {
                let path = format!("{path}.{field}");
                it.forbidden(path, "cannot be set for an Ephemeral Container");
            }
        }
    }
}

/// Validates the changes of a Pod: few fields may change.
fn update(it: &mut Causes, old: &Value, new: &Value) {
    for (name, path) in [
        ("containers", "spec.containers"),
        ("initContainers", "spec.initContainers"),
    ] {
        let (before, after) = (
            list(old, &format!("/{name}")),
            list(new, &format!("/{name}")),
        );
        if before.len() != after.len() {
            it.forbidden(path, "pod updates may not add or remove containers");
            return;
        }
    }
    let deadline = |spec: &Value| at(spec, "/activeDeadlineSeconds").as_i64();
    match (deadline(old), deadline(new)) {
        (_, Some(new)) if !(0..=i64::from(i32::MAX)).contains(&new) => {
            it.invalid(
                "spec.activeDeadlineSeconds",
                new,
                "must be between 0 and 2147483647, inclusive",
            );
            return;
        }
        (Some(old), Some(new)) if old < new => {
            it.invalid(
                "spec.activeDeadlineSeconds",
                new,
                "must be less than or equal to previous value",
            );
            return;
        }
        (Some(_), None) => {
            it.invalid(
                "spec.activeDeadlineSeconds",
                "null",
                "must not update from a positive integer to nil value",
            );
        }
        _ => {}
    }
    let without_tolerance = |toleration: &Value| {
        let mut toleration = toleration.clone();
        toleration
            .as_object_mut()
            .map(|it| it.remove("tolerationSeconds"));
        toleration
    };
    let after: Vec<Value> = list(new, "/tolerations")
        .iter()
        .map(without_tolerance)
        .collect();
    let is_kept = |it: &Value| after.contains(&without_tolerance(it));
    if !list(old, "/tolerations").iter().all(is_kept) {
        it.forbidden(
            "spec.tolerations",
            "existing toleration can not be modified except its tolerationSeconds",
        );
    }
    let gates = list(old, "/schedulingGates");
    for (index, gate) in list(new, "/schedulingGates").iter().enumerate() {
        if !gates.contains(gate) {
            let name = text(gate, "/name");
            let why = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            it.forbidden(format!("spec.schedulingGates[{index}].name"), &why);
        }
    }
    let mut munged = new.clone();
    if !gates.is_empty() {
        gated(it, old, &mut munged);
    }
    for name in ["containers", "initContainers"] {
        let before = list(old, &format!("/{name}"));
        let after = munged.get_mut(name).and_then(Value::as_array_mut);
        for (container, old) in after.into_iter().flatten().zip(before) {
            container["image"] = at(old, "/image").clone();
        }
    }
    for name in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
        object::copy(object::map(&mut munged), old, name);
    }
    if munged != *old {
        it.forbidden("spec", "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n");
    }
}

/// Validates what may change in a Pod with scheduling gates: on which nodes it may run may be restricted further. Resets that in the new state.
fn gated(it: &mut Causes, old: &Value, new: &mut Value) {
    let selector = at(new, "/nodeSelector");
    let before = at(old, "/nodeSelector").as_object();
    let is_kept = |(key, value): (&String, &Value)| selector.get(key) == Some(value);
    if !before.into_iter().flatten().all(is_kept) {
        let why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        it.invalid("spec.nodeSelector", selector, why);
    }
    let terms =
        "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
    let path = terms.trim_start_matches('/').replace('/', ".");
    let (before, after) = (list(old, terms), list(new, terms));
    if !before.is_empty() && before.len() != after.len() {
        let why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        it.invalid(format!("spec.{path}"), at(new, terms), why);
    } else {
        for (index, (before, after)) in before.iter().zip(after).enumerate() {
            let adds = |field: &str| {
                let (before, after) = (list(before, field), list(after, field));
                after.starts_with(before)
            };
            if !adds("/matchExpressions") || !adds("/matchFields") {
                let why = "only additions are allowed (no mutations or deletions)";
                it.invalid(format!("spec.{path}[{index}]"), after, why);
            }
        }
    }
    let spec = object::map(new);
    object::copy(spec, old, "nodeSelector");
    let mut affinity = spec.remove("affinity").unwrap_or_default();
    object::copy(
        object::map(&mut affinity),
        at(old, "/affinity"),
        "nodeAffinity",
    );
    let is_blank = affinity.as_object().is_some_and(Map::is_empty);
    if !is_blank || !at(old, "/affinity").is_null() {
        spec.insert("affinity".to_owned(), affinity);
    }
}

/// Validates a template of Pods.
pub(super) fn template(it: &mut Causes, path: &str, template: &Value) {
    it.labels(&format!("{path}.labels"), at(template, "/metadata/labels"));
    spec(it, &format!("{path}.spec"), at(template, "/spec"));
}

pub(super) fn spec(it: &mut Causes, path: &str, spec: &Value) {
    let volumes = volume::volumes(it, &format!("{path}.volumes"), list(spec, "/volumes"));
    let containers = list(spec, "/containers");
    if containers.is_empty() {
        it.required(format!("{path}.containers"), "");
    }
    let mut names = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        let path = format!("{path}.containers[{index}]");
        container::container(it, &path, container, &volumes);
        if !names.insert(text(container, "/name")) {
            it.duplicate(format!("{path}.name"), at(container, "/name"));
        }
        for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
            container::probe(
                it,
                &format!("{path}.{name}"),
                at(container, &format!("/{name}")),
                name,
            );
        }
        container::lifecycle(it, &path, container);
    }
    container::host_ports(it, &format!("{path}.containers"), containers);
    for (index, container) in list(spec, "/initContainers").iter().enumerate() {
        let path = format!("{path}.initContainers[{index}]");
        container::container(it, &path, container, &volumes);
        if !names.insert(text(container, "/name")) {
            it.duplicate(format!("{path}.name"), at(container, "/name"));
        }
        let is_sidecar = text(container, "/restartPolicy") == "Always";
        for name in [
            "lifecycle",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
        ] {
            if !is_sidecar && at(container, &format!("/{name}")).is_object() {
                it.forbidden(
                    format!("{path}.{name}"),
                    "may not be set for init containers without restartPolicy=Always",
                );
            }
        }
    }
    ephemeral_containers(it, path, spec, &volumes, &mut names);
    it.one_of(
        format!("{path}.restartPolicy"),
        at(spec, "/restartPolicy"),
        &["Always", "OnFailure", "Never"],
    );
    it.one_of(
        format!("{path}.dnsPolicy"),
        at(spec, "/dnsPolicy"),
        &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
    );
    it.labels(&format!("{path}.nodeSelector"), at(spec, "/nodeSelector"));
    if at(spec, "/hostPID") == true && at(spec, "/shareProcessNamespace") == true {
        let why = "ShareProcessNamespace and HostPID cannot both be enabled";
        it.invalid(format!("{path}.shareProcessNamespace"), true, why);
    }
    for (name, form) in [
        ("serviceAccountName", false),
        ("nodeName", false),
        ("hostname", true),
        ("subdomain", true),
        ("priorityClassName", false),
    ] {
        let value = at(spec, &format!("/{name}"));
        if value.as_str().is_some_and(|it| !it.is_empty()) {
            if form {
                it.label(&format!("{path}.{name}"), value);
            } else {
                it.subdomain(&format!("{path}.{name}"), value);
            }
        }
    }
    affinity(it, &format!("{path}.affinity"), at(spec, "/affinity"));
    let deadline = at(spec, "/activeDeadlineSeconds");
    if deadline
        .as_i64()
        .is_some_and(|it| !(1..=i64::from(i32::MAX)).contains(&it))
    {
        it.invalid(
            format!("{path}.activeDeadlineSeconds"),
            deadline,
            "must be between 1 and 2147483647, inclusive",
        );
    }
    for (index, constraint) in list(spec, "/topologySpreadConstraints").iter().enumerate() {
        spread(
            it,
            &format!("{path}.topologySpreadConstraints[{index}]"),
            constraint,
        );
    }
    for (index, toleration) in list(spec, "/tolerations").iter().enumerate() {
        self::toleration(it, &format!("{path}.tolerations[{index}]"), toleration);
    }
}

fn affinity(it: &mut Causes, path: &str, affinity: &Value) {
    for kind in ["podAffinity", "podAntiAffinity"] {
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        for (index, term) in list(affinity, &format!("/{kind}/{required}"))
            .iter()
            .enumerate()
        {
            affinity_term(it, &format!("{path}.{kind}.{required}[{index}]"), term);
        }
        for (index, weighted) in list(affinity, &format!("/{kind}/{preferred}"))
            .iter()
            .enumerate()
        {
            let path = format!("{path}.{kind}.{preferred}[{index}]");
            let weight = at(weighted, "/weight");
            if !weight.as_i64().is_some_and(|it| (1..=100).contains(&it)) {
                it.invalid(
                    format!("{path}.weight"),
                    weight,
                    "must be in the range 1-100",
                );
            }
            affinity_term(
                it,
                &format!("{path}.podAffinityTerm"),
                at(weighted, "/podAffinityTerm"),
            );
        }
    }
}

fn affinity_term(it: &mut Causes, path: &str, term: &Value) {
    for name in ["labelSelector", "namespaceSelector"] {
        it.selector(&format!("{path}.{name}"), at(term, &format!("/{name}")));
    }
    let key = text(term, "/topologyKey");
    for why in names::qualified_name(key) {
        it.invalid(format!("{path}.topologyKey"), json!(key), why);
    }
    if key.is_empty() {
        it.required(format!("{path}.topologyKey"), "can not be empty");
    }
}

fn spread(it: &mut Causes, path: &str, constraint: &Value) {
    if at(constraint, "/maxSkew").as_i64().unwrap_or_default() <= 0 {
        let skew = at(constraint, "/maxSkew").as_i64().unwrap_or_default();
        it.invalid(format!("{path}.maxSkew"), skew, "must be greater than zero");
    }
    if text(constraint, "/topologyKey").is_empty() {
        it.required(format!("{path}.topologyKey"), "can not be empty");
    }
    it.one_of(
        format!("{path}.whenUnsatisfiable"),
        &json!(text(constraint, "/whenUnsatisfiable")),
        &["DoNotSchedule", "ScheduleAnyway"],
    );
    it.selector(
        &format!("{path}.labelSelector"),
        at(constraint, "/labelSelector"),
    );
}

fn toleration(it: &mut Causes, path: &str, toleration: &Value) {
    let key = text(toleration, "/key");
    for why in names::qualified_name(key)
        .into_iter()
        .filter(|_| !key.is_empty())
    {
        it.invalid(format!("{path}.key"), at(toleration, "/key"), why);
    }
    let operator = text(toleration, "/operator");
    if key.is_empty() && operator != "Exists" {
        it.invalid(format!("{path}.operator"), json!(operator), "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if !at(toleration, "/tolerationSeconds").is_null() && text(toleration, "/effect") != "NoExecute"
    {
        it.invalid(
            format!("{path}.effect"),
            json!(text(toleration, "/effect")),
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
        );
    }
    match operator {
        "" | "Equal" => {}
        "Exists" => {
            if !text(toleration, "/value").is_empty() {
                it.invalid(
                    format!("{path}.operator"),
                    at(toleration, "/value"),
                    "value must be empty when `operator` is 'Exists'",
                );
            }
        }
        _ => it.unsupported(
            format!("{path}.operator"),
            at(toleration, "/operator"),
            &["Equal", "Exists"],
        ),
    }
    it.one_of(
        format!("{path}.effect"),
        at(toleration, "/effect"),
        &["NoSchedule", "PreferNoSchedule", "NoExecute"],
    );
}
