//! `StatefulSets`: Pods with ordinals, one after the other, and their claims.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    events::Source,
    pass::{AGENT, Pass, controller_of, hash, number, pod_of, ready, without_zeros},
    sets::available,
};
use crate::values::object::{self, at, list, map, put, section, text};

const REVISION: &str = "/metadata/labels/controller-revision-hash";

const SOURCE: Source<'_> = Source::Controller("statefulset-controller");

pub(super) fn run(pass: &mut Pass<'_>) {
    for set in pass.list("apps/v1", "StatefulSet") {
        reconcile(pass, &set);
    }
}

fn ordinal(pod: &Value) -> i64 {
    let (_, number) = object::name(pod).rsplit_once('-').unwrap_or_default();
    number.parse().unwrap_or(i64::MAX)
}

fn reconcile(pass: &mut Pass<'_>, set: &Value) {
    let wanted = number(set, "/spec/replicas");
    let first = number(set, "/spec/ordinals/start");
    let parallel = text(set, "/spec/podManagementPolicy") == "Parallel";
    let update = format!("{}-{}", object::name(set), hash(at(set, "/spec/template")));
    record_revision(pass, set, &update);
    let mut pods = pass.owned(set, "Pod");
    pods.sort_by_key(|pod| ordinal(pod));

    let mut waiting = false;
    let known: HashMap<i64, &Arc<Value>> = pods.iter().map(|pod| (ordinal(pod), pod)).collect();
    for number in first..first + wanted {
        match known.get(&number) {
            Some(pod) if matches!(text(pod, "/status/phase"), "Failed" | "Succeeded") => {
                delete(pass, set, pod);
                waiting = true;
            }
            Some(pod) => waiting |= !ready(pod),
            None => {
                waiting = true;
                if !create(pass, set, number, &update) {
                    break;
                }
            }
        }
        if waiting && !parallel {
            break;
        }
    }
    // The highest ordinals go first.
    let extra = pods
        .iter()
        .rev()
        .filter(|pod| ordinal(pod) >= first + wanted);
    for pod in extra.take(if parallel { pods.len() } else { 1 }) {
        delete(pass, set, pod);
        waiting = true;
    }
    if !waiting && text(set, "/spec/updateStrategy/type") != "OnDelete" {
        let partition = number(set, "/spec/updateStrategy/rollingUpdate/partition");
        let outdated = pods
            .iter()
            .rev()
            .find(|pod| text(pod, REVISION) != update && ordinal(pod) >= partition);
        if let Some(pod) = outdated {
            delete(pass, set, pod);
        }
    }
    write_status(pass, set, &update);
}

/// Creates a Pod and its claims, and returns whether another one could be created, too.
fn create(pass: &mut Pass<'_>, set: &Value, number: i64, revision: &str) -> bool {
    if !pass.has_room("statefulset-controller", set) {
        return false;
    }
    let of = object::name(set);
    let name = format!("{of}-{number}");
    let mut pod = pod_of(set, at(set, "/spec/template"));
    let metadata = section(&mut pod, "metadata");
    metadata.remove("generateName");
    metadata.insert("name".to_owned(), name.clone().into());
    let labels = map(metadata.entry("labels").or_insert(Value::Null));
    labels.insert("controller-revision-hash".to_owned(), revision.into());
    labels.insert(
        "apps.kubernetes.io/pod-index".to_owned(),
        number.to_string().into(),
    );
    labels.insert(
        "statefulset.kubernetes.io/pod-name".to_owned(),
        name.clone().into(),
    );
    put(&mut pod, "/spec/hostname", name.clone().into());
    if !text(set, "/spec/serviceName").is_empty() {
        put(
            &mut pod,
            "/spec/subdomain",
            at(set, "/spec/serviceName").clone(),
        );
    }
    let mut volumes = list(&pod, "/spec/volumes").to_vec();
    for template in list(set, "/spec/volumeClaimTemplates") {
        let claim = format!("{}-{name}", object::name(template));
        volumes.retain(|volume| text(volume, "/name") != object::name(template));
        volumes.push(
            json!({"name": object::name(template), "persistentVolumeClaim": {"claimName": claim}}),
        );
        let namespace = object::namespace(set);
        if pass
            .client
            .get("v1", "PersistentVolumeClaim", namespace, &claim)
            .is_none()
        {
            let labels = at(set, "/spec/selector/matchLabels");
            let created = pass.create(&json!({
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": claim, "namespace": namespace, "labels": labels},
                "spec": at(template, "/spec"),
            }));
            if created.is_some() {
                let message =
                    format!("Create Claim {claim} Pod {name} in StatefulSet {of} success");
                pass.normal(SOURCE, set, "SuccessfulCreate", &message);
            }
        }
    }
    if !volumes.is_empty() {
        put(&mut pod, "/spec/volumes", volumes.into());
    }
    match pass.client.create(AGENT, &pod) {
        Ok(_) => {
            let message = format!("Create Pod {name} in StatefulSet {of} successful");
            pass.clear(set, "FailedCreate");
            pass.normal(SOURCE, set, "SuccessfulCreate", &message);
            true
        }
        Err(status) => {
            let why = &status.message;
            let message = format!("Create Pod {name} in StatefulSet {of} failed error: {why}");
            pass.warning(SOURCE, set, "FailedCreate", &message);
            false
        }
    }
}

fn delete(pass: &mut Pass<'_>, set: &Value, pod: &Value) {
    if pass.delete(pod) {
        let (name, of) = (object::name(pod), object::name(set));
        let message = format!("Delete Pod {name} in StatefulSet {of} successful");
        pass.normal(SOURCE, set, "SuccessfulDelete", &message);
    }
}

/// Keeps the template as a `ControllerRevision`, which `kubectl rollout history` reads.
fn record_revision(pass: &mut Pass<'_>, set: &Value, name: &str) {
    let known = pass.owned(set, "ControllerRevision");
    if known.iter().any(|it| object::name(it) == name) {
        return;
    }
    let newest = known.iter().map(|it| number(it, "/revision")).max();
    pass.create(&json!({
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": name,
            "namespace": object::namespace(set),
            "labels": at(set, "/spec/template/metadata/labels"),
            "ownerReferences": controller_of(set),
        },
        "data": {"spec": {"template": at(set, "/spec/template")}},
        "revision": newest.unwrap_or_default() + 1,
    }));
}

fn write_status(pass: &mut Pass<'_>, set: &Value, update: &str) {
    let pods = pass.owned(set, "Pod");
    let updated: Vec<&Arc<Value>> = pods
        .iter()
        .filter(|pod| text(pod, REVISION) == update)
        .collect();
    let done = updated.len() == pods.len() && pods.iter().all(|pod| ready(pod));
    let current = match text(set, "/status/currentRevision") {
        kept if !done && !kept.is_empty() => kept.to_owned(),
        _ => update.to_owned(),
    };
    let is_current = |pod: &&Arc<Value>| text(pod, REVISION) == current;
    let mut status = without_zeros(json!({
        "observedGeneration": at(set, "/metadata/generation"),
        "readyReplicas": pods.iter().filter(|pod| ready(pod)).count(),
        "currentReplicas": pods.iter().filter(is_current).count(),
        "updatedReplicas": updated.len(),
    }));
    status["replicas"] = pods.len().into();
    status["availableReplicas"] = available(pass, set, &pods).into();
    status["currentRevision"] = current.into();
    status["updateRevision"] = update.into();
    status["collisionCount"] = 0.into();
    pass.set_status(set, status);
}
