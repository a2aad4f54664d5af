//! Validates the kinds of the group `apps`.

use serde_json::{Value, json};

use super::{Causes, amount, config::claim_spec, pod};
use crate::values::object::{at, list, map, text};

/// Returns whether a label selector matches labels. One that selects nothing matches everything.
pub(super) fn matches(selector: &Value, labels: &Value) -> bool {
    let pairs = at(selector, "/matchLabels").as_object();
    let has_pairs = pairs
        .into_iter()
        .flatten()
        .all(|(key, value)| labels.get(key) == Some(value));
    has_pairs
        && list(selector, "/matchExpressions").iter().all(|term| {
            let found = labels.get(text(term, "/key"));
            let listed = found.is_some_and(|found| list(term, "/values").contains(found));
            match text(term, "/operator") {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => found.is_some(),
                "DoesNotExist" => found.is_none(),
                _ => true,
            }
        })
}

fn is_empty(selector: &Value) -> bool {
    at(selector, "/matchLabels")
        .as_object()
        .is_none_or(serde_json::Map::is_empty)
        && list(selector, "/matchExpressions").is_empty()
}

/// Validates the selector, which is required, and the template that it must match.
fn selected(it: &mut Causes, spec: &Value, owner: &str, limits: &str) {
    let selector = at(spec, "/selector");
    if selector.is_null() {
        it.required("spec.selector", "");
    } else {
        let is_valid = it.selector("spec.selector", selector);
        if is_empty(selector) {
            let why = format!("empty selector is invalid for {owner}");
            it.invalid("spec.selector", selector, why);
        }
        if !is_valid {
            let why = if owner == "statefulset" {
                ""
            } else {
                ": invalid label selector"
            };
            let message = format!("Invalid value: {selector}{why}");
            it.add("spec.selector", "FieldValueInvalid", message);
            return;
        }
    }
    template_of(it, spec, selector, limits);
}

fn template_of(it: &mut Causes, spec: &Value, selector: &Value, limits: &str) {
    let template = at(spec, "/template");
    let labels = at(template, "/metadata/labels");
    // No selector selects nothing; an empty one does not ask for labels.
    if selector.is_null() || !is_empty(selector) && !matches(selector, labels) {
        mismatch(it, labels);
    }
    pod::template(it, "spec.template", template);
    always_restarts(it, template, limits);
}

pub(super) fn mismatch(it: &mut Causes, labels: &Value) {
    it.invalid(
        "spec.template.metadata.labels",
        labels,
        "`selector` does not match template `labels`",
    );
}

fn always_restarts(it: &mut Causes, template: &Value, owner: &str) {
    let policy = at(template, "/spec/restartPolicy");
    if policy != "Always" {
        it.unsupported("spec.template.spec.restartPolicy", policy, &["Always"]);
    }
    if !at(template, "/spec/activeDeadlineSeconds").is_null() {
        it.forbidden(
            "spec.template.spec.activeDeadlineSeconds",
            &format!("activeDeadlineSeconds in {owner} is not Supported"),
        );
    }
}

pub(crate) fn deployment(it: &mut Causes, old: Option<&Value>, object: &Value) {
    let spec = at(object, "/spec");
    it.not_negative("spec", spec, &["replicas"]);
    selected(it, spec, "deployment", "ReplicaSet");
    let strategy = at(spec, "/strategy");
    let update = at(strategy, "/rollingUpdate");
    match text(strategy, "/type") {
        "Recreate" => {
            if update.is_object() {
                it.forbidden(
                    "spec.strategy.rollingUpdate",
                    "may not be specified when strategy `type` is 'Recreate'",
                );
            }
        }
        "RollingUpdate" => {
            let (down, up) = (at(update, "/maxUnavailable"), at(update, "/maxSurge"));
            it.int_or_percent("spec.strategy.rollingUpdate.maxUnavailable", down);
            it.int_or_percent("spec.strategy.rollingUpdate.maxSurge", up);
            if amount(down) == 0 && amount(up) == 0 {
                it.invalid(
                    "spec.strategy.rollingUpdate.maxUnavailable",
                    down,
                    "may not be 0 when `maxSurge` is 0",
                );
            }
            it.at_most_all("spec.strategy.rollingUpdate.maxUnavailable", down);
        }
        _ => it.unsupported("spec.strategy", strategy, &["Recreate", "RollingUpdate"]),
    }
    it.not_negative(
        "spec",
        spec,
        &[
            "minReadySeconds",
            "revisionHistoryLimit",
            "progressDeadlineSeconds",
        ],
    );
    let deadline = at(spec, "/progressDeadlineSeconds");
    let ready = at(spec, "/minReadySeconds").as_i64().unwrap_or_default();
    if deadline.as_i64().is_some_and(|it| it <= ready) {
        it.invalid(
            "spec.progressDeadlineSeconds",
            deadline,
            "must be greater than minReadySeconds",
        );
    }
    status(
        it,
        at(object, "/status"),
        &["updatedReplicas", "readyReplicas", "availableReplicas"],
        "readyReplicas",
    );
    selector_stays(it, old, spec);
}

