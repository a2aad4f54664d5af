//! The scheduler and the kubelets: a Pod gets a node, runs, becomes ready, crashes or ends.

use std::{collections::HashMap, sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::{
    PodPlan,
    events::Source,
    pass::{Pass, active, condition, number},
};
use crate::values::object::{self, at, flag, list, now, put, text};

const ANNOTATION: &str = "/metadata/annotations/kube-codegen.dev~1pod";
/// How long Pods stay on a node that is not ready (`tolerationSeconds` of the plugin `DefaultTolerationSeconds`).
const EVICTION: Duration = Duration::from_secs(300);
/// The kubelet's limit of the back-off of containers.
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// What the status of a Pod says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Unschedulable,
    Creating,
    Ready,
    NodeLost,
    Crashed(i64),
    Succeeded,
    Failed,
}

pub(super) fn run(pass: &mut Pass<'_>) {
    let nodes = pass.list("v1", "Node");
    let pods = pass.list("v1", "Pod");
    let mut load = Load::new();
    for pod in &pods {
        let node = text(pod, "/spec/nodeName").to_owned();
        *load.entry(node).or_default() += 1;
    }
    for pod in pods.iter().filter(|pod| active(pod)) {
        step(pass, &nodes, &mut load, pod);
    }
    for pod in pass.deleted_pods() {
        let grace = number(&pod, "/metadata/deletionGracePeriodSeconds");
        let grace = Duration::from_secs(grace.try_into().unwrap_or_default());
        let wait = format!("end/{}", object::uid(&pod));
        if pass.waited(wait, grace.min(pass.options.ends_after)) {
            for container in list(&pod, "/spec/containers") {
                let name = text(container, "/name");
                let source = Source::Kubelet(text(&pod, "/spec/nodeName"), name);
                let message = format!("Stopping container {name}");
                pass.once(source, &pod, "Killing", &message);
            }
            pass.client.end(&pod);
        }
    }
}

fn plan(pass: &Pass<'_>, pod: &Value) -> PodPlan {
    let usual = PodPlan::Ready(pass.options.ready_after);
    if let Some(planner) = &pass.options.planner {
        return serde_json::from_value(pod.clone()).map_or(usual, |pod| planner(&pod));
    }
    match text(pod, ANNOTATION) {
        "pending" => PodPlan::Pending,
        "crash" => PodPlan::Crash(pass.options.ready_after),
        time => time.trim_end_matches('s').parse().map_or(usual, |seconds| {
            PodPlan::Ready(Duration::from_secs(seconds))
        }),
    }
}

/// How many Pods each node has.
type Load = HashMap<String, usize>;

fn step(pass: &mut Pass<'_>, nodes: &[Arc<Value>], load: &mut Load, pod: &Arc<Value>) {
    let plan = plan(pass, pod);
    let node = text(pod, "/spec/nodeName");
    if !list(pod, "/spec/schedulingGates").is_empty() {
        return;
    }
    if node.is_empty() {
        let chosen = match plan {
            PodPlan::Pending => None,
            _ => choose(nodes, load),
        };
        if let Some(node) = chosen {
            bind(pass, pod, &node);
            *load.entry(node).or_default() += 1;
        } else {
            set_stage(pass, pod, Stage::Unschedulable, nodes.len());
            let message = unschedulable(nodes.len());
            pass.warning(Source::Scheduler, pod, "FailedScheduling", &message);
        }
        return;
    }
    let uid = object::uid(pod).to_owned();
    match nodes.iter().find(|found| object::name(found) == node) {
        None => {
            pass.client.end(pod);
            return;
        }
        Some(found) if !is_ready(found) => {
            if pass.waited(format!("lost/{uid}"), EVICTION) {
                pass.delete(pod);
            } else {
                set_stage(pass, pod, Stage::NodeLost, nodes.len());
            }
            return;
        }
        Some(_) => {}
    }
    let is_job = list(pod, "/metadata/ownerReferences")
        .iter()
        .any(|owner| text(owner, "/kind") == "Job" && flag(owner, "/controller"));
    let ends =
        is_job || pass.options.ends_unrestarted && text(pod, "/spec/restartPolicy") == "Never";
    let start = format!("start/{uid}");
    let stage = match plan {
        PodPlan::Pending => Stage::Creating,
        PodPlan::Ready(time) if !pass.waited(start.clone(), time) => Stage::Creating,
        PodPlan::Ready(time) if ends => {
            if pass.waited(start, time + pass.options.done_after) {
                Stage::Succeeded
            } else {
                Stage::Ready
            }
        }
        PodPlan::Ready(_) => Stage::Ready,
        PodPlan::Crash(time) if !pass.waited(start, time) => Stage::Creating,
        PodPlan::Crash(_) if ends => Stage::Failed,
        PodPlan::Crash(_) => Stage::Crashed(restarts(pass, pod)),
    };
    set_stage(pass, pod, stage, nodes.len());
}

