//! What the server decides about Pods.

use kube_codegen_quantity::ParsedQuantity;
use serde_json::{Value, json};

use crate::values::object::{at, copy, list, now, put, section, text};

pub(super) fn create(object: &mut Value) {
    let class = quality(at(object, "/spec"));
    let mut status = json!({"phase": "Pending", "qosClass": class});
    if !list(object, "/spec/schedulingGates").is_empty() {
        status["conditions"] = json!([{
            "type": "PodScheduled",
            "status": "False",
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastProbeTime": null,
            "lastTransitionTime": now(),
        }]);
    }
    put(object, "/status", status);
}

pub(super) fn update(object: &mut Value, old: &Value) {
    let spec = section(object, "spec");
    for name in ["priority", "preemptionPolicy"] {
        if let (None, Some(value)) = (spec.get(name), at(old, "/spec").get(name)) {
            spec.insert(name.to_owned(), value.clone());
        }
    }
    if text(object, "/status/qosClass").is_empty() {
        copy(section(object, "status"), at(old, "/status"), "qosClass");
    }
}

/// Returns the class of quality of service.
pub(crate) fn quality(spec: &Value) -> &'static str {
    let containers = list(spec, "/containers")
        .iter()
        .chain(list(spec, "/initContainers"));
    let (mut is_guaranteed, mut has_any) = (true, false);
    for container in containers {
        for name in ["cpu", "memory"] {
            let value = |part: &str| {
                let text = text(container, &format!("/resources/{part}/{name}"));
                let value = text.parse::<ParsedQuantity>().ok();
                value.filter(|it| *it != ParsedQuantity::ZERO)
            };
            let (request, limit) = (value("requests"), value("limits"));
            has_any |= request.is_some() || limit.is_some();
            is_guaranteed &= limit.is_some() && request == limit;
        }
    }
    match (has_any, is_guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}
