//! The rights that recorded requests need.
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::{
    Manifest, Tree,
    flags::{elects_leader, flag, is_divided, secures_metrics},
    program::Program,
};
use crate::operator::scaffold::is_core_group;

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
    /// The rights of the leader election, the protected metrics, the webhooks and owner references, which no recorded request uses.
    pub(crate) infrastructure: BTreeMap<Right, Reason>,
    requests: Vec<Recorded>,
}

/// Why a right is needed that no test uses.
#[derive(Clone, Debug)]
pub(crate) struct Reason {
    /// The rest of a sentence after "which".
    pub(super) why: &'static str,
    /// The names of the objects; all objects if there are none.
    pub(super) names: BTreeSet<String>,
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
    #[serde(default)]
    user: String,
    #[serde(default)]
    blocked_owners: Vec<Owner>,
}

/// An owner whose deletion an object that was written blocks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    api_version: String,
    kind: String,
}

impl Owner {
    /// Returns group and plural: of a CRD of the tree, or of a kind of Kubernetes itself.
    fn resource(&self, tree: &Tree) -> Option<(String, String)> {
        let group = self.api_version.split_once('/').map_or("", |(it, _)| it);
        let plural = tree.plural(group, &self.kind)?;
        Some((group.to_owned(), plural.to_owned()))
    }
}

/// Why the right on `finalizers` is needed.
const OWNER_REFERENCES: &str = "the owner references of its children need";

