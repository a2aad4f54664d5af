//! Tells how well a Pod is served when resources are scarce.

use kube_codegen_quantity::ParsedQuantity;
use serde_json::Value;

use crate::values::object::{list, text};

/// Returns the class of quality of service.
pub(super) fn quality(spec: &Value) -> &'static str {
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
