//! `apps`: Deployments and what else runs Pods.

use kube_codegen_formats::names;
use serde_json::{Value, json};

use crate::{
    kinds::builtin::{
        cells,
        fields::{get, inner, or, or_nil},
        strategy::{Cell, Fields, Group, Strategy},
        validate::workload,
        warnings,
    },
    values::object::{at, map, put, section},
};

pub(super) const GROUP: Group = Group {
    name: "apps",
    package: "apps",
    kinds: &[
        Strategy {
            kind: "ControllerRevision",
            validate: |it, _, old, object| workload::controller_revision(it, old, object),
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "DaemonSet",
            columns: &[
                ("Desired", Cell::Field("/status/desiredNumberScheduled")),
                ("Current", Cell::Field("/status/currentNumberScheduled")),
                ("Ready", Cell::Field("/status/numberReady")),
                ("Up-to-date", Cell::Field("/status/updatedNumberScheduled")),
                ("Available", Cell::Field("/status/numberAvailable")),
                ("Node Selector", Cell::Computed(cells::node_selector)),
            ],
            convert: read_generation,
            create: |object, _| annotate(object, 1),
            update: count_generation,
            validate: |it, _, old, object| workload::daemon_set(it, old, object),
            ..WORKLOAD
        },
        Strategy {
            kind: "Deployment",
            columns: &[
                ("Ready", Cell::Computed(cells::replicas)),
                ("Up-to-date", Cell::Field("/status/updatedReplicas")),
                ("Available", Cell::Field("/status/availableReplicas")),
            ],
            validate: |it, _, old, object| workload::deployment(it, old, object),
            kept_metadata: &["labels"],
            is_regenerated: |old, new| {
                at(old, "/metadata/annotations") != at(new, "/metadata/annotations")
            },
            ..WORKLOAD
        },
        Strategy {
            kind: "ReplicaSet",
            selectors: &["status.replicas"],
            columns: &[
                ("Desired", Cell::Field("/spec/replicas")),
                ("Current", Cell::Field("/status/replicas")),
                ("Ready", Cell::Field("/status/readyReplicas")),
            ],
            validate: |it, _, old, object| workload::replica_set(it, old, object),
            ..WORKLOAD
        },
        Strategy {
            kind: "StatefulSet",
            name: names::dns_1123_label,
            columns: &[("Ready", Cell::Computed(cells::replicas))],
            convert: type_claims,
            validate: |it, _, old, object| workload::stateful_set(it, old, object),
            ..WORKLOAD
        },
    ],
    defaults,
};

const WORKLOAD: Strategy = Strategy {
    has_generation: true,
    template: Some("/spec/template"),
    warnings: warnings::workload,
    ..Strategy::PLAIN
};

/// The counter of a removed version of the API.
const GENERATION: &str = "deprecated.daemonset.template.generation";

fn generation(object: &Value) -> Option<i64> {
    let annotations = at(object, "/metadata/annotations");
    let generation = annotations.get(GENERATION).and_then(Value::as_str);
    generation.and_then(|it| it.parse().ok())
}

fn annotate(object: &mut Value, generation: i64) {
    let annotations = section(object, "metadata").entry("annotations");
    let annotations = map(annotations.or_insert(Value::Null));
    annotations.insert(GENERATION.to_owned(), generation.to_string().into());
}

fn read_generation(object: &mut Value) {
    if generation(object).is_none() {
        annotate(object, 0);
    }
}

fn count_generation(object: &mut Value, _: &str, old: &Value) {
    let is_new = at(old, "/spec/template") != at(object, "/spec/template");
    let before = generation(old).unwrap_or_default();
    annotate(object, before + i64::from(is_new));
}

/// Claims in a `StatefulSet` name their type.
fn type_claims(object: &mut Value) {
    let claims = object.pointer_mut("/spec/volumeClaimTemplates");
    for claim in claims.and_then(Value::as_array_mut).into_iter().flatten() {
        put(claim, "/apiVersion", "v1".into());
        put(claim, "/kind", "PersistentVolumeClaim".into());
        put(claim, "/status", json!({"phase": "Pending"}));
    }
}

fn defaults(name: &str, it: &mut Fields) {
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
