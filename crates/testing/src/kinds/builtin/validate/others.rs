//! Validates the other kinds.

use kube_codegen_formats::names;
use serde_json::{Value, json};

use super::Causes;
use crate::values::object::{at, list, text};

const RBAC: &str = "rbac.authorization.k8s.io";

pub(crate) fn autoscaler(it: &mut Causes, object: &Value) {
    let spec = at(object, "/spec");
    let (min, max) = (at(spec, "/minReplicas"), at(spec, "/maxReplicas"));
    let least = min.as_i64().unwrap_or(1);
    it.not_negative("spec", spec, &["minReplicas"]);
    let wakes = |it: &Value| matches!(text(it, "/type"), "Object" | "External");
    if least == 0 && !list(spec, "/metrics").iter().any(wakes) {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        it.forbidden("spec.metrics", why);
    }
    match max.as_i64().unwrap_or_default() {
        0 => it.required("spec.maxReplicas", ""),
        most if most < 0 => it.invalid(
            "spec.maxReplicas",
            max,
            "must be greater than or equal to 1",
        ),
        _ => {}
    }
    if max.as_i64().unwrap_or_default() < least {
        it.invalid(
            "spec.maxReplicas",
            max,
            "must be greater than or equal to `minReplicas`",
        );
    }
    if text(spec, "/scaleTargetRef/apiVersion").is_empty() {
        it.invalid(
            "spec.scaleTargetRef.apiVersion",
            "\"\"",
            "apiVersion must specify API group",
        );
    }
    for (index, metric) in list(spec, "/metrics").iter().enumerate() {
        let path = format!("spec.metrics[{index}]");
        let kinds = [
            "ContainerResource",
            "External",
            "Object",
            "Pods",
            "Resource",
        ];
        if text(metric, "/type").is_empty() {
            it.required(format!("{path}.type"), "must specify a metric source type");
        }
        it.one_of(
            format!("{path}.type"),
            &json!(text(metric, "/type")),
            &kinds,
        );
        if at(metric, "/resource").is_null() {
            if text(metric, "/type") == "Resource" {
                let why = "must populate information for the given metric source";
                it.required(format!("{path}.resource"), why);
            }
            continue;
        }
        if text(metric, "/resource/name").is_empty() {
            let why = "must specify a resource name";
            it.required(format!("{path}.resource.name"), why);
        }
        let target = at(metric, "/resource/target");
        let has = |name: &str| target.get(name).is_some();
        let path = format!("{path}.resource.target");
        let kind = text(target, "/type");
        if kind.is_empty() {
            it.required(format!("{path}.type"), "must specify a metric target type");
        }
        if !matches!(kind, "Utilization" | "Value" | "AverageValue") {
            let why = "must be either Utilization, Value, or AverageValue";
            it.invalid(format!("{path}.type"), json!(kind), why);
        }
        let utilization = at(target, "/averageUtilization");
        if utilization.as_i64().is_some_and(|it| it < 1) {
            it.invalid(
                format!("{path}.averageUtilization"),
                utilization,
                "must be greater than 0",
            );
        }
        if !has("averageUtilization") && !has("averageValue") {
            let why = "must set either a target raw value or a target utilization";
            it.required(format!("{path}.averageUtilization"), why);
        }
    }
    for name in ["kind", "name"] {
        if text(spec, &format!("/scaleTargetRef/{name}")).is_empty() {
            it.required(format!("spec.scaleTargetRef.{name}"), "");
        }
    }
}

