//! Deployments: a `ReplicaSet` for each template, scaled step by step, and the status that `kubectl rollout status` reads.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    events::Source,
    pass::{AGENT, Pass, condition, controller_of, hash, number, without_zeros},
};
use crate::values::object::{self, at, flag, map, now, put, section, text};

const REVISION: &str = "/metadata/annotations/deployment.kubernetes.io~1revision";
const HASH: &str = "pod-template-hash";

pub(super) fn run(pass: &mut Pass<'_>) {
    for deployment in pass.list("apps/v1", "Deployment") {
        reconcile(pass, &deployment);
    }
}

fn reconcile(pass: &mut Pass<'_>, deployment: &Value) {
    let sets = pass.owned(deployment, "ReplicaSet");
    let current = sets
        .iter()
        .find(|set| same_template(deployment, set))
        .cloned();
    let paused = flag(deployment, "/spec/paused");
    let recreate = text(deployment, "/spec/strategy/type") == "Recreate";
    let others: Vec<Arc<Value>> = sets
        .iter()
        .filter(|set| {
            current
                .as_ref()
                .is_none_or(|current| object::uid(current) != object::uid(set))
        })
        .cloned()
        .collect();
    if !paused {
        let newest = others
            .iter()
            .map(|set| revision(set))
            .max()
            .unwrap_or_default();
        match &current {
            // An old template has become current again: a roll-back.
            Some(current) if revision(current) <= newest => {
                let mut changed = Value::clone(current);
                put_revision(&mut changed, newest + 1);
                pass.update(&changed);
                return;
            }
            Some(current) if revision(current) != revision(deployment) => {
                let mut changed = deployment.clone();
                put_revision(&mut changed, revision(current));
                // A write of the status leaves the generation as it is.
                let updated = pass.client.update_status(AGENT, &changed);
                pass.accepted(deployment, "FailedUpdate", updated);
                return;
            }
            None => {
                pass.create(&replica_set(deployment, newest + 1));
                return;
            }
            Some(_) => {}
        }
    }
    if let Some(current) = &current {
        if paused {
            scale(
                pass,
                deployment,
                current,
                number(deployment, "/spec/replicas"),
            );
        } else if recreate {
            recreate_pods(pass, deployment, current, &others);
        } else {
            roll(pass, deployment, current, &others);
        }
        clean_up(pass, deployment, current, &others);
    }
    write_status(pass, deployment, current.as_deref(), &sets);
}

fn same_template(deployment: &Value, set: &Value) -> bool {
    let mut template = at(set, "/spec/template").clone();
    if let Some(labels) = template.pointer_mut("/metadata/labels") {
        map(labels).remove(HASH);
    }
    template == *at(deployment, "/spec/template")
}

fn revision(object: &Value) -> i64 {
    text(object, REVISION).parse().unwrap_or_default()
}

fn put_revision(object: &mut Value, revision: i64) {
    let annotations = section(object, "metadata").entry("annotations");
    map(annotations.or_insert(Value::Null)).insert(
        "deployment.kubernetes.io/revision".to_owned(),
        revision.to_string().into(),
    );
}

fn replica_set(deployment: &Value, revision: i64) -> Value {
    let template_hash = hash(at(deployment, "/spec/template"));
    let mut template = at(deployment, "/spec/template").clone();
    put(
        &mut template,
        &format!("/metadata/labels/{HASH}"),
        template_hash.clone().into(),
    );
    let mut selector = at(deployment, "/spec/selector").clone();
    put(
        &mut selector,
        &format!("/matchLabels/{HASH}"),
        template_hash.clone().into(),
    );
    let mut set = json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": format!("{}-{template_hash}", object::name(deployment)),
            "namespace": object::namespace(deployment),
            "labels": at(&template, "/metadata/labels"),
            "annotations": {
                "deployment.kubernetes.io/desired-replicas": number(deployment, "/spec/replicas").to_string(),
                "deployment.kubernetes.io/max-replicas": (number(deployment, "/spec/replicas") + surge(deployment)).to_string(),
            },
            "ownerReferences": controller_of(deployment),
        },
        "spec": {"replicas": 0, "selector": selector, "template": template},
    });
    if number(deployment, "/spec/minReadySeconds") > 0 {
        set["spec"]["minReadySeconds"] = at(deployment, "/spec/minReadySeconds").clone();
    }
    put_revision(&mut set, revision);
    set
}

/// Returns an absolute number, or that share of `replicas`.
fn share(value: &Value, replicas: i64, up: bool) -> i64 {
    if let Some(number) = value.as_i64() {
        return number;
    }
    let text = value.as_str().unwrap_or("25%");
    let percent: i64 = text.trim_end_matches('%').parse().unwrap_or(25);
    (replicas * percent + if up { 99 } else { 0 }) / 100
}

fn surge(deployment: &Value) -> i64 {
    let replicas = number(deployment, "/spec/replicas");
    share(
        at(deployment, "/spec/strategy/rollingUpdate/maxSurge"),
        replicas,
        true,
    )
}

/// Returns how many replicas may be unavailable.
fn slack(deployment: &Value) -> i64 {
    let replicas = number(deployment, "/spec/replicas");
    let slack = share(
        at(deployment, "/spec/strategy/rollingUpdate/maxUnavailable"),
        replicas,
        false,
    );
    match (slack, surge(deployment)) {
        (0, 0) => 1,
        _ => slack.min(replicas),
    }
}

