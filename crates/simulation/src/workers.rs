//! Acts as the controllers of a cluster do: workloads become ready after a while.

use std::{sync::Arc, time::Duration};

use http::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    request::send,
    state::{id, text},
    world::World,
};

/// Reports the status of Deployments, `StatefulSets` and Jobs, each after a delay that the seed decides.
pub(crate) async fn run(world: Arc<World>) {
    let mut seen = 0;
    loop {
        seen = world
            .server
            .until(|server| Some(server.revision()).filter(|revision| *revision > seen))
            .await;
        let reports = world.server.filter_map(|object| {
            let (path, status) = status(object)?;
            Some((path, status, id(object)))
        });
        for (path, status, id) in reports {
            if let Some(steering) = &world.steering {
                world.touch();
                let next = steering.report(world.setup.replicas, &id, &status);
                steering.turn(next, u64::MAX).await;
            } else {
                let delay = Duration::from_millis(fastrand::u64(5..500));
                world.busy(delay);
                sleep(delay).await;
            }
            let body = json!({ "status": status });
            let path = format!("{path}/status");
            let service = world.server.service();
            let sent = send(
                service,
                Method::PATCH,
                &path,
                "application/merge-patch+json",
                &body,
            );
            // The object may be deleted by now.
            if sent.await.is_ok_and(|(status, _)| status == 200) {
                world.log("cluster", || format!("{id} is ready"));
            }
            world.touch();
        }
    }
}

/// Returns the path of an object and the status that its controller would report, if it differs from the current one.
fn status(object: &Value) -> Option<(String, Value)> {
    let plural = match (text(object, "/apiVersion"), text(object, "/kind")) {
        ("apps/v1", "Deployment") => "apis/apps/v1/namespaces/{}/deployments",
        ("apps/v1", "StatefulSet") => "apis/apps/v1/namespaces/{}/statefulsets",
        ("batch/v1", "Job") => "apis/batch/v1/namespaces/{}/jobs",
        _ => return None,
    };
    let generation = object.pointer("/metadata/generation")?;
    let is_reported = if plural.ends_with("jobs") {
        object.pointer("/status/succeeded").is_some()
    } else {
        object.pointer("/status/observedGeneration") == Some(generation)
    };
    if is_reported {
        return None;
    }
    let namespace = text(object, "/metadata/namespace");
    let name = text(object, "/metadata/name");
    let path = format!("/{}/{name}", plural.replace("{}", namespace));
    let now = kube_codegen_record::clock::now().to_string();
    if plural.ends_with("jobs") {
        let status = json!({"succeeded": 1, "startTime": now, "completionTime": now, "conditions": [
            {"type": "Complete", "status": "True", "lastProbeTime": now, "lastTransitionTime": now},
        ]});
        return Some((path, status));
    }
    let replicas = object
        .pointer("/spec/replicas")
        .and_then(Value::as_i64)
        .unwrap_or(1);
    let mut status = json!({
        "observedGeneration": generation, "replicas": replicas, "readyReplicas": replicas,
        "updatedReplicas": replicas, "availableReplicas": replicas,
    });
    if plural.ends_with("deployments") {
        status["conditions"] = json!([
            {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "lastUpdateTime": now, "lastTransitionTime": now},
        ]);
    } else {
        status["currentReplicas"] = replicas.into();
    }
    Some((path, status))
}
