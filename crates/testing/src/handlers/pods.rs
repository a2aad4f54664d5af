//! The subresources of Pods: evictions and bindings
//! (<https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/>).

use std::sync::Arc;

use kube::core::response::Status;
use serde_json::{Value, json};

use crate::{
    handlers::removal::{self, Propagation},
    kinds::{convert::current, kind::Kind, status::conflict, store::Store},
    request::{Request, selector},
    values::{
        object::{self, at, deleting, list, now, put, section, text},
        status::{Answer, disruption_budget, document, unexplained},
    },
};

/// Deletes a Pod if its disruption budget allows it.
pub(crate) fn evict(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let pod = current(store, target)?;
    let eviction = request.json()?;
    let grace = at(&eviction, "/deleteOptions/gracePeriodSeconds").as_i64();
    let is_running = !matches!(
        text(&pod, "/status/phase"),
        "Succeeded" | "Failed" | "Pending"
    );
    if is_running && !deleting(&pod) {
        disrupt(store, request, &pod)?;
    }
    if !request.dry_run() {
        removal::delete(store, &target.kind, &pod, Propagation::Background, grace);
    }
    Ok(success())
}

/// Takes one disruption from the budget of a Pod, if it has one.
fn disrupt(store: &mut Store, request: &Request, pod: &Arc<Value>) -> Answer<()> {
    let Some(kind) = store
        .kinds
        .named("policy/v1", "PodDisruptionBudget")
        .cloned()
    else {
        return Ok(());
    };
    let mut budgets = store.list(&kind, &request.target.namespace);
    budgets.retain(|budget| {
        let selector = at(budget, "/spec/selector");
        selector::selects(selector, at(pod, "/metadata/labels"))
    });
    let budget = match budgets.as_slice() {
        [] => return Ok(()),
        [budget] => budget,
        _ => {
            return Err(unexplained(
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            ));
        }
    };
    let name = object::name(budget);
    let number = |pointer: &str| at(budget, pointer).as_i64().unwrap_or_default();
    if number("/status/observedGeneration") < number("/metadata/generation") {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        let mut status = disruption_budget(&why);
        if let Some(details) = &mut status.details {
            details.retry_after_seconds = 10;
        }
        return Err(status);
    }
    let (desired, healthy) = (
        number("/status/desiredHealthy"),
        number("/status/currentHealthy"),
    );
    // A Pod that is not ready does not count.
    let is_covered = match text(budget, "/spec/unhealthyPodEvictionPolicy") {
        "AlwaysAllow" => true,
        _ => healthy >= desired && desired > 0,
    };
    if is_covered && !is_ready(pod) {
        return Ok(());
    }
    let allowed = number("/status/disruptionsAllowed");
    if allowed <= 0 {
        return Err(disruption_budget(&format!(
            "The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
        )));
    }
    if !request.dry_run() {
        let mut changed = Value::clone(budget);
        put(
            &mut changed,
            "/status/disruptionsAllowed",
            (allowed - 1).into(),
        );
        let disrupted = section(section_value(&mut changed), "disruptedPods");
        disrupted.insert(object::name(pod).to_owned(), now());
        store.write(&kind, changed);
    }
    Ok(())
}

fn is_ready(pod: &Value) -> bool {
    let conditions = list(pod, "/status/conditions").iter();
    let mut ready = conditions.filter(|it| text(it, "/type") == "Ready");
    ready.any(|it| text(it, "/status") == "True")
}

fn section_value(budget: &mut Value) -> &mut Value {
    section(budget, "status");
    &mut budget["status"]
}

/// Binds a Pod to a node.
pub(crate) fn bind(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let pod = current(store, target)?;
    let binding = request.json()?;
    let kind = at(&binding, "/target/kind");
    if !matches!(kind.as_str().unwrap_or_default(), "" | "Node") {
        return Err(unexplained(&format!(
            "target.kind: Unsupported value: {kind}: supported values: \"Node\", \"<empty>\""
        )));
    }
    let node = text(&binding, "/target/name");
    if node.is_empty() {
        return Err(unexplained("target.name: Required value"));
    }
    let assigned = text(&pod, "/spec/nodeName");
    let why = if deleting(&pod) {
        Some("is being deleted, cannot be assigned to a host".to_owned())
    } else if !assigned.is_empty() {
        Some(format!("is already assigned to node {assigned:?}"))
    } else if list(&pod, "/spec/schedulingGates").is_empty() {
        None
    } else {
        Some("has non-empty .spec.schedulingGates".to_owned())
    };
    if let Some(why) = why {
        let mut named = Kind::clone(&target.kind);
        named.plural.push_str("/binding");
        let why = format!("pod {} {why}", target.name);
        return Err(conflict(&named, &target.name, &why));
    }
    if !request.dry_run() {
        let mut bound = Value::clone(&pod);
        put(&mut bound, "/spec/nodeName", node.into());
        let condition = json!({
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": null,
            "lastTransitionTime": now(),
        });
        put(&mut bound, "/status/conditions", json!([condition]));
        store.write(&target.kind, bound);
    }
    Ok(success())
}

fn success() -> Value {
    document(&Status::success().with_code(201))
}
