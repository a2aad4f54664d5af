//! Validates the volumes of Pods.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Causes;
use crate::values::object::{at, list, text};

/// Validates volumes and returns the names of the valid ones.
pub(super) fn volumes<'a>(it: &mut Causes, path: &str, volumes: &'a [Value]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for (index, volume) in volumes.iter().enumerate() {
        let before = it.0.len();
        let path = format!("{path}[{index}]");
        volume_source(it, &path, volume);
        let name = text(volume, "/name");
        if name.is_empty() {
            it.required(format!("{path}.name"), "");
        } else {
            it.label(&format!("{path}.name"), at(volume, "/name"));
        }
        if names.contains(name) {
            it.duplicate(format!("{path}.name"), at(volume, "/name"));
        }
        if it.0.len() == before {
            names.insert(name);
        }
    }
    names
}

fn volume_source(it: &mut Causes, path: &str, volume: &Value) {
    let sources = volume.as_object().into_iter().flatten();
    let sources = sources.filter(|(name, value)| *name != "name" && value.is_object());
    let mut sources: Vec<_> = sources.collect();
    // In the order of the server's checks.
    let order = [
        "emptyDir",
        "hostPath",
        "secret",
        "persistentVolumeClaim",
        "downwardAPI",
    ];
    let place = |name: &str| order.iter().position(|it| *it == name);
    sources.sort_by_key(|(name, _)| place(name).unwrap_or(order.len()));
    for (count, (name, source)) in sources.into_iter().enumerate() {
        let path = format!("{path}.{name}");
        if count > 0 {
            it.forbidden(path, "may not specify more than 1 volume type");
            continue;
        }
        match name.as_str() {
            "secret" if text(source, "/secretName").is_empty() => {
                it.required(format!("{path}.secretName"), "");
            }
            "configMap" if text(source, "/name").is_empty() => {
                it.required(format!("{path}.name"), "");
            }
            "persistentVolumeClaim" if text(source, "/claimName").is_empty() => {
                it.required(format!("{path}.claimName"), "");
            }
            "hostPath" if text(source, "/path").is_empty() => {
                it.required(format!("{path}.path"), "");
            }
            _ => {}
        }
        for (index, item) in list(source, "/items").iter().enumerate() {
            for field in ["key", "path"] {
                if matches!(name.as_str(), "secret" | "configMap")
                    && text(item, &format!("/{field}")).is_empty()
                {
                    it.required(format!("{path}.items[{index}].{field}"), "");
                }
            }
        }
    }
}
