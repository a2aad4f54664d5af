//! Acts as a kubelet does, for the Pods that an operator makes itself.

use serde_json::{Value, json};

use super::world::Pods;
use crate::state::text;

/// Returns the path of a Pod and the status that its kubelet would report, if it differs from the current one. A Pod that is not restarted ends.
pub(super) fn status(pod: &Value, pods: Pods) -> Option<(String, Value)> {
    let is_restarted = text(pod, "/spec/restartPolicy") != "Never";
    let phase = text(pod, "/status/phase");
    if !is_restarted && (pods == Pods::Failing || matches!(phase, "Succeeded" | "Failed")) {
        return None;
    }
    let is_ready = pods == Pods::Ready && is_restarted;
    let shown = if is_restarted { "Running" } else { "Succeeded" };
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
    let conditions = conditions.into_iter().flatten();
    let known = conditions.clone().find(|it| text(it, "/type") == "Ready");
    let known = known.map(|it| text(it, "/status") == "True");
    if phase == shown && known == Some(is_ready) {
        return None;
    }
    let now = kube_codegen_record::clock::now().to_string();
    let reason = match pods {
        _ if !is_restarted => "PodCompleted",
        Pods::Ready => "",
        Pods::Lost => "NodeNotReady",
        Pods::Failing => "ContainersNotReady",
    };
    let condition = |name: &str, is_true: bool, reason: &str| {
        let status = if is_true { "True" } else { "False" };
        let mut condition = json!({"type": name, "status": status, "lastTransitionTime": now});
        if !reason.is_empty() {
            condition["reason"] = reason.into();
        }
        condition
    };
    let containers = pod.pointer("/spec/containers").and_then(Value::as_array);
    let containers = containers.into_iter().flatten().map(|container| {
        let state = match shown {
            "Running" => json!({"running": {"startedAt": now}}),
            _ => json!({"terminated": {"exitCode": 0, "reason": "Completed", "finishedAt": now}}),
        };
        json!({
            "name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0,
            "ready": is_ready, "started": shown == "Running", "state": state,
        })
    });
    let mut reported = vec![
        condition("Initialized", true, ""),
        condition("Ready", is_ready, reason),
        condition("ContainersReady", is_ready, reason),
        condition("PodScheduled", true, ""),
    ];
    // A merge patch replaces the list, with the conditions of other clients, such as of readiness gates.
    let is_own = |it: &Value| reported.iter().any(|own| own["type"] == it["type"]);
    let others: Vec<Value> = conditions.filter(|it| !is_own(it)).cloned().collect();
    reported.extend(others);
    let status = json!({
        "phase": shown,
        "startTime": pod.pointer("/status/startTime").cloned().unwrap_or_else(|| json!(now)),
        "conditions": reported,
        "containerStatuses": containers.collect::<Vec<_>>(),
    });
    let (namespace, name) = (
        text(pod, "/metadata/namespace"),
        text(pod, "/metadata/name"),
    );
    Some((
        format!("/api/v1/namespaces/{namespace}/pods/{name}"),
        status,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_runs_until_its_node_is_lost() {
        let mut pod = json!({
            "metadata": {"name": "a", "namespace": "b"},
            "spec": {"containers": [{"name": "c", "image": "d"}]},
        });
        let (path, running) = status(&pod, Pods::Ready).unwrap();
        assert_eq!(path, "/api/v1/namespaces/b/pods/a");
        assert_eq!(running["conditions"][1]["status"], "True");
        pod["status"] = running;
        assert_eq!(status(&pod, Pods::Ready), None);
        let gate = json!({"type": "example.com/gate", "status": "True"});
        pod["status"]["conditions"]
            .as_array_mut()
            .unwrap()
            .push(gate.clone());
        let (_, lost) = status(&pod, Pods::Lost).unwrap();
        assert_eq!(lost["conditions"][1]["reason"], "NodeNotReady");
        assert_eq!(lost["conditions"][4], gate);
        pod["status"] = lost;
        assert_eq!(status(&pod, Pods::Lost), None);
    }

    #[test]
    fn a_pod_that_is_not_restarted_ends() {
        let mut pod = json!({"metadata": {"name": "a"}, "spec": {"restartPolicy": "Never"}});
        assert_eq!(status(&pod, Pods::Failing), None);
        let (_, ended) = status(&pod, Pods::Ready).unwrap();
        assert_eq!(ended["phase"], "Succeeded");
        pod["status"] = ended;
        assert_eq!(status(&pod, Pods::Lost), None);
    }
}