impl Needs {
    /// Reads the requests of a log, which has a JSON object per line.
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
            self.requests
                .push(serde_json::from_value(line).map_err(invalid)?);
        }
        Ok(())
    }

    /// Adds the permissions that the requests use, and what the flags of the operator of a package need.
    ///
    /// If the operator made requests under its own account, those of other users are the steps of tests.
    ///
    /// # Errors
    /// If several Deployments or containers could be the operator.
    pub(crate) fn resolve(&mut self, tree: &Tree, package: &str) -> Result<(), String> {
        let accounts = tree.of("Deployment").map(|it| account(tree, it));
        let accounts: BTreeSet<String> = accounts.collect();
        let requests = std::mem::take(&mut self.requests);
        let has_account = requests.iter().any(|it| accounts.contains(&it.user));
        for request in requests {
            if !has_account || request.user.is_empty() || accounts.contains(&request.user) {
                self.add(request, tree);
            }
        }
        // Manifests without a Deployment have no flags.
        if tree.of("Deployment").next().is_some() {
            self.add_flags(tree, &Program::of(tree, package, None)?);
        }
        Ok(())
    }

    /// Adds the right that the children of a resource need: their owner references have `blockOwnerDeletion`, for which the admission plug-in
    /// `OwnerReferencesPermissionEnforcement`, as on `OpenShift`, asks, without a request of the operator.
    pub(crate) fn add_owner(&mut self, group: &str, plural: &str) {
        let resource = format!("{plural}/finalizers");
        self.need(group, &resource, "update", &[], OWNER_REFERENCES);
    }

    fn add(&mut self, request: Recorded, tree: &Tree) {
        // Every user may ask for its own rights: ClusterRole system:basic-user.
        if request.user_agent == USER || request.resource.starts_with("selfsubject") {
            return;
        }
        // A replaced object has the references that it had before, also those of others.
        if request.status < 300 && request.verb != "update" {
            for owner in &request.blocked_owners {
                if let Some((group, plural)) = owner.resource(tree) {
                    self.add_owner(&group, &plural);
                }
            }
        }
        let resource = match request.subresource.as_str() {
            "" => request.resource,
            subresource => format!("{}/{subresource}", request.resource),
        };
        let verbs: &[&str] = match request.verb.as_str() {
            // A cache lists and watches in turns, and so does what reads a list today.
            "list" | "watch" => &["list", "watch"],
            // A patch or an update that creates needs both, such as a server-side apply.
            "patch" if request.status == 201 => &["create", "patch"],
            "update" if request.status == 201 => &["create", "update"],
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

    /// Adds what the flags of the operator need.
    fn add_flags(&mut self, tree: &Tree, program: &Program<'_>) {
        let container = program.container();
        if is_divided(container) {
            let why = "the flag --shards of the Deployment needs";
            for verb in ["get", "list", "watch", "create", "update", "delete"] {
                self.need("coordination.k8s.io", "leases", verb, &[], why);
            }
        } else if elects_leader(container) {
            let why = "the flag --leader-elect of the Deployment needs";
            for verb in ["get", "create", "update"] {
                self.need("coordination.k8s.io", "leases", verb, &[], why);
            }
        }
        if secures_metrics(container) {
            let why = "the flag --metrics-secure of the Deployment needs";
            self.need("authentication.k8s.io", "tokenreviews", "create", &[], why);
            let group = "authorization.k8s.io";
            self.need(group, "subjectaccessreviews", "create", &[], why);
        }
        self.add_webhooks(tree, program.deployment, container);
    }

    /// Adds what an operator needs to keep the certificates of its webhooks.
    fn add_webhooks(&mut self, tree: &Tree, deployment: &Manifest, container: &Value) {
        let names = |kind| tree.of(kind).map(Manifest::name).collect::<Vec<_>>();
        let mutating = names("MutatingWebhookConfiguration");
        let validating = names("ValidatingWebhookConfiguration");
        let is_converted = |crd: &&Manifest| crd.text("/spec/conversion/strategy") == "Webhook";
        let crds = tree.of("CustomResourceDefinition").filter(is_converted);
        let crds: Vec<&str> = crds.map(Manifest::name).collect();
        if (mutating.is_empty() && validating.is_empty() && crds.is_empty())
            || flag(container, "--webhook-port") == Some("0")
        {
            return;
        }
        let has_own_certificates = flag(container, "--webhook-cert-path").is_none();
        let installs = flag(container, "--webhook-install").is_some_and(|value| value != "false");
        if has_own_certificates {
            let why = "the certificates of the webhooks need";
            let secret = format!("{}-webhook-cert", deployment.name());
            self.need("", "secrets", "create", &[], why);
            for verb in ["get", "update"] {
                self.need("", "secrets", verb, &[&secret], why);
            }
        }
        if !has_own_certificates && !installs {
            return;
        }
        let why = "the webhooks need";
        let group = "admissionregistration.k8s.io";
        for (group, resource, names) in [
            (group, "mutatingwebhookconfigurations", mutating),
            (group, "validatingwebhookconfigurations", validating),
            ("apiextensions.k8s.io", "customresourcedefinitions", crds),
        ] {
            if names.is_empty() {
                continue;
            }
            for verb in ["get", "patch"] {
                self.need(group, resource, verb, &names, why);
            }
            if installs && group != "apiextensions.k8s.io" {
                let why = "the flag --webhook-install of the Deployment needs";
                self.need(group, resource, "create", &[], why);
            }
        }
    }

    fn need(&mut self, group: &str, resource: &str, verb: &str, names: &[&str], why: &'static str) {
        let reason = Reason {
            why,
            names: names.iter().map(ToString::to_string).collect(),
        };
        let right = Right::new(group, resource, verb);
        self.infrastructure.insert(right, reason);
    }

    /// Returns whether a rule may grant the right.
    pub(super) fn justifies(&self, right: &Right) -> bool {
        self.used.contains_key(right)
            || self.infrastructure.contains_key(right)
            // Tests may create no child: the owner reference needs it, without a request of its own.
            || (right.resource.ends_with("/finalizers") && right.verb == "update")
            // After a 404 on the status of a custom resource, the client reads the object itself. Tests may never see that.
            || (right.verb == "get" && !is_core_group(&right.group) && self.used.contains_key(&Right::new(&right.group, &right.resource, "list")))
    }
}

/// Returns the user that the Pods of a Deployment are.
fn account(tree: &Tree, deployment: &Manifest) -> String {
    let (namespace, name) = (tree.namespace(deployment), deployment.account());
    format!("system:serviceaccount:{namespace}:{name}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(log: &str) -> Vec<String> {
        let mut needs = Needs::default();
        needs.read(log).unwrap();
        needs.resolve(&Tree::default(), "my").unwrap();
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

    fn manifest(value: Value) -> Manifest {
        Manifest {
            source: crate::base::source::SourceId(0),
            document: 0,
            pointer: String::new(),
            value,
        }
    }

    #[test]
    fn requests_of_the_default_account_count() {
        let log = r#"{"verb":"get","group":"","resource":"pods","name":"a","user":"system:serviceaccount:sys:default"}
{"verb":"get","group":"","resource":"secrets","name":"a","user":"admin"}"#;
        for (pod, expected) in [
            (json!({}), "get pods"),
            (json!({"serviceAccountName": "default"}), "get pods"),
            (json!({"serviceAccount": "other"}), "get pods, get secrets"),
        ] {
            let mut pod = pod;
            pod["containers"] = json!([{"name": "operator"}]);
            let deployment = json!({"kind": "Deployment", "metadata": {"name": "my", "namespace": "sys"}, "spec": {"template": {"spec": pod}}});
            let tree = Tree {
                manifests: vec![manifest(deployment)],
                ..Tree::default()
            };
            let mut needs = Needs::default();
            needs.read(log).unwrap();
            needs.resolve(&tree, "my").unwrap();
            let used: Vec<String> = needs
                .used
                .keys()
                .map(|it| format!("{} {}", it.verb, it.resource_name()))
                .collect();
            assert_eq!(used.join(", "), expected, "{pod}");
        }
    }

    #[test]
    fn only_a_custom_resource_that_is_listed_may_be_read_without_a_request() {
        for (group, resource, is_custom) in [
            ("", "pods", false),
            ("apps", "deployments", false),
            ("networking.k8s.io", "ingresses", false),
            ("gateway.networking.k8s.io", "gateways", true),
            ("e.com", "foos", true),
        ] {
            let mut needs = Needs::default();
            let log = format!(r#"{{"verb":"list","group":"{group}","resource":"{resource}"}}"#);
            needs.read(&log).unwrap();
            needs.resolve(&Tree::default(), "my").unwrap();
            let get = Right::new(group, resource, "get");
            assert_eq!(needs.justifies(&get), is_custom, "{group}");
        }
    }

    #[test]
    fn a_sidecar_has_no_flags_of_the_operator() {
        let args = ["--webhook-cert-path=/certs", "--leader-elect"];
        let containers = json!([
            {"name": "proxy", "args": ["--shards=2"]},
            {"name": "operator", "args": args},
        ]);
        let pod = json!({"spec": {"containers": containers}});
        let webhook = json!({"kind": "MutatingWebhookConfiguration", "metadata": {"name": "my"}});
        let deployment = |pod: &Value| json!({"kind": "Deployment", "metadata": {"name": "my"}, "spec": {"template": pod}});
        let of = |pod: &Value| {
            let manifests = vec![manifest(webhook.clone()), manifest(deployment(pod))];
            let tree = Tree {
                manifests,
                ..Tree::default()
            };
            let mut needs = Needs::default();
            needs.resolve(&tree, "my")?;
            let rights = needs.infrastructure.keys();
            Ok::<_, String>(
                rights
                    .map(|it| format!("{} {}", it.verb, it.resource_name()))
                    .collect::<Vec<_>>(),
            )
        };
        let leases = [
            "create leases.coordination.k8s.io",
            "get leases.coordination.k8s.io",
            "update leases.coordination.k8s.io",
        ];
        assert_eq!(of(&pod).unwrap(), leases);
        // Which one it is has to be clear: permissions of none would be removed.
        let pod = json!({"spec": {"containers": [{"name": "a"}, {"name": "b"}]}});
        let error = of(&pod).unwrap_err();
        assert!(error.contains("one of the containers `a`, `b`"), "{error}");
    }

    #[test]
    fn an_invalid_line_has_its_number() {
        let mut needs = Needs::default();
        let error = needs.read("{\"resource\":\"\"}\n{").unwrap_err();
        assert_eq!(error.0, 2);
    }
}
