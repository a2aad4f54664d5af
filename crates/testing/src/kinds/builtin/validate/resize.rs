//! Validates the resize of a Pod's containers.

use serde_json::Value;

use super::{super::quality::quality, Causes, pod as pods};
use crate::values::object::{at, list, map, text};

pub(crate) fn validate(it: &mut Causes, old: &Value, pod: &Value) {
    let (before, after) = (at(old, "/spec"), at(pod, "/spec"));
    pods::spec(it, "spec", after);
    if quality(before) != quality(after) {
        let why = "Pod QOS Class may not change as a result of resizing";
        it.invalid("spec", at(old, "/status/qosClass"), why);
    }
    let statuses = list(old, "/status/containerStatuses").iter();
    let mut running = statuses.filter(|status| at(status, "/state/running").is_object());
    if running
        .next()
        .is_some_and(|status| at(status, "/resources").is_null())
    {
        it.forbidden("spec", "Pod running on node without support for resize");
    }
    for field in ["containers", "initContainers"] {
        let pointer = format!("/{field}");
        let (before, after) = (list(before, &pointer), list(after, &pointer));
        if before.len() != after.len() {
            let why = format!("{field} may not be added or removed on resize");
            it.forbidden(format!("spec.{field}"), &why);
            return;
        }
        let mut pairs = before.iter().zip(after).enumerate();
        let other =
            pairs.find(|(_, (before, after))| text(before, "/name") != text(after, "/name"));
        if let Some((index, _)) = other {
            let why = format!("{field} may not be renamed or reordered on resize");
            it.forbidden(format!("spec.{field}[{index}].name"), &why);
            return;
        }
    }
    for field in ["initContainers", "containers"] {
        let pointer = format!("/{field}");
        let pairs = list(before, &pointer).iter().zip(list(after, &pointer));
        for (index, (before, after)) in pairs.enumerate() {
            container(it, &format!("spec.{field}[{index}]"), before, after);
            if plain(before) != plain(after) {
                if field == "containers" {
                    it.forbidden("spec", "only cpu and memory resources are mutable");
                } else {
                    let why =
                        "only cpu and memory resources for init or sidecar containers are mutable";
                    it.forbidden(format!("spec.{field}[{index}]"), why);
                }
            }
        }
    }
}

fn container(it: &mut Causes, path: &str, before: &Value, after: &Value) {
    for field in ["requests", "limits"] {
        let amounts = |of| at(of, &format!("/resources/{field}")).as_object();
        let names = amounts(before).into_iter().flatten().map(|(name, _)| name);
        let is_removed = |name: &String| amounts(after).is_none_or(|left| !left.contains_key(name));
        if names.into_iter().any(is_removed) {
            let why = format!("resource {field} cannot be removed");
            it.forbidden(format!("{path}.resources.{field}"), &why);
        }
    }
}

/// Returns a container without what may change.
fn plain(container: &Value) -> Value {
    let mut plain = container.clone();
    for field in ["requests", "limits"] {
        let amounts = plain.pointer_mut(&format!("/resources/{field}"));
        if let Some(Value::Object(amounts)) = amounts {
            amounts.retain(|name, _| !matches!(name.as_str(), "cpu" | "memory"));
            if amounts.is_empty() {
                map(&mut plain["resources"]).remove(field);
            }
        }
    }
    map(&mut plain).remove("resizePolicy");
    plain
}