pub(crate) fn node(it: &mut Causes, old: Option<&Value>, object: &Value) {
    for (index, taint) in list(object, "/spec/taints").iter().enumerate() {
        // The server reports them there.
        let path = format!("metadata.taints[{index}]");
        for why in names::qualified_name(text(taint, "/key")) {
            it.invalid(format!("{path}.key"), json!(text(taint, "/key")), why);
        }
        let effect = json!(text(taint, "/effect"));
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        if effect == "" {
            it.required(format!("{path}.effect"), "");
        } else {
            it.one_of(format!("{path}.effect"), &effect, &effects);
        }
    }
    let Some(old) = old else { return };
    let (before, after) = (at(old, "/spec/podCIDRs"), at(object, "/spec/podCIDRs"));
    if !before.is_null() && before != after {
        let why = "node updates may not change podCIDR except from \"\" to valid";
        it.forbidden("spec.podCIDRs", why);
    }
    let (before, after) = (
        text(old, "/spec/providerID"),
        text(object, "/spec/providerID"),
    );
    if !before.is_empty() && before != after {
        let what = if after.is_empty() {
            "cleared"
        } else {
            "modified"
        };
        let why = format!("field cannot be {what} once set");
        it.invalid("spec.providerID", "null", why);
    }
}

pub(crate) fn lease(it: &mut Causes, object: &Value) {
    let spec = at(object, "/spec");
    let duration = at(spec, "/leaseDurationSeconds");
    if duration.as_i64().is_some_and(|it| it <= 0) {
        it.invalid(
            "spec.leaseDurationSeconds",
            duration,
            "must be greater than 0",
        );
    }
    it.not_negative("spec", spec, &["leaseTransitions"]);
    if !text(spec, "/preferredHolder").is_empty() && text(spec, "/strategy").is_empty() {
        it.forbidden(
            "spec.preferredHolder",
            "may only be specified if `strategy` is defined",
        );
    }
}

/// Validates an Event of the core group.
pub(crate) fn event(it: &mut Causes, object: &Value) {
    let own = crate::values::object::namespace(object);
    let involved = text(object, "/involvedObject/namespace");
    let has_time = at(object, "/eventTime").is_string();
    let is_default = matches!(own, "" | "default");
    let matches = match (has_time, involved) {
        (_, "") => is_default || has_time && own == "kube-system",
        (false, involved) => involved == own,
        (true, _) => true,
    };
    if !matches {
        it.invalid(
            "involvedObject.namespace",
            json!(involved),
            "does not match event.namespace",
        );
    }
    if has_time {
        let reporter = at(object, "/reportingComponent");
        for why in names::qualified_name(reporter.as_str().unwrap_or_default()) {
            let reporter = json!(reporter.as_str().unwrap_or_default());
            it.invalid("reportingComponent", reporter, why);
        }
        for (name, path) in [
            ("reportingComponent", "reportingComponent"),
            ("reportingInstance", "reportingInstance"),
            ("action", "action"),
            ("reason", "reason"),
        ] {
            if text(object, &format!("/{name}")).is_empty() {
                it.required(path, "");
            }
        }
    }
}

pub(crate) fn budget(it: &mut Causes, object: &Value) {
    let spec = at(object, "/spec");
    let (min, max) = (at(spec, "/minAvailable"), at(spec, "/maxUnavailable"));
    if !min.is_null() && !max.is_null() {
        it.invalid(
            "spec",
            spec,
            "minAvailable and maxUnavailable cannot be both set",
        );
    }
    for (name, value) in [("minAvailable", min), ("maxUnavailable", max)] {
        it.int_or_percent(&format!("spec.{name}"), value);
        it.at_most_all(&format!("spec.{name}"), value);
    }
    it.selector("spec.selector", at(spec, "/selector"));
    it.one_of(
        "spec.unhealthyPodEvictionPolicy",
        at(spec, "/unhealthyPodEvictionPolicy"),
        &["AlwaysAllow", "IfHealthyBudget"],
    );
}

