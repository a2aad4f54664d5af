//! What is left of the former operator once the new one runs, and how it is deleted.
use serde_json::Value as Json;

use super::{POD_LABELS, Planner};

/// The account of the Pods of a Deployment.
const ACCOUNT: &str = "/spec/template/spec/serviceAccountName";

/// The namespace that kustomize replaces.
const NAMESPACE: &str = "system";

impl Planner {
    /// Lists the objects of the old installation that have no successor of the same name.
    pub(super) fn obsolete(&mut self) {
        let arguments = |objects: Vec<&Json>| -> Vec<String> {
            let arguments = objects.into_iter().filter_map(|it| self.argument(it));
            arguments.collect()
        };
        let deployments = self.manifests.deployments.iter();
        let deployments = deployments.map(|it| self.name(it)).collect();
        let webhooks = self.manifests.webhooks.iter();
        let obsolete = arguments(webhooks.chain(self.installed()).collect());
        let former_rights = arguments(self.former_rights());
        self.findings.deployments = deployments;
        self.findings.obsolete = obsolete;
        self.findings.former_rights = former_rights;
        if self.manifests.prefix.is_empty() && !self.manifests.deployments.is_empty() {
            let what = "no `namePrefix`: the cluster may have objects of these names that belong to another operator, so the commands below delete \
                        none that is in no namespace";
            let place = "config/default/kustomization.yaml".to_owned();
            self.findings.by_hand.push((place, what.to_owned()));
        }
    }

    /// Returns the name of an installed object.
    fn name(&self, object: &Json) -> String {
        let name = object.pointer("/metadata/name").and_then(Json::as_str);
        format!("{}{}", self.manifests.prefix, name.unwrap_or_default())
    }

    /// Returns the argument of `kubectl delete` for an installed object; `None` if the name may be another's.
    fn argument(&self, object: &Json) -> Option<String> {
        let kind = object["kind"].as_str()?;
        let is_shared = kind.starts_with("Cluster") || kind.ends_with("WebhookConfiguration");
        if is_shared && self.manifests.prefix.is_empty() {
            return None;
        }
        let group = match kind {
            "Certificate" | "Issuer" => ".cert-manager.io",
            _ => "",
        };
        let kind = kind.to_lowercase();
        Some(format!("{kind}{group}/{}", self.name(object)))
    }

    /// Returns the Services of the Pods of the former operator, and what cert-manager has for it.
    fn installed(&self) -> Vec<&Json> {
        // Without cert-manager, kubectl knows no kind of it and deletes nothing.
        let mut directories = self.manifests.directories.iter();
        let issues = directories.any(|path| path.trim_end_matches('/').ends_with("/certmanager"));
        let selects = |service: &Json| {
            let selector = service.pointer("/spec/selector").and_then(Json::as_object);
            let mut pods = self.manifests.deployments.iter();
            pods.any(|deployment| {
                let labels = deployment.pointer(POD_LABELS);
                let is_one = |(key, value): (&String, &Json)| {
                    labels.is_some_and(|labels| labels[key.as_str()] == *value)
                };
                selector.is_some_and(|it| !it.is_empty() && it.iter().all(is_one))
            })
        };
        let installed = self.manifests.installed.iter();
        let obsolete = installed.filter(|object| match object["kind"].as_str() {
            Some("Service") => selects(object),
            _ => issues,
        });
        obsolete.collect()
    }

    /// Returns the accounts of the Pods of the former operator, what grants them rights, and the roles that nothing else is bound to.
    fn former_rights(&self) -> Vec<&Json> {
        let of_pods = |account: &&Json| {
            let mut deployments = self.manifests.deployments.iter();
            let name = account["metadata"]["name"].as_str();
            deployments.any(|it| it.pointer(ACCOUNT).and_then(Json::as_str) == name)
        };
        let accounts = self.manifests.accounts.iter().filter(of_pods);
        let namespace = |it: &Json| it["namespace"].as_str().unwrap_or(NAMESPACE).to_owned();
        let is_account = |subject: &Json| {
            subject["kind"] == "ServiceAccount"
                && accounts.clone().any(|it| {
                    it["metadata"]["name"] == subject["name"]
                        && namespace(&it["metadata"]) == namespace(subject)
                })
        };
        let is_former = |binding: &&Json| {
            let subjects = binding["subjects"].as_array();
            subjects.is_some_and(|it| !it.is_empty() && it.iter().all(is_account))
        };
        let (bindings, kept): (Vec<&Json>, Vec<&Json>) =
            self.manifests.bindings.iter().partition(is_former);
        // Readers of metrics are bound by administrators, in no file of the project.
        let is_of_users = |role: &Json| {
            let mut rules = role["rules"].as_array().into_iter().flatten();
            rules.all(|rule| rule["nonResourceURLs"].is_array())
        };
        let roles = self.manifests.roles.iter().filter(|role| {
            let is_bound = |all: &[&Json]| {
                let mut roles = all.iter().map(|binding| &binding["roleRef"]);
                roles.any(|it| it["kind"] == role["kind"] && it["name"] == role["metadata"]["name"])
            };
            is_bound(&bindings) && !is_bound(&kept) && !is_of_users(role)
        });
        bindings
            .iter()
            .copied()
            .chain(roles)
            .chain(accounts.clone())
            .collect()
    }
}
