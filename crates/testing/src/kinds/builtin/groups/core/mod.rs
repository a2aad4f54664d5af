//! The core group.

mod defaults;
mod pod;
mod service;

use kube_codegen_formats::names;
use serde_json::{Value, json};

use super::events;
use crate::{
    kinds::builtin::{
        cells,
        strategy::{Cell, Deletion, Group, Strategy},
        validate::{self, config, limits, others},
        warnings,
    },
    values::object::{self, at, copy, map, put, section, strings, text},
};

pub(super) const GROUP: Group = Group {
    name: "",
    package: "core",
    kinds: &[
        Strategy {
            kind: "ConfigMap",
            columns: &[("Data", Cell::Computed(cells::data))],
            validate: |it, _, old, object| config::config_map(it, old, object),
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "Endpoints",
            deprecation: Some(
                "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
            ),
            creates_on_update: true,
            ..Strategy::PLAIN
        },
        Strategy {
            validate: |it, _, _, object| others::event(it, object),
            ..events::EVENT
        },
        Strategy {
            kind: "LimitRange",
            validate: |it, _, _, object| limits::range(it, object),
            creates_on_update: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "Namespace",
            name: names::dns_1123_label,
            selectors: &["status.phase"],
            columns: &[("Status", Cell::Field("/status/phase"))],
            subresources: &["finalize"],
            create: |object, _| {
                add(object, "/spec/finalizers", "kubernetes");
                put(object, "/status", json!({"phase": "Active"}));
                label(object);
            },
            update: |object, _, old| {
                copy(section(object, "spec"), at(old, "/spec"), "finalizers");
                label(object);
            },
            deletion: Deletion::Contents,
            returns_deleted: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "Node",
            selectors: &["spec.unschedulable"],
            columns: &[
                ("Status", Cell::Computed(cells::node_status)),
                ("Roles", Cell::Computed(cells::node_roles)),
                ("Age", Cell::Computed(cells::age)),
                ("Version", Cell::Field("/status/nodeInfo/kubeletVersion")),
            ],
            convert: copy_ranges,
            create: |object, _| taint(object),
            validate: |it, _, old, object| others::node(it, old, object),
            keeps_status: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "PersistentVolume",
            create: |object, _| add(object, FINALIZERS, "kubernetes.io/pv-protection"),
            warnings: |_, _, object| warnings::volume(object),
            returns_deleted: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "PersistentVolumeClaim",
            columns: &[
                ("Status", Cell::Field("/status/phase")),
                ("Volume", Cell::Field("/spec/volumeName")),
                ("Capacity", Cell::Field("/status/capacity/storage")),
                ("Access Modes", Cell::Field("/status/accessModes/0")),
                ("StorageClass", Cell::Field("/spec/storageClassName")),
            ],
            create: |object, _| add(object, FINALIZERS, "kubernetes.io/pvc-protection"),
            update: |object, _, old| keep_source(object, old),
            validate: |it, _, old, object| config::claim(it, old, object),
            warnings: |_, _, object| warnings::claim(object),
            is_stored_again: true,
            returns_deleted: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "Pod",
            selectors: &[
                "spec.nodeName",
                "spec.restartPolicy",
                "spec.schedulerName",
                "spec.serviceAccountName",
                "spec.hostNetwork",
                "status.phase",
                "status.podIP",
                "status.nominatedNodeName",
            ],
            columns: &[
                ("Ready", Cell::Computed(cells::ready)),
                ("Status", Cell::Computed(cells::pod_status)),
                ("Restarts", Cell::Computed(cells::restarts)),
            ],
            subresources: &["binding", "ephemeralcontainers", "eviction", "resize"],
            connections: &["attach", "exec", "log", "portforward", "proxy"],
            has_generation: true,
            create: |object, _| pod::create(object),
            update: |object, _, old| pod::update(object, old),
            validate: |it, subresource, old, object| match old {
                Some(old) if subresource == "resize" => {
                    validate::resize::validate(it, old, object);
                }
                _ => validate::pod::validate(it, subresource, old, object),
            },
            template: Some(""),
            warnings: |_, old, object| warnings::pod(old, object),
            kept_metadata: &["deletionTimestamp", "ownerReferences"],
            deletion: Deletion::Graceful,
            returns_deleted: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "PodTemplate",
            template: Some("/template"),
            has_generation: true,
            returns_deleted: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "ReplicationController",
            selectors: &["status.replicas"],
            has_generation: true,
            template: Some("/spec/template"),
            warnings: warnings::workload,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "ResourceQuota",
            returns_deleted: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "Secret",
            selectors: &["type"],
            columns: &[
                ("Type", Cell::Field("/type")),
                ("Data", Cell::Computed(cells::data)),
            ],
            convert: encode,
            validate: |it, _, old, object| config::secret(it, old, object),
            warnings: |_, _, object| warnings::secret(object),
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "Service",
            name: names::dns_1123_label,
            selectors: &["spec.clusterIP", "spec.type"],
            columns: &[
                ("Type", Cell::Field("/spec/type")),
                ("Cluster-IP", Cell::Field("/spec/clusterIP")),
                ("External-IP", Cell::Computed(cells::external_ip)),
                ("Port(s)", Cell::Computed(cells::ports)),
            ],
            // An update of the status decides nothing.
            create: |object, creation| {
                if creation.subresource.is_empty() {
                    service::create(object);
                }
            },
            update: |object, subresource, old| {
                if subresource.is_empty() {
                    service::update(object, old);
                }
            },
            validate: |it, _, old, object| validate::service::validate(it, old, object),
            warnings: |_, _, object| warnings::service(object),
            is_allocated: true,
            creates_on_update: true,
            creates_on_status: true,
            hidden: |object| {
                let is_external = text(object, "/spec/type") == "ExternalName";
                is_external.then_some("internalTrafficPolicy")
            },
            returns_deleted: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "ServiceAccount",
            subresources: &["token"],
            returns_deleted: true,
            ..Strategy::PLAIN
        },
    ],
    defaults: defaults::set,
};

