//! The admission plug-in `DefaultTolerationSeconds`: how long a Pod stays on a node that has failed.

use serde_json::{Value, json};

use crate::{
    kinds::kind::Kind,
    values::object::{section, text},
};

/// Adds the tolerations that a Pod omits.
pub(super) fn apply(kind: &Kind, pod: &mut Value) {
    if !kind.is_pod() {
        return;
    }
    let spec = section(pod, "spec");
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    if let Some(tolerations) = tolerations.as_array_mut() {
        for key in [
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
        ] {
            let tolerates = |it: &Value| {
                let is_key = text(it, "/key").is_empty() || text(it, "/key") == key;
                is_key && matches!(text(it, "/effect"), "" | "NoExecute")
            };
            if !tolerations.iter().any(tolerates) {
                tolerations.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
            }
        }
    }
}
