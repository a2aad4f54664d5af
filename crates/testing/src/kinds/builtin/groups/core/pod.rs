//! What the server decides about Pods.

use serde_json::{Value, json};

use crate::{
    kinds::builtin::quality::quality,
    values::object::{at, copy, list, now, put, section, text},
};

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