fn is_ready(node: &Value) -> bool {
    let conditions = list(node, "/status/conditions");
    let ready = conditions.iter().find(|it| text(it, "/type") == "Ready");
    ready.is_none_or(|it| text(it, "/status") == "True")
}

/// Returns the ready node with the fewest Pods.
fn choose(nodes: &[Arc<Value>], load: &Load) -> Option<String> {
    nodes
        .iter()
        .filter(|node| is_ready(node) && !flag(node, "/spec/unschedulable"))
        .min_by_key(|node| load.get(object::name(node)))
        .map(|node| object::name(node).to_owned())
}

/// Binds a Pod to a node.
fn bind(pass: &mut Pass<'_>, pod: &Value, node: &str) {
    let bound = pass.client.bind("kube-scheduler", pod, node);
    if pass.accepted(pod, "FailedBinding", bound).is_none() {
        return;
    }
    let (namespace, name) = (object::namespace(pod), object::name(pod));
    let message = format!("Successfully assigned {namespace}/{name} to {node}");
    pass.normal(Source::Scheduler, pod, "Scheduled", &message);
}

/// Returns how often the containers have been restarted, one more when the back-off is over.
fn restarts(pass: &mut Pass<'_>, pod: &Value) -> i64 {
    let count = number(pod, "/status/containerStatuses/0/restartCount");
    if count == 0 {
        return 1;
    }
    let exponent = u32::try_from(count - 1).unwrap_or(5).min(5);
    let wait = (Duration::from_secs(10) * 2_u32.pow(exponent)).min(MAX_BACKOFF);
    let what = format!("back-off/{}/{count}", object::uid(pod));
    count + i64::from(pass.waited(what, wait))
}

/// Reads the stage from the status.
fn stage_of(pod: &Value) -> Option<Stage> {
    let conditions = list(pod, "/status/conditions");
    let find = |name: &str| conditions.iter().find(|it| text(it, "/type") == name);
    let scheduled = find("PodScheduled")?;
    if text(scheduled, "/reason") == "Unschedulable" {
        return Some(Stage::Unschedulable);
    }
    let ready = find("Ready")?;
    if text(ready, "/reason") == "NodeNotReady" {
        return Some(Stage::NodeLost);
    }
    if text(ready, "/status") == "True" {
        return Some(Stage::Ready);
    }
    let waiting = at(pod, "/status/containerStatuses/0/state/waiting");
    match text(waiting, "/reason") {
        "CrashLoopBackOff" => Some(Stage::Crashed(number(
            pod,
            "/status/containerStatuses/0/restartCount",
        ))),
        "ContainerCreating" => Some(Stage::Creating),
        _ => None,
    }
}

fn set_stage(pass: &mut Pass<'_>, pod: &Value, stage: Stage, nodes: usize) {
    if stage_of(pod) == Some(stage) {
        return;
    }
    let status = status(pod, stage, nodes);
    pass.set_status(pod, status);
    let has_run = !list(pod, "/status/containerStatuses").is_empty()
        && !text(pod, "/status/podIP").is_empty();
    for container in list(pod, "/spec/containers") {
        let name = text(container, "/name");
        let source = Source::Kubelet(text(pod, "/spec/nodeName"), name);
        match stage {
            Stage::Crashed(count) if count > 1 => {
                let (pod_name, namespace) = (object::name(pod), object::namespace(pod));
                let uid = object::uid(pod);
                let message = format!(
                    "Back-off restarting failed container {name} in pod {pod_name}_{namespace}({uid})"
                );
                pass.warning(source, pod, "BackOff", &message);
            }
            Stage::Ready | Stage::Crashed(_) | Stage::Succeeded | Stage::Failed if !has_run => {
                let image = text(container, "/image");
                let pulled = format!("Container image {image:?} already present on machine");
                pass.normal(source, pod, "Pulled", &pulled);
                pass.normal(source, pod, "Created", "Container created");
                pass.normal(source, pod, "Started", "Container started");
            }
            _ => {}
        }
    }
}