const FINALIZERS: &str = "/metadata/finalizers";

/// Adds a name to a list that does not have it.
fn add(object: &mut Value, pointer: &str, name: &str) {
    let mut names = strings(object, pointer);
    if !names.iter().any(|it| it == name) {
        names.push(name.to_owned());
    }
    put(object, pointer, json!(names));
}

fn label(namespace: &mut Value) {
    let name = object::name(namespace).to_owned();
    let labels = section(namespace, "metadata").entry("labels");
    map(labels.or_insert(Value::Null))
        .insert("kubernetes.io/metadata.name".to_owned(), name.into());
}

/// The first of several ranges of addresses is also the only one of former times.
fn copy_ranges(node: &mut Value) {
    let single = text(node, "/spec/podCIDR").to_owned();
    let first = text(node, "/spec/podCIDRs/0").to_owned();
    if !single.is_empty() && single != first {
        put(node, "/spec/podCIDRs", json!([single]));
    } else if !first.is_empty() {
        put(node, "/spec/podCIDR", first.into());
    }
}

/// The admission plug-in `TaintNodesByCondition`.
fn taint(node: &mut Value) {
    let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
    let taints = section(node, "spec").entry("taints");
    match taints.or_insert(Value::Null) {
        Value::Array(taints) if taints.contains(&taint) => {}
        Value::Array(taints) => taints.push(taint),
        other => *other = json!([taint]),
    }
}

/// A client that does not know where the data of a claim come from keeps that.
fn keep_source(claim: &mut Value, old: &Value) {
    if at(claim, "/spec/dataSourceRef").is_null()
        && !at(old, "/spec/dataSourceRef").is_null()
        && at(claim, "/spec/dataSource") == at(old, "/spec/dataSource")
    {
        copy(section(claim, "spec"), at(old, "/spec"), "dataSourceRef");
    }
}

/// Moves what is given as plain text to the data.
fn encode(object: &mut Value) {
    let Some(Value::Object(plain)) = map(object).remove("stringData") else {
        return;
    };
    let data = section(object, "data");
    for (name, value) in plain {
        let bytes = value.as_str().unwrap_or_default().as_bytes().to_vec();
        data.insert(name, json!(k8s_openapi::ByteString(bytes)));
    }
}
