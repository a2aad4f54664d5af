//! The names that both operators must have: of the namespace, the Lease, the field manager and finalizers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::{GO_MANAGER, Planner};
use crate::{
    base::diag::{Code, Diagnostics, Place},
    operator::takeover::kubebuilder::facts::{GoFile, Value},
};

/// The directory with the Deployment.
const MANAGER: &str = "config/manager";

/// The containers of a Deployment.
const CONTAINERS: &str = "/spec/template/spec/containers";

/// The variable that operators have the watched namespaces from.
const NAMESPACES: &str = "WATCH_NAMESPACE";

impl Planner {
    /// Finds the namespace, the Lease and the field manager.
    pub(super) fn names(&mut self, files: &[GoFile], found: &mut Diagnostics) {
        self.findings.prefix = self.manifests.prefix.clone();
        if let Some(namespace) = self.manifests.namespace.clone() {
            self.note("namespace", &namespace, "config/default/kustomization.yaml");
            self.takeover.namespace.get_or_insert(namespace);
        } else if self.takeover.namespace.is_none() {
            let message = "config/default/kustomization.yaml names no namespace";
            let diagnostic = found.report(Code::NotTranslated, Place::nowhere(), message);
            diagnostic.hint("`--deploy-namespace NAME` sets it");
        }
        let in_go = files.iter().flat_map(|file| {
            let leases = file.leases.iter();
            leases.filter_map(|it| Some((value_in(file, files, it)?, file.path.clone())))
        });
        let constants = files.iter().flat_map(|file| {
            let constants = file.constants.iter();
            let named =
                constants.filter(|(name, _)| name.to_lowercase().contains("leaderelectionid"));
            named.map(|(_, value)| (value.clone(), file.path.clone()))
        });
        let configured = self.manifests.lease.clone();
        let configured = configured.map(|lease| (lease, "config/manager".to_owned()));
        let mut leases: BTreeMap<String, String> = configured.into_iter().collect();
        if leases.is_empty() {
            leases = in_go.filter(|(lease, _)| !lease.is_empty()).collect();
        }
        if leases.is_empty() {
            leases = constants.collect();
        }
        if let (Some((lease, path)), 1) = (leases.first_key_value(), leases.len()) {
            let (lease, path) = (lease.clone(), path.clone());
            self.note("Lease", &lease, &path);
            self.takeover.lease.get_or_insert(lease);
        } else if self.takeover.lease.is_none() {
            let all: Vec<&str> = leases.keys().map(String::as_str).collect();
            let message = if all.is_empty() {
                "the name of the Lease (`LeaderElectionID`) is not a constant".to_owned()
            } else {
                format!(
                    "the Lease (`LeaderElectionID`) has several names: {}",
                    all.join(", ")
                )
            };
            let diagnostic = found.report(Code::NotTranslated, Place::nowhere(), message);
            diagnostic.hint(
                "`--lease NAME` sets it: two operators with different Leases lead at the same time",
            );
        }
        let managers = files.iter().flat_map(|file| {
            let managers = file.field_managers.iter();
            managers.filter_map(|it| Some((value_in(file, files, it)?, file.path.clone())))
        });
        let managers: BTreeMap<String, String> = managers.collect();
        for (manager, path) in &managers {
            self.note("field manager", manager, path);
        }
        if let (Some((manager, _)), 1) = (managers.first_key_value(), managers.len()) {
            self.takeover.field_manager.get_or_insert(manager.clone());
        }
        // What is written by `Create` and `Update` in a name is not owned by what the same name applies.
        let former = &mut self.takeover.former_managers;
        let others = managers.into_keys();
        former.extend(others.filter(|name| name != GO_MANAGER));
        for file in files {
            for at in &file.user_agents {
                let what = "the user agent is set: what its clients write by `Create` and `Update` belongs to a field manager of the name before its first `/` \
                            (`kubectl get --show-managed-fields`), which `take_over_from` must list where the children are made";
                self.by_hand(file, at.line, what.to_owned());
            }
        }
    }