fn unschedulable(nodes: usize) -> String {
    format!("0/{nodes} nodes are available: the Pod stays pending.")
}

fn status(pod: &Value, stage: Stage, nodes: usize) -> Value {
    let mut status = at(pod, "/status").clone();
    if stage == Stage::Unschedulable {
        let message = unschedulable(nodes);
        let scheduled = condition("PodScheduled", false, "Unschedulable", &message);
        put(&mut status, "/conditions", json!([scheduled]));
        return status;
    }
    let (phase, reason) = match stage {
        Stage::Unschedulable | Stage::Creating => ("Pending", "ContainersNotReady"),
        Stage::Ready => ("Running", ""),
        Stage::NodeLost => ("Running", "NodeNotReady"),
        Stage::Crashed(_) => ("Running", "ContainersNotReady"),
        Stage::Succeeded => ("Succeeded", "PodCompleted"),
        Stage::Failed => ("Failed", "PodFailed"),
    };
    let ready = stage == Stage::Ready;
    let names: Vec<&str> = list(pod, "/spec/containers")
        .iter()
        .map(|it| text(it, "/name"))
        .collect();
    let message = match reason {
        "ContainersNotReady" => format!("containers with unready status: [{}]", names.join(" ")),
        _ => String::new(),
    };
    let initialized = if matches!(stage, Stage::Succeeded) {
        "PodCompleted"
    } else {
        ""
    };
    put(
        &mut status,
        "/conditions",
        json!([
            condition(
                "PodReadyToStartContainers",
                stage != Stage::Creating,
                "",
                ""
            ),
            condition("Initialized", true, initialized, ""),
            condition("Ready", ready, reason, &message),
            condition("ContainersReady", ready, reason, &message),
            condition("PodScheduled", true, "", ""),
        ]),
    );
    put(&mut status, "/phase", phase.into());
    if at(&status, "/startTime").is_null() {
        put(&mut status, "/startTime", now());
    }
    put(&mut status, "/hostIP", "10.0.0.1".into());
    put(&mut status, "/hostIPs", json!([{"ip": "10.0.0.1"}]));
    if stage != Stage::Creating && at(&status, "/podIP").is_null() {
        let address = address(object::uid(pod));
        put(&mut status, "/podIP", address.clone().into());
        put(&mut status, "/podIPs", json!([{"ip": address}]));
    }
    let containers: Vec<_> = list(pod, "/spec/containers")
        .iter()
        .map(|container| container_status(container, at(&status, "/startTime"), stage))
        .collect();
    put(&mut status, "/containerStatuses", containers.into());
    status
}

fn container_status(container: &Value, begun: &Value, stage: Stage) -> Value {
    let ended = |code: i64, reason: &str| json!({"terminated": {"exitCode": code, "reason": reason, "startedAt": begun, "finishedAt": now()}});
    let running = json!({"running": {"startedAt": now()}});
    let (now_in, before, count) = match stage {
        Stage::Unschedulable | Stage::Creating => (
            json!({"waiting": {"reason": "ContainerCreating"}}),
            json!({}),
            0,
        ),
        Stage::Ready | Stage::NodeLost => (running, json!({}), 0),
        Stage::Crashed(count) => {
            let message = "back-off restarting failed container";
            let waiting = json!({"waiting": {"reason": "CrashLoopBackOff", "message": message}});
            (waiting, ended(1, "Error"), count)
        }
        Stage::Succeeded => (ended(0, "Completed"), json!({}), 0),
        Stage::Failed => (ended(1, "Error"), json!({}), 0),
    };
    json!({
        "name": at(container, "/name"),
        "image": at(container, "/image"),
        "imageID": "",
        "ready": stage == Stage::Ready,
        "started": matches!(stage, Stage::Ready | Stage::NodeLost),
        "restartCount": count,
        "state": now_in,
        "lastState": before,
    })
}

/// Returns an address from the number at the end of a uid.
fn address(uid: &str) -> String {
    let digits = uid.get(uid.len().saturating_sub(8)..).unwrap_or_default();
    let number = u32::from_str_radix(digits, 16).unwrap_or_default();
    format!("10.244.{}.{}", number / 250 % 250, number % 250 + 1)
}