pub(crate) fn replica_set(it: &mut Causes, old: Option<&Value>, object: &Value) {
    let spec = at(object, "/spec");
    it.not_negative("spec", spec, &["replicas", "minReadySeconds"]);
    // The server says so, too.
    selected(it, spec, "deployment", "ReplicaSet");
    status(
        it,
        at(object, "/status"),
        &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
        "readyReplicas",
    );
    selector_stays(it, old, spec);
}

/// Validates the counters of a status.
fn status(it: &mut Causes, status: &Value, counters: &[&str], ready: &str) {
    let number = |name: &str| at(status, &format!("/{name}")).as_i64().unwrap_or_default();
    it.not_negative("status", status, &["observedGeneration", "replicas"]);
    it.not_negative("status", status, counters);
    for counter in counters {
        if number(counter) > number("replicas") {
            it.invalid(
                format!("status.{counter}"),
                number(counter),
                "cannot be greater than status.replicas",
            );
        }
    }
    if number("availableReplicas") > number("readyReplicas") {
        it.invalid(
            "status.availableReplicas",
            number("availableReplicas"),
            format!("cannot be greater than {ready}"),
        );
    }
}

pub(crate) fn stateful_set(it: &mut Causes, old: Option<&Value>, object: &Value) {
    let spec = at(object, "/spec");
    let management = at(spec, "/podManagementPolicy");
    if !matches!(management.as_str(), Some("OrderedReady" | "Parallel")) {
        it.invalid(
            "spec.podManagementPolicy",
            management,
            "must be 'OrderedReady' or 'Parallel'",
        );
    }
    let strategy = at(spec, "/updateStrategy");
    let update = at(strategy, "/rollingUpdate");
    match text(strategy, "/type") {
        "OnDelete" if update.is_object() => {
            it.invalid(
                "spec.updateStrategy.rollingUpdate",
                update,
                "only allowed for updateStrategy 'RollingUpdate'",
            );
        }
        "OnDelete" => {}
        "RollingUpdate" => {
            it.not_negative("spec.updateStrategy.rollingUpdate", update, &["partition"]);
        }
        _ => it.invalid(
            "spec.updateStrategy",
            strategy,
            "must be 'RollingUpdate' or 'OnDelete'",
        ),
    }
    let policy = at(spec, "/persistentVolumeClaimRetentionPolicy");
    for name in ["whenDeleted", "whenScaled"] {
        let path = format!("spec.persistentVolumeClaimRetentionPolicy.{name}");
        it.one_of(path, at(policy, &format!("/{name}")), &["Retain", "Delete"]);
    }
    // Claims are immutable, so updates do not validate them.
    let claims = list(spec, "/volumeClaimTemplates").iter().enumerate();
    for (index, claim) in claims.filter(|_| old.is_none()) {
        claim_spec(
            it,
            &format!("spec.volumeClaimTemplates[{index}].spec"),
            at(claim, "/spec"),
        );
    }
    it.not_negative("spec", spec, &["replicas", "minReadySeconds"]);
    let service = at(spec, "/serviceName");
    if service.as_str().is_some_and(|it| !it.is_empty()) {
        it.label("spec.serviceName", service);
    }
    // Claims are volumes of the Pods.
    let mut with_claims = spec.clone();
    let claims = list(spec, "/volumeClaimTemplates").iter();
    let claims: Vec<Value> = claims
        .map(|claim| json!({"name": at(claim, "/metadata/name"), "persistentVolumeClaim": {"claimName": at(claim, "/metadata/name")}}))
        .collect();
    let own = list(spec, "/template/spec/volumes").iter();
    let own = own.filter(|it| {
        claims
            .iter()
            .all(|claim| claim.get("name") != it.get("name"))
    });
    let volumes: Vec<Value> = claims.iter().chain(own).cloned().collect();
    if let Some(template) = with_claims.pointer_mut("/template/spec") {
        map(template).insert("volumes".to_owned(), volumes.into());
        map(template).remove("hostname");
        map(template).remove("subdomain");
    }
    selected(it, &with_claims, "statefulset", "StatefulSet");
    status(
        it,
        at(object, "/status"),
        &[
            "readyReplicas",
            "currentReplicas",
            "updatedReplicas",
            "availableReplicas",
        ],
        "status.readyReplicas",
    );
    if let Some(old) = old {
        for name in [
            "selector",
            "volumeClaimTemplates",
            "serviceName",
            "podManagementPolicy",
        ] {
            let pointer = format!("/spec/{name}");
            it.immutable(
                format!("spec.{name}"),
                at(old, &pointer),
                at(object, &pointer),
            );
        }
    }
}

