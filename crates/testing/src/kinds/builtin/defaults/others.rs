//! The defaults of the other groups.

use serde_json::{Value, json};

use super::{Fields, core::copy_labels, get, inner, is_blank, or, or_nil};
use crate::values::object::at;

pub(super) fn apps(name: &str, it: &mut Fields) {
    match name {
        "DeploymentSpec" => {
            or_nil(it, "replicas", 1);
            let strategy = inner(it, "strategy");
            or(strategy, "type", "RollingUpdate");
            if get(strategy, "type") == "RollingUpdate" {
                let update = inner(strategy, "rollingUpdate");
                or_nil(update, "maxUnavailable", "25%");
                or_nil(update, "maxSurge", "25%");
            }
            or_nil(it, "revisionHistoryLimit", 10);
            or_nil(it, "progressDeadlineSeconds", 600);
        }
        "DaemonSetSpec" => {
            let strategy = inner(it, "updateStrategy");
            or(strategy, "type", "RollingUpdate");
            if get(strategy, "type") == "RollingUpdate" {
                let update = inner(strategy, "rollingUpdate");
                or_nil(update, "maxUnavailable", 1);
                or_nil(update, "maxSurge", 0);
            }
            or_nil(it, "revisionHistoryLimit", 10);
        }
        "StatefulSetSpec" => {
            or(it, "podManagementPolicy", "OrderedReady");
            let strategy = inner(it, "updateStrategy");
            if get(strategy, "type").is_empty() {
                strategy.insert("type".to_owned(), "RollingUpdate".into());
                inner(strategy, "rollingUpdate");
            }
            if get(strategy, "type") == "RollingUpdate"
                && let Some(Value::Object(update)) = strategy.get_mut("rollingUpdate")
            {
                or_nil(update, "partition", 0);
                or_nil(update, "maxUnavailable", 1);
            }
            let policy = inner(it, "persistentVolumeClaimRetentionPolicy");
            or(policy, "whenDeleted", "Retain");
            or(policy, "whenScaled", "Retain");
            or_nil(it, "replicas", 1);
            or_nil(it, "revisionHistoryLimit", 10);
        }
        "ReplicaSetSpec" => or_nil(it, "replicas", 1),
        _ => {}
    }
}

pub(super) fn batch(name: &str, it: &mut Fields) {
    match name {
        "Job" => {
            let labels = at(&Value::Object(it.clone()), "/spec/template/metadata/labels").clone();
            if labels.is_object() {
                copy_labels(it, &labels);
            }
        }
        "CronJobSpec" => {
            or(it, "concurrencyPolicy", "Allow");
            or_nil(it, "suspend", false);
            or_nil(it, "successfulJobsHistoryLimit", 3);
            or_nil(it, "failedJobsHistoryLimit", 1);
        }
        "PodFailurePolicyOnPodConditionsPattern" => or(it, "status", "True"),
        _ => {}
    }
    if name == "Job" {
        job_spec(inner(it, "spec"));
    }
}

/// The defaults of a Job; the template of a `CronJob` has none.
fn job_spec(it: &mut Fields) {
    let is_absent = |name: &str| it.get(name).is_none_or(Value::is_null);
    if is_absent("completions") && is_absent("parallelism") {
        it.insert("completions".to_owned(), 1.into());
    }
    or_nil(it, "parallelism", 1);
    let limit = if it.contains_key("backoffLimitPerIndex") {
        i32::MAX
    } else {
        6
    };
    or_nil(it, "backoffLimit", limit);
    or_nil(it, "completionMode", "NonIndexed");
    or_nil(it, "suspend", false);
    let policy = if it.contains_key("podFailurePolicy") {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    or_nil(it, "podReplacementPolicy", policy);
    or_nil(it, "manualSelector", false);
}

pub(super) fn autoscaler(it: &mut Fields) {
    or_nil(it, "minReplicas", 1);
    or(
        it,
        "metrics",
        json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]),
    );
    if let Some(Value::Object(behavior)) = it.get_mut("behavior") {
        let up = inner(behavior, "scaleUp");
        or_nil(up, "stabilizationWindowSeconds", 0);
        or_nil(up, "selectPolicy", "Max");
        or_nil(
            up,
            "policies",
            json!([{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]),
        );
        let down = inner(behavior, "scaleDown");
        or_nil(down, "selectPolicy", "Max");
        or_nil(
            down,
            "policies",
            json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]),
        );
    }
}

pub(super) fn networking(name: &str, it: &mut Fields) {
    match name {
        "NetworkPolicyPort" => or_nil(it, "protocol", "TCP"),
        "NetworkPolicySpec" => {
            let types = if is_blank(it.get("egress")) {
                json!(["Ingress"])
            } else {
                json!(["Ingress", "Egress"])
            };
            or(it, "policyTypes", types);
        }
        "IngressClassSpec" => {
            if let Some(Value::Object(parameters)) = it.get_mut("parameters") {
                or_nil(parameters, "scope", "Cluster");
            }
        }
        _ => {}
    }
}

pub(super) fn rbac(name: &str, it: &mut Fields) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    match name {
        "ClusterRoleBinding" | "RoleBinding" => or(inner(it, "roleRef"), "apiGroup", GROUP),
        "Subject" if matches!(get(it, "kind"), "User" | "Group") => or(it, "apiGroup", GROUP),
        _ => {}
    }
}

pub(super) fn admission(name: &str, it: &mut Fields) {
    match name {
        "ValidatingWebhook" | "MutatingWebhook" => {
            or_nil(it, "failurePolicy", "Fail");
            or_nil(it, "matchPolicy", "Equivalent");
            or_nil(it, "namespaceSelector", json!({}));
            or_nil(it, "objectSelector", json!({}));
            or_nil(it, "timeoutSeconds", 10);
            if name == "MutatingWebhook" {
                or_nil(it, "reinvocationPolicy", "Never");
            }
        }
        "RuleWithOperations" | "NamedRuleWithOperations" => or_nil(it, "scope", "*"),
        "ServiceReference" => or_nil(it, "port", 443),
        "ValidatingAdmissionPolicySpec" | "MutatingAdmissionPolicySpec" => {
            or_nil(it, "failurePolicy", "Fail");
        }
        "MatchResources" => {
            or_nil(it, "matchPolicy", "Equivalent");
            or_nil(it, "namespaceSelector", json!({}));
            or_nil(it, "objectSelector", json!({}));
        }
        _ => {}
    }
}

pub(super) fn storage(name: &str, it: &mut Fields) {
    match name {
        "StorageClass" => {
            or_nil(it, "reclaimPolicy", "Delete");
            or_nil(it, "volumeBindingMode", "Immediate");
        }
        "CSIDriverSpec" => {
            or_nil(it, "attachRequired", true);
            or_nil(it, "podInfoOnMount", false);
            or_nil(it, "storageCapacity", false);
            or_nil(it, "fsGroupPolicy", "ReadWriteOnceWithFSType");
            or(it, "volumeLifecycleModes", json!(["Persistent"]));
            or_nil(it, "requiresRepublish", false);
            or_nil(it, "seLinuxMount", false);
        }
        _ => {}
    }
}
