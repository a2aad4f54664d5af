//! Acts as the controllers of a cluster do: workloads become ready after a while.

use std::{sync::Arc, time::Duration};

use http::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    pod,
    world::{Pods, World},
};
use crate::{
    request::send_own,
    state::{id, text},
    timeline::Happening,
};

/// The finalizer of claims that the cluster removes.
const PROTECTION: &str = "kubernetes.io/pvc-protection";

/// Reports the status of Deployments, `StatefulSets` and Jobs, and releases deleted claims, each after a delay that the seed decides.
pub(crate) async fn run(world: Arc<World>) {
    let mut seen = 0;
    loop {
        let changed = world
            .server
            .until(|server| Some(server.revision()).filter(|revision| *revision > seen));
        tokio::select! {
            biased;
            revision = changed => seen = revision,
            () = world.nodes_change.notified() => {}
        }
        let nodes = world.nodes();
        let reports = world.server.filter_map(|object| {
            let pods = nodes.pods_of(text(object, "/metadata/uid"));
            let (path, mut body) = report(object, pods)?;
            // A new object of the same name gets a report of its own.
            body["metadata"]["uid"] = object.pointer("/metadata/uid")?.clone();
            Some((path, body, id(object), pods))
        });
        for (path, body, id, pods) in reports {
            if let Some(steering) = &world.steering {
                world.touch();
                let next = steering.report(world.setup.replicas, &id, &body);
                steering.turn(next, u64::MAX).await;
            } else {
                let delay = Duration::from_millis(fastrand::u64(5..500));
                world.busy(delay);
                sleep(delay).await;
            }
            let merge = "application/merge-patch+json";
            // The object may be deleted by now.
            let sent = send_own(&world.server, Method::PATCH, &path, merge, &body).await;
            if sent.is_some() {
                world.log(|| {
                    let what = match (path.ends_with("/status"), pods) {
                        (true, Pods::Ready) => "is ready",
                        (true, Pods::Lost) => "has lost a Pod",
                        (true, Pods::Failing) => "is not ready",
                        (false, _) => "is released",
                    };
                    Happening::Cluster { object: id, what }
                });
            }
            world.touch();
        }
    }
}

/// Returns the path and the merge patch of what the cluster would report about an object next.
fn report(object: &Value, pods: Pods) -> Option<(String, Value)> {
    let (path, status) = match text(object, "/kind") {
        "PersistentVolumeClaim" => return release(object),
        "Pod" => pod::status(object, pods)?,
        _ => status(object, pods)?,
    };
    Some((format!("{path}/status"), json!({ "status": status })))
}

/// Releases a deleted claim, which no Pod uses.
fn release(claim: &Value) -> Option<(String, Value)> {
    let metadata = claim.get("metadata")?;
    metadata.get("deletionTimestamp")?;
    let finalizers = metadata.get("finalizers")?.as_array()?;
    let kept: Vec<&Value> = finalizers
        .iter()
        .filter(|name| *name != PROTECTION)
        .collect();
    if kept.len() == finalizers.len() {
        return None;
    }
    let (namespace, name) = (text(metadata, "/namespace"), text(metadata, "/name"));
    let path = format!("/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}");
    // Another client may add a finalizer meanwhile.
    let version = &metadata["resourceVersion"];
    let body = json!({"metadata": {"finalizers": kept, "resourceVersion": version}});
    Some((path, body))
}

/// Returns the path of an object and the status that its controller would report, if it differs from the current one.
fn status(object: &Value, pods: Pods) -> Option<(String, Value)> {
    let plural = match (text(object, "/apiVersion"), text(object, "/kind")) {
        ("apps/v1", "Deployment") => "apis/apps/v1/namespaces/{}/deployments",
        ("apps/v1", "StatefulSet") => "apis/apps/v1/namespaces/{}/statefulsets",
        ("batch/v1", "Job") => "apis/batch/v1/namespaces/{}/jobs",
        _ => return None,
    };
    let generation = object.pointer("/metadata/generation")?;
    let status = &object["status"];
    let replicas = object
        .pointer("/spec/replicas")
        .and_then(Value::as_i64)
        .unwrap_or(1);
    let ready = match pods {
        Pods::Ready => replicas,
        Pods::Lost => (replicas - 1).max(0),
        Pods::Failing => 0,
    };
    let is_reported = if plural.ends_with("jobs") {
        status.get("succeeded").is_some() || status.get("failed").is_some()
    } else {
        status.get("observedGeneration") == Some(generation)
            // The API server leaves out a count of zero.
            && status["readyReplicas"].as_i64().unwrap_or(0) == ready
    };
    if is_reported {
        return None;
    }
    let namespace = text(object, "/metadata/namespace");
    let name = text(object, "/metadata/name");
    let path = format!("/{}/{name}", plural.replace("{}", namespace));
    let now = kube_codegen_record::clock::now().to_string();
    if plural.ends_with("jobs") {
        // The server accepts the end of a Job only after the condition that announces it.
        let ended = |conditions: [&str; 2], reason: &str| {
            let conditions = conditions.map(|name| {
                json!({"type": name, "status": "True", "reason": reason, "lastProbeTime": now, "lastTransitionTime": now})
            });
            json!({"startTime": now, "conditions": conditions})
        };
        let mut status;
        if pods == Pods::Failing {
            status = ended(["FailureTarget", "Failed"], "BackoffLimitExceeded");
            status["failed"] = 1.into();
        } else {
            status = ended(["SuccessCriteriaMet", "Complete"], "CompletionsReached");
            status["succeeded"] = 1.into();
            status["completionTime"] = now.as_str().into();
        }
        return Some((path, status));
    }
    let mut status = json!({
        "observedGeneration": generation, "replicas": replicas, "readyReplicas": ready,
        "updatedReplicas": replicas, "availableReplicas": ready,
    });
    if plural.ends_with("deployments") {
        // By default, a quarter may be missing.
        let (is_available, reason) = if ready >= replicas - replicas / 4 {
            ("True", "MinimumReplicasAvailable")
        } else {
            ("False", "MinimumReplicasUnavailable")
        };
        status["conditions"] = json!([
            {"type": "Available", "status": is_available, "reason": reason, "lastUpdateTime": now, "lastTransitionTime": now},
        ]);
    } else {
        status["currentReplicas"] = replicas.into();
    }
    Some((path, status))
}