/// Gives a `ReplicaSet` another size.
fn scale(pass: &mut Pass<'_>, deployment: &Value, set: &Value, size: i64) {
    let before = number(set, "/spec/replicas");
    if before == size {
        return;
    }
    let mut changed = set.clone();
    put(&mut changed, "/spec/replicas", size.into());
    if pass.update(&changed) {
        let message = format!(
            "Scaled {} replica set {} from {before} to {size}",
            if before < size { "up" } else { "down" },
            object::name(set)
        );
        let source = Source::Controller("deployment-controller");
        pass.normal(source, deployment, "ScalingReplicaSet", &message);
    }
}

fn recreate_pods(pass: &mut Pass<'_>, deployment: &Value, current: &Value, others: &[Arc<Value>]) {
    for other in others {
        scale(pass, deployment, other, 0);
    }
    if others
        .iter()
        .all(|other| number(other, "/status/replicas") == 0)
    {
        scale(
            pass,
            deployment,
            current,
            number(deployment, "/spec/replicas"),
        );
    }
}

/// One step of a rolling update.
fn roll(pass: &mut Pass<'_>, deployment: &Value, current: &Value, others: &[Arc<Value>]) {
    let wanted = number(deployment, "/spec/replicas");
    let size = |set: &Value| number(set, "/spec/replicas");
    let available = |set: &Value| number(set, "/status/availableReplicas").min(size(set));
    let total: i64 = others.iter().map(|set| size(set)).sum::<i64>() + size(current);
    let mut grown = size(current);
    if grown > wanted {
        grown = wanted;
    } else {
        grown += (wanted + surge(deployment) - total).clamp(0, wanted - grown);
    }
    let total = total - size(current) + grown;
    scale(pass, deployment, current, grown);

    let least = wanted - slack(deployment);
    let missing = grown - available(current).min(grown);
    let mut left = total - least - missing;
    let mut sizes: Vec<i64> = others.iter().map(|set| size(set)).collect();
    // First those that are not available, then as many as may be.
    for (set, size) in others.iter().zip(&mut sizes) {
        let step = (*size - available(set)).min(left).max(0);
        *size -= step;
        left -= step;
    }
    let running: i64 = others.iter().map(|set| available(set)).sum::<i64>() + available(current);
    let mut left = (running - least).max(0);
    for (set, size) in others.iter().zip(&mut sizes) {
        let step = (*size).min(left).max(0);
        *size -= step;
        left -= step;
        scale(pass, deployment, set, *size);
    }
}

/// Deletes old `ReplicaSets` without Pods beyond the limit of the history.
fn clean_up(pass: &mut Pass<'_>, deployment: &Value, current: &Value, others: &[Arc<Value>]) {
    let limit = at(deployment, "/spec/revisionHistoryLimit")
        .as_u64()
        .unwrap_or(10);
    let mut idle: Vec<_> = others
        .iter()
        .filter(|set| number(set, "/spec/replicas") == 0 && number(set, "/status/replicas") == 0)
        .collect();
    idle.sort_by_key(|set| revision(set));
    let extra = idle
        .len()
        .saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX));
    if revision(current) > 0 {
        for set in idle.into_iter().take(extra) {
            pass.delete(set);
        }
    }
}

fn write_status(
    pass: &mut Pass<'_>,
    deployment: &Value,
    current: Option<&Value>,
    sets: &[Arc<Value>],
) {
    let wanted = number(deployment, "/spec/replicas");
    let sum = |pointer: &str| sets.iter().map(|set| number(set, pointer)).sum::<i64>();
    let (replicas, available) = (sum("/status/replicas"), sum("/status/availableReplicas"));
    let updated = current.map_or(0, |set| number(set, "/status/replicas"));
    let mut conditions = Vec::new();
    conditions.push(if available >= wanted - slack(deployment) {
        condition(
            "Available",
            true,
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.",
        )
    } else {
        condition(
            "Available",
            false,
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    });
    if let Some(current) = current {
        let name = object::name(current);
        let complete = updated == wanted && replicas == wanted && available == wanted;
        let limit = at(deployment, "/spec/progressDeadlineSeconds")
            .as_u64()
            .unwrap_or(600);
        let progress = format!(
            "progress/{}/{}/{updated}/{available}",
            object::uid(deployment),
            object::uid(current)
        );
        conditions.push(if complete {
            let message = format!("ReplicaSet {name:?} has successfully progressed.");
            condition("Progressing", true, "NewReplicaSetAvailable", &message)
        } else if pass.waited(progress, std::time::Duration::from_secs(limit)) {
            let message = format!("ReplicaSet {name:?} has timed out progressing.");
            condition("Progressing", false, "ProgressDeadlineExceeded", &message)
        } else if updated == 0 {
            let message = format!("Created new replica set {name:?}");
            condition("Progressing", true, "NewReplicaSetCreated", &message)
        } else {
            let message = format!("ReplicaSet {name:?} is progressing.");
            condition("Progressing", true, "ReplicaSetUpdated", &message)
        });
    }
    for condition in &mut conditions {
        condition["lastUpdateTime"] = now();
    }
    let mut status = without_zeros(json!({
        "observedGeneration": at(deployment, "/metadata/generation"),
        "replicas": replicas,
        "updatedReplicas": updated,
        "readyReplicas": sum("/status/readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": (wanted - available).max(0),
    }));
    status["conditions"] = conditions.into();
    pass.set_status(deployment, status);
}
