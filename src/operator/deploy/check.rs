//! Checks that manifests fit together: ports, flags, labels and references.
use std::path::Path;

use serde_json::Value;

use super::{
    Manifest, Tree, beside,
    flags::{flag, port},
    is_yaml,
    pods::{Pods, listens_on, matches},
    program::Program,
    resources,
};
use crate::base::diag::{Code, Diagnostic, Diagnostics, Place};

/// Reports what does not fit together. `package` is the package of the operator.
pub(crate) fn check(tree: &Tree, package: &str, diagnostics: &mut Diagnostics) {
    let mut check = Check {
        tree,
        program: Program::of(tree, package, None).ok(),
        pods: Pods::of(tree),
        diagnostics,
    };
    check.kustomization();
    check.deployments();
    check.selectors();
    check.services();
    check.network_policies();
    check.service_monitors();
    check.bindings();
    check.webhooks();
    check.namespaces();
    resources::check(tree, diagnostics);
}

/// Objects that each cluster has, or each namespace.
const BUILT_IN: [(&str, &str); 3] = [
    ("PriorityClass", "system-cluster-critical"),
    ("PriorityClass", "system-node-critical"),
    ("ServiceAccount", "default"),
];

/// Roles that each cluster has, with their namespaces: those that the API server creates.
const SYSTEM_ROLES: [(&str, &str); 7] = [
    ("kube-system", "extension-apiserver-authentication-reader"),
    (
        "kube-system",
        "system::leader-locking-kube-controller-manager",
    ),
    ("kube-system", "system::leader-locking-kube-scheduler"),
    ("kube-system", "system:controller:bootstrap-signer"),
    ("kube-system", "system:controller:cloud-provider"),
    ("kube-system", "system:controller:token-cleaner"),
    ("kube-public", "system:controller:bootstrap-signer"),
];

/// Whether a namespace exists in each cluster and belongs to it.
fn is_system(namespace: &str) -> bool {
    ["kube-system", "kube-public", "kube-node-lease"].contains(&namespace)
}

struct Check<'a, 'd> {
    tree: &'a Tree,
    /// The operator, if it is clear which container it is.
    program: Option<Program<'a>>,
    pods: Vec<Pods<'a>>,
    diagnostics: &'d mut Diagnostics,
}

impl Check<'_, '_> {
    fn report(&mut self, place: Place, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.report(Code::Manifests, place, message)
    }

    /// The listed files exist.
    fn kustomization(&mut self) {
        let Some(kustomization) = &self.tree.kustomization else {
            return;
        };
        for (index, resource) in kustomization.list("/resources").iter().enumerate() {
            let name = beside(resource.as_str().unwrap_or_default());
            let exists = self.tree.sources.iter().any(|source| {
                source
                    .path
                    .as_ref()
                    .is_some_and(|path| path.ends_with(name))
            });
            if is_yaml(Path::new(name)) && !name.contains('/') && !exists {
                let place = kustomization.at(format!("/resources/{index}"));
                let listing = self.tree.file(kustomization);
                self.report(place, format!("there is no file `{}`", name.escape_debug()))
                    .hint(format!("add it, or remove it from {listing}"));
            }
        }
    }

    fn deployments(&mut self) {
        for deployment in self.tree.of("Deployment") {
            let pod = "/spec/template/spec";
            for (field, kind) in [
                ("serviceAccountName", "ServiceAccount"),
                ("priorityClassName", "PriorityClass"),
            ] {
                let pointer = format!("{pod}/{field}");
                let name = deployment.text(&pointer);
                let exists = self.tree.of(kind).any(|it| it.name() == name)
                    || BUILT_IN.contains(&(kind, name));
                if !name.is_empty() && !exists {
                    let message = format!("no manifest has the {kind} `{}`", name.escape_debug());
                    self.report(deployment.at(pointer), message);
                }
            }
            let containers = format!("{pod}/containers");
            for (index, container) in deployment.list(&containers).iter().enumerate() {
                self.container(deployment, &format!("{containers}/{index}"), container);
            }
        }
    }

