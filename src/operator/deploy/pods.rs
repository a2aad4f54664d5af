//! The Pods that the Deployments of a tree make, and what selects them.
use serde_json::Value;

use super::{Manifest, Tree};

/// The Pods of a Deployment.
pub(super) struct Pods<'a> {
    /// The Deployment.
    pub(super) deployment: &'a Manifest,
    /// The template.
    template: &'a Value,
}

impl<'a> Pods<'a> {
    /// Returns the Pods of all Deployments.
    pub(super) fn of(tree: &'a Tree) -> Vec<Self> {
        let pods = tree.of("Deployment").map(|deployment| Self {
            deployment,
            template: deployment.get("/spec/template"),
        });
        pods.collect()
    }

    /// Returns their containers.
    pub(super) fn containers(&self) -> &'a [Value] {
        let containers = self.template.pointer("/spec/containers");
        let containers = containers.and_then(Value::as_array);
        containers.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns whether a label selector selects them.
    pub(super) fn are_selected(&self, match_labels: &Value) -> bool {
        matches(match_labels, &self.template["metadata"]["labels"])
    }

    /// Returns whether a container listens on a port, given by number or name.
    pub(super) fn listen_on(&self, port: &Value) -> bool {
        self.containers().iter().any(|it| listens_on(it, port))
    }

    /// Returns the ports, for messages.
    pub(super) fn ports(&self) -> String {
        let ports = self.containers().iter().flat_map(ports);
        let ports: Vec<String> = ports
            .map(|port| match port["name"].as_str() {
                Some(name) => format!("{} ({name})", port["containerPort"]),
                None => port["containerPort"].to_string(),
            })
            .collect();
        if ports.is_empty() {
            "none".to_owned()
        } else {
            ports.join(", ")
        }
    }
}

/// Returns whether labels have all wanted values.
pub(super) fn matches(wanted: &Value, labels: &Value) -> bool {
    let wanted = wanted.as_object().into_iter().flatten();
    wanted
        .into_iter()
        .all(|(name, value)| &labels[name] == value)
}

/// Returns whether a container listens on a port, given by number or name.
pub(super) fn listens_on(container: &Value, port: &Value) -> bool {
    ports(container)
        .iter()
        .any(|it| &it["containerPort"] == port || &it["name"] == port)
}

fn ports(container: &Value) -> &[Value] {
    container["ports"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}