pub(crate) fn rbac(it: &mut Causes, old: Option<&Value>, object: &Value) {
    let kind = text(object, "/kind");
    let is_namespaced = matches!(kind, "Role" | "RoleBinding");
    if matches!(kind, "Role" | "ClusterRole") {
        for (index, rule) in list(object, "/rules").iter().enumerate() {
            policy_rule(it, &format!("rules[{index}]"), rule, is_namespaced);
        }
        let rule = at(object, "/aggregationRule");
        let selectors = list(rule, "/clusterRoleSelectors");
        if rule.is_object() && selectors.is_empty() {
            it.required(
                "aggregationRule.clusterRoleSelectors",
                "at least one clusterRoleSelector required if aggregationRule is non-nil",
            );
        }
        for (index, selector) in selectors.iter().enumerate() {
            it.selector(
                &format!("aggregationRule.clusterRoleSelectors[{index}]"),
                selector,
            );
        }
        return;
    }
    let role = at(object, "/roleRef");
    it.one_of("roleRef.apiGroup", at(role, "/apiGroup"), &[RBAC]);
    let kinds: &[&str] = if is_namespaced {
        &["Role", "ClusterRole"]
    } else {
        &["ClusterRole"]
    };
    it.one_of("roleRef.kind", at(role, "/kind"), kinds);
    if text(role, "/name").is_empty() {
        it.required("roleRef.name", "");
    }
    for (index, subject) in list(object, "/subjects").iter().enumerate() {
        let path = format!("subjects[{index}]");
        if text(subject, "/name").is_empty() {
            it.required(format!("{path}.name"), "");
        }
        let group = text(subject, "/apiGroup");
        match text(subject, "/kind") {
            "ServiceAccount" => {
                if !text(subject, "/name").is_empty() {
                    it.subdomain(&format!("{path}.name"), at(subject, "/name"));
                }
                if !group.is_empty() {
                    it.unsupported(format!("{path}.apiGroup"), &json!(group), &[""]);
                }
                if !is_namespaced && text(subject, "/namespace").is_empty() {
                    it.required(format!("{path}.namespace"), "");
                }
            }
            "User" | "Group" => it.one_of(format!("{path}.apiGroup"), &json!(group), &[RBAC]),
            _ => it.unsupported(
                format!("{path}.kind"),
                &json!(text(subject, "/kind")),
                &["ServiceAccount", "User", "Group"],
            ),
        }
    }
    if let Some(old) = old {
        it.immutable("roleRef", at(old, "/roleRef"), role);
    }
}

fn policy_rule(it: &mut Causes, path: &str, rule: &Value, is_namespaced: bool) {
    if list(rule, "/verbs").is_empty() {
        it.required(format!("{path}.verbs"), "");
    }
    let urls = at(rule, "/nonResourceURLs");
    if urls.is_array() {
        if is_namespaced {
            it.invalid(
                format!("{path}.nonResourceURLs"),
                urls,
                "namespaced rules cannot apply to non-resource URLs",
            );
        }
        if ["apiGroups", "resources", "resourceNames"]
            .iter()
            .any(|name| rule.get(*name).is_some())
        {
            it.invalid(
                format!("{path}.nonResourceURLs"),
                urls,
                "rules cannot apply to both regular resources and non-resource URLs",
            );
        }
        return;
    }
    if list(rule, "/apiGroups").is_empty() {
        it.required(
            format!("{path}.apiGroups"),
            "resource rules must supply at least one api group",
        );
    }
    if list(rule, "/resources").is_empty() {
        it.required(
            format!("{path}.resources"),
            "resource rules must supply at least one resource",
        );
    }
}

/// The highest priority of a class that users define.
const HIGHEST: i64 = 1_000_000_000;

pub(crate) fn priority_class(it: &mut Causes, object: &Value) {
    let name = text(object, "/metadata/name");
    if name.starts_with("system-") {
        let why = format!(
            "priority class names with 'system-' prefix are reserved for system use only. error: {name} is not a known system priority class"
        );
        it.forbidden("metadata.name", &why);
    } else if at(object, "/value").as_i64().is_some_and(|it| it > HIGHEST) {
        let why = format!("maximum allowed value of a user defined priority is {HIGHEST}");
        it.forbidden("value", &why);
    }
}
