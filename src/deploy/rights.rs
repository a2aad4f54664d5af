//! The rights that recorded requests need.
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::{
    Tree,
    flags::{elects_leader, secures_metrics},
};

/// The verbs of the API, in the order in which rules list them.
pub(super) const VERBS: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

/// A verb on a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Right {
    /// The API group.
    pub(crate) group: String,
    /// The plural, with `/SUBRESOURCE`.
    pub(crate) resource: String,
    /// The verb.
    pub(crate) verb: String,
}

impl Right {
    fn new(group: &str, resource: &str, verb: &str) -> Self {
        Self {
            group: group.to_owned(),
            resource: resource.to_owned(),
            verb: verb.to_owned(),
        }
    }

    /// Returns the resource as kubectl names it, such as `deployments.apps` or `pods/status`.
    pub(crate) fn resource_name(&self) -> String {
        match self.group.as_str() {
            "" => self.resource.clone(),
            group => {
                let (plural, subresource) = match self.resource.split_once('/') {
                    Some((plural, subresource)) => (plural, format!("/{subresource}")),
                    None => (self.resource.as_str(), String::new()),
                };
                format!("{plural}.{group}{subresource}")
            }
        }
    }
}

/// What an operator needs.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// The rights of its requests, with the names of objects; a collection has the empty name.
    pub(crate) used: BTreeMap<Right, BTreeSet<String>>,
    /// The rights of the leader election and of the protected metrics, which tests do not use.
    pub(crate) infrastructure: BTreeSet<Right>,
}

/// The user agent of requests that are not the operator's, such as those of the simulation's users.
const USER: &str = "user";

/// A line of a request log.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    verb: String,
    group: String,
    resource: String,
    #[serde(default)]
    subresource: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    status: u16,
    #[serde(default)]
    user_agent: String,
}

impl Needs {
    /// Adds the requests of a log, which has a JSON object per line.
    ///
    /// # Errors
    /// The number of a line that is not JSON, with the reason.
    pub(crate) fn read(&mut self, log: &str) -> Result<(), (usize, String)> {
        for (index, line) in log.lines().enumerate() {
            let invalid = |error: serde_json::Error| (index + 1, error.to_string());
            let line: Value = serde_json::from_str(line).map_err(invalid)?;
            // A request without a resource, such as one for discovery, needs no rule.
            if line["resource"].as_str().is_none_or(str::is_empty) {
                continue;
            }
            self.add(serde_json::from_value(line).map_err(invalid)?);
        }
        Ok(())
    }

    fn add(&mut self, request: Recorded) {
        // Every user may ask for its own rights: ClusterRole system:basic-user.
        if request.user_agent == USER || request.resource.starts_with("selfsubject") {
            return;
        }
        let resource = match request.subresource.as_str() {
            "" => request.resource,
            subresource => format!("{}/{subresource}", request.resource),
        };
        let verbs: &[&str] = match request.verb.as_str() {
            // A cache lists and watches in turns, and so does what reads a list today.
            "list" | "watch" => &["list", "watch"],
            // A patch that creates needs both (server-side apply).
            "patch" if request.status == 201 => &["create", "patch"],
            // A repeated event is patched.
            "create" | "patch" if resource == "events" => &["create", "patch"],
            verb => &[verb],
        };
        for verb in verbs {
            let right = Right::new(&request.group, &resource, verb);
            let names = self.used.entry(right).or_default();
            // The name of a new object is not in the request's path.
            let is_named = !matches!(*verb, "create" | "list" | "watch");
            names.insert(if is_named {
                request.name.clone()
            } else {
                String::new()
            });
        }
    }

    /// Adds what the flags in the Deployments of a tree need.
    pub(crate) fn add_flags(&mut self, tree: &Tree) {
        for deployment in tree.of("Deployment") {
            for container in deployment.list("/spec/template/spec/containers") {
                let leases = ["get", "create", "update"];
                let leases = leases.map(|verb| Right::new("coordination.k8s.io", "leases", verb));
                if elects_leader(container) {
                    self.infrastructure.extend(leases);
                }
                if secures_metrics(container) {
                    self.infrastructure.extend([
                        Right::new("authentication.k8s.io", "tokenreviews", "create"),
                        Right::new("authorization.k8s.io", "subjectaccessreviews", "create"),
                    ]);
                }
            }
        }
    }

    /// Returns whether a rule may grant the right.
    pub(super) fn justifies(&self, right: &Right) -> bool {
        self.used.contains_key(right)
            || self.infrastructure.contains(right)
            // An owner reference with blockOwnerDeletion needs it, without a request of its own.
            || (right.resource.ends_with("/finalizers") && right.verb == "update")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(log: &str) -> Vec<String> {
        let mut needs = Needs::default();
        needs.read(log).unwrap();
        let rights = needs.used.keys();
        rights
            .map(|it| format!("{} {}", it.verb, it.resource_name()))
            .collect()
    }

    #[test]
    fn requests_need_rights() {
        let log = r#"{"verb":"list","group":"apps","resource":"deployments","namespace":"a"}
{"verb":"patch","group":"","resource":"services","name":"a","status":201}
{"verb":"patch","group":"e.com","resource":"foos","subresource":"status","name":"a","status":200}
{"verb":"create","group":"events.k8s.io","resource":"events","status":201}
{"verb":"create","group":"authorization.k8s.io","resource":"selfsubjectaccessreviews","status":201}
{"verb":"delete","group":"e.com","resource":"foos","name":"a","status":200,"userAgent":"user"}
{"verb":"get","path":"/version","resource":""}"#;
        let expected = [
            "create services",
            "patch services",
            "list deployments.apps",
            "watch deployments.apps",
            "patch foos.e.com/status",
            "create events.events.k8s.io",
            "patch events.events.k8s.io",
        ];
        assert_eq!(of(log), expected);
    }

    #[test]
    fn an_invalid_line_has_its_number() {
        let mut needs = Needs::default();
        let error = needs.read("{\"resource\":\"\"}\n{").unwrap_err();
        assert_eq!(error.0, 2);
    }
}
