//! Lists the built-in kinds that operators use most, with the part of their defaults that operators notice.

use kube_codegen_schema::Schema;
use serde_json::{Value, json};

use crate::kind::{Kind, Scale, Version};

/// Group, version, kind, plural, short names, namespaced, has status, has scale.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    bool,
    bool,
    bool,
);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    ("", "v1", "ConfigMap", "configmaps", &["cm"], true, false, false),
    ("", "v1", "Endpoints", "endpoints", &["ep"], true, false, false),
    ("", "v1", "Event", "events", &["ev"], true, false, false),
    ("", "v1", "Namespace", "namespaces", &["ns"], false, true, false),
    ("", "v1", "Node", "nodes", &["no"], false, true, false),
    ("", "v1", "PersistentVolume", "persistentvolumes", &["pv"], false, true, false),
    ("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", &["pvc"], true, true, false),
    ("", "v1", "Pod", "pods", &["po"], true, true, false),
    ("", "v1", "Secret", "secrets", &[], true, false, false),
    ("", "v1", "Service", "services", &["svc"], true, true, false),
    ("", "v1", "ServiceAccount", "serviceaccounts", &["sa"], true, false, false),
    ("apps", "v1", "ControllerRevision", "controllerrevisions", &[], true, false, false),
    ("apps", "v1", "DaemonSet", "daemonsets", &["ds"], true, true, false),
    ("apps", "v1", "Deployment", "deployments", &["deploy"], true, true, true),
    ("apps", "v1", "ReplicaSet", "replicasets", &["rs"], true, true, true),
    ("apps", "v1", "StatefulSet", "statefulsets", &["sts"], true, true, true),
    ("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", &["hpa"], true, true, false),
    ("batch", "v1", "CronJob", "cronjobs", &["cj"], true, true, false),
    ("batch", "v1", "Job", "jobs", &[], true, true, false),
    ("coordination.k8s.io", "v1", "Lease", "leases", &[], true, false, false),
    ("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", &[], true, false, false),
    ("events.k8s.io", "v1", "Event", "events", &["ev"], true, false, false),
    ("networking.k8s.io", "v1", "Ingress", "ingresses", &["ing"], true, true, false),
    ("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", &["netpol"], true, false, false),
    ("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", &["pdb"], true, true, false),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", &[], false, false, false),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", &[], false, false, false),
    ("rbac.authorization.k8s.io", "v1", "Role", "roles", &[], true, false, false),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", &[], true, false, false),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", &["crd", "crds"], false, true, false),
];

/// Groups whose kinds have `metadata.generation`.
const GENERATION: &[&str] = &[
    "apps",
    "batch",
    "networking.k8s.io",
    "policy",
    "apiextensions.k8s.io",
];

/// Field selectors of built-in kinds besides name and namespace.
#[rustfmt::skip]
const FIELDS: &[(&str, &[&str])] = &[
    ("pods", &["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"]),
    ("services", &["spec.clusterIP", "spec.type"]),
    ("namespaces", &["status.phase"]),
    ("nodes", &["spec.unschedulable"]),
    ("secrets", &["type"]),
    ("replicasets", &["status.replicas"]),
    ("jobs", &["status.successful"]),
    ("events", &["involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
        "involvedObject.resourceVersion", "involvedObject.fieldPath", "regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
        "reason", "reportingComponent", "reportingController", "source", "type"]),
];

pub(crate) fn kinds() -> impl Iterator<Item = Kind> {
    TABLE.iter().map(
        |&(group, version, kind, plural, short_names, namespaced, status, scale)| Kind {
            group: group.to_owned(),
            kind: kind.to_owned(),
            list_kind: format!("{kind}List"),
            plural: plural.to_owned(),
            singular: kind.to_lowercase(),
            short_names: short_names.iter().map(ToString::to_string).collect(),
            categories: Vec::new(),
            namespaced,
            custom: false,
            generation: GENERATION.contains(&group),
            versions: vec![Version {
                name: version.to_owned(),
                status,
                scale: scale.then(|| Scale {
                    spec: "/spec/replicas".into(),
                    status: "/status/replicas".into(),
                    selector: None,
                }),
                schema: None,
                rules: None,
                fields: FIELDS
                    .iter()
                    .filter(|(of, _)| *of == plural)
                    .flat_map(|(_, fields)| *fields)
                    .map(ToString::to_string)
                    .collect(),
                warning: None,
            }],
        },
    )
}

/// Returns the defaults of a built-in kind as a schema.
pub(crate) fn defaults(kind: &Kind) -> Option<Schema> {
    Schema::new(&schema(kind)?).ok()
}

fn schema(kind: &Kind) -> Option<Value> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("apps", "Deployment") => Some(workload(&json!({
            "replicas": {"default": 1},
            "revisionHistoryLimit": {"default": 10},
            "progressDeadlineSeconds": {"default": 600},
            "strategy": {"default": {}, "properties": {
                "type": {"default": "RollingUpdate"},
                "rollingUpdate": {"default": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            }},
        }))),
        ("apps", "ReplicaSet") => Some(workload(&json!({"replicas": {"default": 1}}))),
        ("apps", "StatefulSet") => Some(workload(&json!({
            "replicas": {"default": 1},
            "revisionHistoryLimit": {"default": 10},
            "podManagementPolicy": {"default": "OrderedReady"},
            "updateStrategy": {"default": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}},
        }))),
        ("", "Pod") => Some(
            json!({"properties": {"spec": pod_spec(), "status": {"default": {"phase": "Pending"}}}}),
        ),
        ("", "Service") => Some(json!({"properties": {"spec": {"properties": {
            "type": {"default": "ClusterIP"},
            "sessionAffinity": {"default": "None"},
            "ports": {"items": {"properties": {"protocol": {"default": "TCP"}}}},
        }}}})),
        ("", "Secret") => Some(json!({"properties": {"type": {"default": "Opaque"}}})),
        ("", "Namespace") => Some(json!({"properties": {
            "spec": {"default": {"finalizers": ["kubernetes"]}},
            "status": {"default": {"phase": "Active"}},
        }})),
        _ => None,
    }
}

fn workload(spec: &Value) -> Value {
    let mut spec = json!({"properties": spec});
    spec["properties"]["template"] = json!({"properties": {"spec": pod_spec()}});
    json!({"properties": {"spec": spec}})
}

fn pod_spec() -> Value {
    let container = json!({"properties": {
        "ports": {"items": {"properties": {"protocol": {"default": "TCP"}}}},
        "resources": {"default": {}},
        "terminationMessagePath": {"default": "/dev/termination-log"},
        "terminationMessagePolicy": {"default": "File"},
        "imagePullPolicy": {"default": "IfNotPresent"},
    }});
    json!({"properties": {
        "restartPolicy": {"default": "Always"},
        "dnsPolicy": {"default": "ClusterFirst"},
        "schedulerName": {"default": "default-scheduler"},
        "terminationGracePeriodSeconds": {"default": 30},
        "securityContext": {"default": {}},
        "containers": {"items": container},
        "initContainers": {"items": container},
    }})
}