/// What a revision holds never changes.
pub(crate) fn controller_revision(it: &mut Causes, old: Option<&Value>, object: &Value) {
    if let Some(old) = old {
        it.immutable("data", at(old, "/data"), at(object, "/data"));
    }
}

pub(crate) fn daemon_set(it: &mut Causes, old: Option<&Value>, object: &Value) {
    let spec = at(object, "/spec");
    let selector = at(spec, "/selector");
    let template = at(spec, "/template");
    let is_valid = it.selector("spec.selector", selector);
    if selector.is_null() || is_valid && !matches(selector, at(template, "/metadata/labels")) {
        mismatch(it, at(template, "/metadata/labels"));
    }
    if !selector.is_null() && is_empty(selector) {
        it.invalid(
            "spec.selector",
            selector,
            "empty selector is invalid for daemonset",
        );
    }
    pod::template(it, "spec.template", template);
    always_restarts(it, template, "DaemonSet");
    it.not_negative("spec", spec, &["minReadySeconds"]);
    let strategy = at(spec, "/updateStrategy");
    match text(strategy, "/type") {
        "OnDelete" => {}
        "RollingUpdate" => {
            let path = "spec.updateStrategy.rollingUpdate";
            let update = at(strategy, "/rollingUpdate");
            let (down, up) = (at(update, "/maxUnavailable"), at(update, "/maxSurge"));
            for (name, value) in [("maxUnavailable", down), ("maxSurge", up)] {
                it.int_or_percent(&format!("{path}.{name}"), value);
            }
            for (name, value) in [("maxUnavailable", down), ("maxSurge", up)] {
                it.at_most_all(&format!("{path}.{name}"), value);
            }
            match (amount(down) != 0, amount(up) != 0) {
                (true, true) => it.invalid(
                    format!("{path}.maxSurge"),
                    up,
                    "may not be set when maxUnavailable is non-zero",
                ),
                (false, false) => it.required(
                    format!("{path}.maxUnavailable"),
                    "cannot be 0 when maxSurge is 0",
                ),
                _ => {}
            }
        }
        _ => it.unsupported(
            "spec.updateStrategy",
            strategy,
            &["RollingUpdate", "OnDelete"],
        ),
    }
    it.not_negative("spec", spec, &["revisionHistoryLimit"]);
    if let Some(old) = old {
        it.immutable("spec.selector", at(old, "/spec/selector"), selector);
    }
}

fn selector_stays(it: &mut Causes, old: Option<&Value>, spec: &Value) {
    if let Some(old) = old {
        it.immutable(
            "spec.selector",
            at(old, "/spec/selector"),
            at(spec, "/selector"),
        );
    }
}