    /// The probes and the flags have the ports of the container.
    fn container(&mut self, deployment: &Manifest, pointer: &str, container: &Value) {
        let ports = container["ports"].as_array().into_iter().flatten();
        let ports: Vec<&Value> = ports.collect();
        let number = |port: &Value| match port {
            Value::String(name) => {
                let found = ports.iter().find(|it| it["name"] == name.as_str());
                found.and_then(|it| it["containerPort"].as_u64())
            }
            port => port.as_u64(),
        };
        // Only the operator has a default; the flags of a sidecar are its own.
        let is_operator =
            (self.program.as_ref()).is_some_and(|it| std::ptr::eq(it.container(), container));
        let health = flag(container, "--health-probe-bind-address");
        let health = health.or(is_operator.then_some(":8081"));
        for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
            let wanted = &container[probe]["httpGet"]["port"];
            if wanted.is_null() {
                continue;
            }
            let place = deployment.at(format!("{pointer}/{probe}/httpGet/port"));
            if !listens_on(container, wanted) {
                let message = format!("the container has no port {wanted} for its {probe}");
                self.report(place, message)
                    .hint("add it to `ports`, or use a port of the container");
            } else if let Some(health) = health
                && number(wanted) != port(health)
            {
                let message = format!(
                    "the {probe} asks port {wanted}, but the flag --health-probe-bind-address is `{health}`"
                );
                self.report(place, message)
                    .hint("use the same port for both");
            }
        }
        for name in ["--metrics-bind-address", "--webhook-port"] {
            let Some(address) = flag(container, name) else {
                continue;
            };
            let listening = port(address).or_else(|| address.parse().ok()).unwrap_or(0);
            if listening != 0 && !listens_on(container, &Value::from(listening)) {
                let place = deployment.at(format!("{pointer}/args"));
                let message =
                    format!("{name} is `{address}`, which is not a port of the container");
                self.report(place, message)
                    .hint(format!("add `containerPort: {listening}` to `ports`"));
            }
        }
    }

    /// Deployments and disruption budgets select the Pods.
    fn selectors(&mut self) {
        for kind in ["Deployment", "PodDisruptionBudget"] {
            for manifest in self.tree.of(kind) {
                self.selects_pods(manifest, "/spec/selector/matchLabels");
            }
        }
    }

    /// Reports a selector that selects no Pods, and returns the Pods that it selects.
    fn selects_pods(&mut self, manifest: &Manifest, pointer: &str) -> Vec<usize> {
        let selector = manifest.get(pointer);
        let selected: Vec<usize> = (0..self.pods.len())
            .filter(|index| self.pods[*index].are_selected(selector))
            .collect();
        if selected.is_empty() {
            let kind = manifest.kind().to_owned();
            self.report(
                manifest.at(pointer),
                format!("the {kind} selects no Pod of a Deployment"),
            )
            .hint("use the labels of the Deployment's Pod template");
        }
        selected
    }

    /// Reports a port that none of the selected Pods has.
    fn has_port(&mut self, selected: &[usize], port: &Value, place: Place) {
        let pods = selected.iter().map(|index| &self.pods[*index]);
        let has_port = pods.clone().any(|pods| pods.listen_on(port));
        if selected.is_empty() || has_port {
            return;
        }
        let ports: Vec<_> = pods.map(Pods::ports).collect();
        let name = self.pods[selected[0]]
            .deployment
            .name()
            .escape_debug()
            .to_string();
        self.report(
            place,
            format!("no container of the Deployment `{name}` has the port {port}"),
        )
        .hint(format!("its ports are {}", ports.join(", ")));
    }

    fn services(&mut self) {
        for service in self.tree.of("Service") {
            if service.get("/spec/selector").is_null() {
                continue;
            }
            let selected = self.selects_pods(service, "/spec/selector");
            for (index, port) in service.list("/spec/ports").iter().enumerate() {
                let name = if port["targetPort"].is_null() {
                    "port"
                } else {
                    "targetPort"
                };
                let place = service.at(format!("/spec/ports/{index}/{name}"));
                self.has_port(&selected, &port[name], place);
            }
        }
    }

    /// The API of network policies counts ports of containers, not of Services.
    fn network_policies(&mut self) {
        for policy in self.tree.of("NetworkPolicy") {
            let selected = self.selects_pods(policy, "/spec/podSelector/matchLabels");
            for (rule, ingress) in policy.list("/spec/ingress").iter().enumerate() {
                let ports = ingress["ports"].as_array().into_iter().flatten();
                for (index, port) in ports.enumerate() {
                    let place = policy.at(format!("/spec/ingress/{rule}/ports/{index}/port"));
                    if !port["port"].is_null() && port["endPort"].is_null() {
                        self.has_port(&selected, &port["port"], place);
                    }
                }
            }
        }
    }

    fn service_monitors(&mut self) {
        for monitor in self.tree.of("ServiceMonitor") {
            let selector = monitor.get("/spec/selector/matchLabels");
            let selected = |service: &&Manifest| matches(selector, service.get("/metadata/labels"));
            let services: Vec<_> = self.tree.of("Service").filter(selected).collect();
            if services.is_empty() {
                let place = monitor.at("/spec/selector/matchLabels");
                self.report(place, "the ServiceMonitor selects no Service");
                continue;
            }
            for (index, endpoint) in monitor.list("/spec/endpoints").iter().enumerate() {
                let port = &endpoint["port"];
                let ports = services
                    .iter()
                    .flat_map(|service| service.list("/spec/ports"));
                if !port.is_null() && !ports.into_iter().any(|it| &it["name"] == port) {
                    let place = monitor.at(format!("/spec/endpoints/{index}/port"));
                    self.report(place, format!("the Service has no port of the name {port}"));
                }
            }
        }
    }

    /// Bindings refer to roles and accounts, of the manifests or of a cluster.
    fn bindings(&mut self) {
        for binding in (self.tree.of("RoleBinding")).chain(self.tree.of("ClusterRoleBinding")) {
            self.role(binding);
            for (index, subject) in binding.list("/subjects").iter().enumerate() {
                if subject["kind"] == "ServiceAccount" {
                    let place = binding.at(format!("/subjects/{index}"));
                    self.account(subject, place);
                }
            }
        }
    }

    /// A Role is in the namespace of its binding.
    fn role(&mut self, binding: &Manifest) {
        let (kind, name) = (binding.text("/roleRef/kind"), binding.text("/roleRef/name"));
        let namespace = self.tree.namespace(binding);
        let place = binding.at("/roleRef/name");
        let escaped = name.escape_debug();
        if kind == "ClusterRole" {
            let is_default = ["admin", "cluster-admin", "edit", "view"].contains(&name)
                || name.starts_with("system:");
            if !is_default && !self.tree.of(kind).any(|it| it.name() == name) {
                let message = format!("no manifest has the {kind} `{escaped}`");
                self.report(place, message);
            }
            return;
        }
        let named = || self.tree.of(kind).filter(|it| it.name() == name);
        let own = named().map(|it| self.tree.namespace(it));
        let built_in = SYSTEM_ROLES.iter().filter(|(_, role)| *role == name);
        let all: Vec<&str> = own
            .chain(built_in.map(|(namespace, _)| *namespace))
            .collect();
        if all.contains(&namespace) {
            return;
        }
        let elsewhere = all.first().map(|it| it.escape_debug().to_string());
        let message =
            format!("no manifest has the {kind} `{escaped}` in the namespace of its binding");
        let report = self.report(place, message);
        if let Some(elsewhere) = elsewhere {
            report.hint(format!(
                "the {kind} is in `{elsewhere}`, and so has to be its binding"
            ));
        }
    }

    /// An account of the manifests exists; others are in other namespaces, such as Prometheus'.
    fn account(&mut self, subject: &Value, place: Place) {
        let (name, namespace) = (&subject["name"], &subject["namespace"]);
        let own = || self.tree.of("ServiceAccount");
        // kustomize sets the namespace of the objects and of the references to them.
        let is_own = |it: &Manifest| {
            let own = self.tree.namespace(it);
            it.get("/metadata/namespace") == namespace || (!own.is_empty() && namespace == own)
        };
        if own().any(|it| is_own(it) && it.get("/metadata/name") == name) {
            return;
        }
        if namespace.as_str().is_none_or(str::is_empty) {
            self.report(
                place,
                "a subject that is a ServiceAccount needs its namespace",
            );
            return;
        }
        let in_manifests = self.tree.manifests.iter().any(|it| match it.kind() {
            "Namespace" => it.get("/metadata/name") == namespace,
            _ => is_own(it) && !is_system(self.tree.namespace(it)),
        });
        // Each namespace has an account `default`.
        let is_elsewhere = !in_manifests && !own().any(|it| it.get("/metadata/name") == name);
        if name == "default" || is_elsewhere {
            return;
        }
        self.report(
            place,
            "no manifest has this ServiceAccount in this namespace",
        );
    }

    /// The API server reaches webhooks by a Service of the manifests.
    fn webhooks(&mut self) {
        let conversion = "/spec/conversion/webhook/clientConfig/service".to_owned();
        for manifest in &self.tree.manifests {
            let pointers: Vec<String> = match manifest.kind() {
                "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => {
                    let webhooks = 0..manifest.list("/webhooks").len();
                    let pointer = |index| format!("/webhooks/{index}/clientConfig/service");
                    webhooks.map(pointer).collect()
                }
                "CustomResourceDefinition" => vec![conversion.clone()],
                _ => Vec::new(),
            };
            for pointer in pointers {
                let wanted = manifest.get(&pointer);
                let exists = self.tree.of("Service").any(|service| {
                    let metadata = service.get("/metadata");
                    metadata["name"] == wanted["name"]
                        && (metadata["namespace"] == wanted["namespace"]
                            || wanted["namespace"] == self.tree.namespace(service))
                });
                if !wanted.is_null() && !exists {
                    let place = manifest.at(format!("{pointer}/name"));
                    self.report(place, "no manifest has this Service in this namespace");
                }
            }
        }
    }

    /// All objects are in the namespace of the manifests.
    fn namespaces(&mut self) {
        let namespaces: Vec<&str> = self.tree.of("Namespace").map(Manifest::name).collect();
        for manifest in &self.tree.manifests {
            let pointer = "/metadata/namespace";
            let namespace = manifest.text(pointer);
            let is_other = !namespace.is_empty() && !namespaces.contains(&namespace);
            if is_other && !is_system(namespace) && !namespaces.is_empty() {
                let message = format!(
                    "no manifest has the Namespace `{}`",
                    namespace.escape_debug()
                );
                self.report(manifest.at(pointer), message)
                    .hint(format!("the manifests have {}", namespaces.join(", ")));
            }
        }
    }
}