    /// Finds the variables of the environment that the manager's container has: those with a value are set in the new Deployment, too.
    pub(super) fn environment(&mut self) {
        let containers = self.manifests.deployments.iter().filter_map(|deployment| {
            let containers = deployment.pointer(CONTAINERS)?.as_array()?;
            let manager = containers.iter().find(|it| it["name"] == "manager");
            manager.or(containers.first())
        });
        let containers: Vec<Json> = containers.cloned().collect();
        for container in &containers {
            let variables = container["env"].as_array().into_iter().flatten();
            let named = variables.filter_map(|it| Some((it["name"].as_str()?, it)));
            for (name, variable) in named {
                match variable["value"].as_str() {
                    _ if name == NAMESPACES => {
                        let what = format!(
                            "the variable `{name}`: the flag `--namespace` takes its place"
                        );
                        self.of_manager(what);
                    }
                    Some(value) if self.lacks_reference(value) => {
                        let what = format!(
                            "the variable `{name}` refers to another one that is not copied: add both to `env` in deploy/deployment.yaml"
                        );
                        self.of_manager(what);
                    }
                    Some(value) => {
                        let text = format!("{name}={value}");
                        self.note("variable, in deploy/deployment.yaml, too", &text, MANAGER);
                        let all = &mut self.takeover.environment;
                        all.push((name.to_owned(), value.to_owned()));
                    }
                    None => {
                        let what = format!(
                            "the variable `{name}` has no value of its own: add it to `env` in deploy/deployment.yaml, if the reconcile needs it"
                        );
                        self.of_manager(what);
                    }
                }
            }
            for (field, what) in [
                ("envFrom", "variables from other objects (`envFrom`)"),
                ("volumeMounts", "volumes"),
            ] {
                if container[field].as_array().is_some_and(|it| !it.is_empty()) {
                    let what = format!(
                        "{what}: add them to deploy/deployment.yaml, if the reconcile needs them"
                    );
                    self.of_manager(what);
                }
            }
        }
    }

    /// Whether a value refers to a variable, as in `$(NAME)`, that is not among those before it.
    fn lacks_reference(&self, value: &str) -> bool {
        let known = &self.takeover.environment;
        let mut references = value.split("$(").skip(1);
        references.any(|rest| {
            let name = rest.split_once(')').map(|(name, _)| name);
            name.is_some_and(|name| known.iter().all(|(known, _)| known != name))
        })
    }

    fn of_manager(&mut self, what: String) {
        let by_hand = &mut self.findings.by_hand;
        by_hand.push((MANAGER.to_owned(), what));
    }

    pub(super) fn note(&mut self, what: &'static str, value: &str, path: &str) {
        let values = &mut self.findings.values;
        values.push((what, value.to_owned(), path.to_owned()));
    }

    /// Finds the finalizer of the kind that a file controls.
    pub(super) fn finalizer(&mut self, file: &GoFile, files: &[GoFile]) {
        let values = file.finalizers.iter();
        let values: BTreeSet<String> = values.filter_map(|it| value_in(file, files, it)).collect();
        for value in &values {
            self.note("finalizer", value, &file.path);
        }
        let controlled = self.findings.controllers.get(&file.path);
        let is_crd = |id: &&String| self.kinds.crds.iter().any(|crd| crd.name == **id);
        let of = controlled.into_iter().flatten().find(is_crd).cloned();
        match (of, values.first()) {
            (Some(crd), Some(value)) if values.len() == 1 => {
                self.takeover.finalizers.insert(crd, value.clone());
            }
            (_, Some(_)) => {
                let all: Vec<&str> = values.iter().map(String::as_str).collect();
                let what = format!(
                    "finalizers {}: wrap the reconcile in `finalize`",
                    all.join(", ")
                );
                self.by_hand(file, 1, what);
            }
            _ => {}
        }
    }
}

/// Returns a string, or that of a constant: of the file, or the only one of the name in the project.
pub(super) fn value_in(file: &GoFile, files: &[GoFile], value: &Value) -> Option<String> {
    let name = match value {
        Value::Text(text) => return Some(text.clone()),
        Value::Name(name) => name,
    };
    if let Some(value) = file.constants.get(name) {
        return Some(value.clone());
    }
    let values = files.iter().filter_map(|file| file.constants.get(name));
    let values: BTreeSet<&String> = values.collect();
    let only = values.len() == 1;
    values.first().filter(|_| only).map(|it| (*it).clone())
}
