//! `ReplicaSets` and `DaemonSets`: as many Pods as they want.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::pass::{Pass, active, hash, number, pod_of, ready, without_zeros};
use crate::values::object::{self, at, put, text};

const DAEMONS: &str = "daemonset-controller";

pub(super) fn replica_sets(pass: &mut Pass<'_>) {
    for set in pass.list("apps/v1", "ReplicaSet") {
        let mut pods = pass.owned(&set, "Pod");
        pods.retain(|pod| active(pod));
        let wanted = usize::try_from(number(&set, "/spec/replicas")).unwrap_or_default();
        for _ in pods.len()..wanted {
            let pod = pod_of(&set, at(&set, "/spec/template"));
            if !pass.create_pod("replicaset-controller", &set, &pod) {
                break;
            }
        }
        if pods.len() > wanted {
            // Those that run longest remain.
            pods.sort_by_key(|pod| {
                let created = text(pod, "/metadata/creationTimestamp").to_owned();
                (!ready(pod), created, object::name(pod).to_owned())
            });
            for pod in pods.drain(wanted..) {
                pass.delete_pod("replicaset-controller", &set, &pod);
            }
        }
        let mut pods = pass.owned(&set, "Pod");
        pods.retain(|pod| active(pod));
        let labels = at(&set, "/spec/template/metadata/labels");
        let labeled = pods.iter().filter(|pod| has_labels(pod, labels)).count();
        let mut status = without_zeros(json!({
            "observedGeneration": at(&set, "/metadata/generation"),
            "fullyLabeledReplicas": labeled,
            "readyReplicas": pods.iter().filter(|pod| ready(pod)).count(),
            "availableReplicas": available(pass, &set, &pods),
        }));
        status["replicas"] = pods.len().into();
        pass.set_status(&set, status);
    }
}

fn has_labels(pod: &Value, labels: &Value) -> bool {
    labels
        .as_object()
        .into_iter()
        .flatten()
        .all(|(key, value)| at(pod, "/metadata/labels").get(key) == Some(value))
}

/// Returns how many Pods have been ready for `minReadySeconds`.
pub(super) fn available(pass: &mut Pass<'_>, owner: &Value, pods: &[Arc<Value>]) -> usize {
    let time = at(owner, "/spec/minReadySeconds")
        .as_u64()
        .unwrap_or_default();
    pods.iter()
        .filter(|pod| {
            let what = format!("available/{}", object::uid(pod));
            ready(pod) && (time == 0 || pass.waited(what, Duration::from_secs(time)))
        })
        .count()
}

pub(super) fn daemon_sets(pass: &mut Pass<'_>) {
    for set in pass.list("apps/v1", "DaemonSet") {
        let nodes = pass.list("v1", "Node");
        let pods = pass.owned(&set, "Pod");
        let revision = hash(at(&set, "/spec/template"));
        let label = "/metadata/labels/controller-revision-hash";
        for node in &nodes {
            let here = |pod: &&Arc<Value>| text(pod, "/spec/nodeName") == object::name(node);
            match pods.iter().find(here) {
                None => {
                    let mut pod = pod_of(&set, at(&set, "/spec/template"));
                    put(&mut pod, "/spec/nodeName", object::name(node).into());
                    put(&mut pod, label, revision.clone().into());
                    pass.create_pod(DAEMONS, &set, &pod);
                }
                // One outdated Pod after the other is replaced.
                Some(pod)
                    if text(pod, label) != revision
                        && text(&set, "/spec/updateStrategy/type") != "OnDelete"
                        && pods.iter().filter(|it| ready(it)).count() == nodes.len() =>
                {
                    pass.delete_pod(DAEMONS, &set, pod);
                    break;
                }
                Some(_) => {}
            }
        }
        for pod in &pods {
            if !nodes
                .iter()
                .any(|node| object::name(node) == text(pod, "/spec/nodeName"))
            {
                pass.delete_pod(DAEMONS, &set, pod);
            }
        }
        let pods = pass.owned(&set, "Pod");
        let ready_pods = pods.iter().filter(|pod| ready(pod)).count();
        let available = available(pass, &set, &pods);
        let optional = without_zeros(json!({
            "observedGeneration": at(&set, "/metadata/generation"),
            "updatedNumberScheduled": pods.iter().filter(|pod| text(pod, label) == revision).count(),
            "numberAvailable": available,
            "numberUnavailable": nodes.len().saturating_sub(available),
        }));
        let mut status = json!({
            "currentNumberScheduled": pods.len(),
            "desiredNumberScheduled": nodes.len(),
            "numberMisscheduled": 0,
            "numberReady": ready_pods,
        });
        object::map(&mut status).extend(optional.as_object().cloned().unwrap_or_default());
        pass.set_status(&set, status);
    }
}
