//! Errors whose first suspect is innocent: the report names what the schedule proves.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::StreamExt as _;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, Preconditions},
    runtime::{Controller, controller::Action, reflector::ObjectRef, watcher},
};
use kube_codegen_simulation::{Found, Oracle, Scenario, Simulation};
use serde_json::{Value, json};

use super::{control, crd, found, objects, owners, resource};

async fn status(
    note: &DynamicObject,
    client: &Client,
    kind: &str,
    status: Value,
) -> kube::Result<()> {
    let notes = objects(client, kind);
    let patch = Patch::Merge(json!({"status": status}));
    let done = notes
        .patch_status(&note.name_any(), &PatchParams::default(), &patch)
        .await;
    match done {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        other => other.map(drop),
    }
}

async fn apply(note: &DynamicObject, client: &Client, kind: &str) -> kube::Result<()> {
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": note.name_any(), "ownerReferences": owners(note, kind)},
        "data": {"text": note.data["spec"]["text"]},
    });
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let params = PatchParams::apply("notes").force();
    maps.patch(&note.name_any(), &params, &Patch::Apply(child))
        .await
        .map(drop)
}

/// Takes a text as applied as soon as it has begun with it.
async fn guarded(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let text = &note.data["spec"]["text"];
    if note.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    if note.data.pointer("/status/begun") == Some(text) {
        if note.data.pointer("/status/done") != Some(text) {
            status(&note, &client, "Note", json!({"done": text})).await?;
        }
        return Ok(Action::await_change());
    }
    status(&note, &client, "Note", json!({"begun": text})).await?;
    status(&note, &client, "Note", json!({"done": text})).await?;
    apply(&note, &client, "Note").await?;
    Ok(Action::await_change())
}

/// Writes a constant as the generation that it has observed.
async fn constant(memo: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if memo.metadata.deletion_timestamp.is_none() {
        apply(&memo, &client, "Memo").await?;
        let text = &memo.data["spec"]["text"];
        let observed = json!({"observedGeneration": 1, "text": text});
        status(&memo, &client, "Memo", observed).await?;
    }
    Ok(Action::await_change())
}

/// Returns the likely cause in one line.
fn cause(found: &Found) -> String {
    let report = found.to_string();
    let (_, cause) = report.split_once("likely cause:").unwrap();
    cause.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_request_that_was_repeated_is_not_called_ignored() {
    let text = json!({"text": {"type": "string"}});
    let found = found(
        Simulation::new("notes")
            .crd(&crd("Note", &text))
            .objects(1)
            .without(Oracle::History)
            .operator(|client| control::<ConfigMap, _>(client, "Note", guarded)),
    );
    let cause = cause(&found);
    assert!(!cause.contains("nothing repeats it"), "{cause}");
}

#[test]
fn a_status_with_a_wrong_generation_is_not_called_unwritten() {
    let text = json!({"text": {"type": "string"}});
    let found = found(
        Simulation::new("memos")
            .crd(&crd("Memo", &text))
            .objects(1)
            .operator(|client| control::<ConfigMap, _>(client, "Memo", constant)),
    );
    assert_eq!(found.oracle, Oracle::ObservedGeneration, "{found}");
    let cause = cause(&found);
    assert!(cause.contains("names another generation"), "{cause}");
}

/// What is wrong with an operator that has a Deployment, a status and a Secret for each of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    /// Does not look at the deletion timestamp.
    Deletion,
    /// Deletes the children of other objects, whose label it does not look at.
    Selector,
    /// Changes the selector of a Deployment, which cannot change.
    Immutable,
    /// Writes the minute into the status.
    Minute,
    /// Does not watch what the spec names.
    Secret,
    /// Ignores events of a Deployment whose generation is the same.
    Readiness,
    /// Removes the finalizer before the cleanup.
    Finalizer,
    /// Ignores an error, and goes on.
    Ignores,
    /// Fails where something is missing, and is repeated at once.
    Repeats,
    /// Writes the status first, and takes it as a proof.
    HalfDone,
    /// Takes the text that it has seen first from its memory.
    Memory,
    /// Creates the child, and does not look at one that is there.
    Absent,
    /// Takes the status as a proof, which it writes last.
    Guard,
    /// Does not repeat a reconcile that has failed.
    NoRetry,
}

struct Site {
    client: Client,
    bug: Bug,
    memory: Mutex<BTreeMap<String, Value>>,
}

const FINALIZER: &str = "example.com/sites";

impl Site {
    fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), "default")
    }

    async fn deployment(&self, site: &DynamicObject) -> kube::Result<i32> {
        let name = site.name_any();
        let app = match self.bug {
            Bug::Immutable => site.data["spec"]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            _ => name.clone(),
        };
        let labels = json!({ "app": app });
        let child = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "ownerReferences": owners(site, "Site")},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "site", "image": "site"}]}},
            },
        });
        let api = Api::<Deployment>::namespaced(self.client.clone(), "default");
        let params = PatchParams::apply("sites").force();
        let applied = api.patch(&name, &params, &Patch::Apply(child)).await?;
        Ok(applied.status.and_then(|it| it.ready_replicas).unwrap_or(0))
    }

    async fn config(&self, site: &DynamicObject) -> kube::Result<()> {
        let mut text = site.data["spec"]["text"].clone();
        if self.bug == Bug::Memory {
            let mut memory = self.memory.lock().unwrap();
            text = memory.entry(site.name_any()).or_insert(text).clone();
        }
        if self.bug == Bug::Absent && self.maps().get_opt(&site.name_any()).await?.is_some() {
            return Ok(());
        }
        let child = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": site.name_any(), "ownerReferences": owners(site, "Site"), "labels": {"app": "site"}},
            "data": {"text": text},
        });
        let params = PatchParams::apply("sites").force();
        let patch = Patch::Apply(child);
        let done = self.maps().patch(&site.name_any(), &params, &patch).await;
        match self.bug {
            Bug::Ignores => Ok(()),
            _ => done.map(drop),
        }
    }

    async fn reconcile(&self, site: &DynamicObject) -> kube::Result<Action> {
        let client = &self.client;
        let is_deleted = site.metadata.deletion_timestamp.is_some();
        if self.bug == Bug::Finalizer {
            return self.with_finalizer(site, is_deleted).await;
        }
        if is_deleted && self.bug != Bug::Deletion {
            return Ok(Action::await_change());
        }
        let text = &site.data["spec"]["text"];
        if self.bug == Bug::HalfDone {
            if site.data.pointer("/status/applied") == Some(text) {
                return Ok(Action::await_change());
            }
            status(site, client, "Site", json!({"applied": text})).await?;
            self.config(site).await?;
            return Ok(Action::await_change());
        }
        if self.bug == Bug::Guard {
            if site.data.pointer("/status/applied") != Some(text) {
                self.config(site).await?;
                status(site, client, "Site", json!({"applied": text})).await?;
            }
            return Ok(Action::await_change());
        }
        self.config(site).await?;
        let mut report = json!({"observedGeneration": site.metadata.generation});
        match self.bug {
            Bug::Deletion | Bug::Immutable | Bug::Readiness => {
                report["ready"] = self.deployment(site).await?.into();
            }
            Bug::Minute => {
                report["minute"] = (kube_codegen_record::clock::now().as_second() / 60).into();
            }
            Bug::Secret => {
                let secrets = Api::<Secret>::namespaced(client.clone(), "default");
                let name = site.data["spec"]["secretName"].as_str().unwrap_or_default();
                let known = secrets.get_opt(name).await?;
                report["secret"] = json!(known.map(|it| it.data));
            }
            Bug::Repeats => {
                self.maps().get("missing").await?;
            }
            Bug::Selector => {
                let labelled = ListParams::default().labels("app=site");
                for other in self.maps().list(&labelled).await? {
                    if other.name_any() != site.name_any() {
                        let params = DeleteParams::default().preconditions(Preconditions {
                            uid: other.uid(),
                            resource_version: None,
                        });
                        match self.maps().delete(&other.name_any(), &params).await {
                            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
                            done => drop(done?),
                        }
                    }
                }
            }
            Bug::Finalizer
            | Bug::Ignores
            | Bug::HalfDone
            | Bug::Memory
            | Bug::Absent
            | Bug::Guard
            | Bug::NoRetry => {}
        }
        status(site, client, "Site", report).await?;
        Ok(Action::await_change())
    }

    /// Has a child without an owner, which it deletes itself.
    async fn with_finalizer(&self, site: &DynamicObject, is_deleted: bool) -> kube::Result<Action> {
        let (sites, name) = (objects(&self.client, "Site"), site.name_any());
        let finalizers = |list: Value| json!({"metadata": {"finalizers": list, "resourceVersion": site.resource_version()}});
        let has_it = site.finalizers().iter().any(|it| it == FINALIZER);
        let params = PatchParams::default();
        if is_deleted && has_it {
            let others: Vec<_> = site
                .finalizers()
                .iter()
                .filter(|it| *it != FINALIZER)
                .collect();
            let patch = Patch::Merge(finalizers(json!(others)));
            sites.patch(&name, &params, &patch).await?;
            let child = self.maps().get_opt(&format!("{name}-data")).await?;
            if let Some(child) = child {
                let params = DeleteParams::default().preconditions(Preconditions {
                    uid: child.uid(),
                    resource_version: None,
                });
                self.maps().delete(&child.name_any(), &params).await?;
            }
        } else if !is_deleted && !has_it {
            let all: Vec<_> = site
                .finalizers()
                .iter()
                .map(String::as_str)
                .chain([FINALIZER])
                .collect();
            sites
                .patch(&name, &params, &Patch::Merge(finalizers(json!(all))))
                .await?;
        } else if !is_deleted {
            let child = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("{name}-data")}});
            let params = PatchParams::apply("sites").force();
            let name = format!("{name}-data");
            self.maps()
                .patch(&name, &params, &Patch::Apply(child))
                .await?;
        }
        Ok(Action::await_change())
    }
}

async fn sites(client: Client, bug: Bug) {
    let config = watcher::Config::default();
    let deployments = Api::<Deployment>::namespaced(client.clone(), "default");
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let controller =
        Controller::new_with(objects(&client, "Site"), config.clone(), resource("Site"));
    let controller = if bug == Bug::Readiness {
        // The status of a Deployment is of no generation of its own.
        let seen = Mutex::new(BTreeMap::new());
        controller.watches(deployments, config.clone(), move |it| {
            let (uid, generation) = (it.uid(), it.metadata.generation);
            let before = seen.lock().unwrap().insert(uid, generation);
            let owner = it.owner_references().first()?;
            let of = ObjectRef::new_with(&owner.name, resource("Site")).within("default");
            (before != Some(generation)).then_some(of)
        })
    } else {
        controller.owns(deployments, config.clone())
    };
    controller
        .owns(maps, config)
        .run(
            |site: Arc<DynamicObject>, context: Arc<Site>| async move { context.reconcile(&site).await },
            |_, _: &kube::Error, context: Arc<Site>| match context.bug {
                Bug::Repeats => Action::requeue(Duration::from_millis(200)),
                Bug::NoRetry => Action::await_change(),
                _ => Action::requeue(Duration::from_secs(1)),
            },
            Arc::new(Site {
                client,
                bug,
                memory: Mutex::default(),
            }),
        )
        .for_each(|_| async {})
        .await;
}

#[test]
fn causes_are_those_of_the_code() {
    name_their_causes(&[
        (
            Bug::Deletion,
            "does not look at `metadata.deletionTimestamp`",
        ),
        (
            Bug::Selector,
            "in turn: one reconcile deletes what another one wants",
        ),
        (Bug::Immutable, "field is immutable"),
        (
            Bug::Minute,
            "Each start of the operator writes another value",
        ),
        (Bug::Secret, "does not watch secrets"),
        (Bug::Readiness, "no request follows"),
        (Bug::Finalizer, "took the finalizer off too early"),
        (
            Bug::Ignores,
            "as if it had succeeded: the error was ignored",
        ),
        (Bug::Repeats, "fails with 404 each time"),
        (
            Bug::HalfDone,
            "which had succeeded before, makes it look done",
        ),
    ]);
}

#[test]
fn experiments_tell_causes_that_the_history_does_not() {
    name_their_causes(&[
        (Bug::Memory, "what the process keeps in memory decides"),
        (Bug::Absent, "sends nothing once it exists"),
        (Bug::Guard, "The status makes the operator take as done"),
        (Bug::NoRetry, "the reconcile is not repeated"),
    ]);
}

/// Each error, with what its report must say.
fn name_their_causes(table: &[(Bug, &str)]) {
    let mut wrong = Vec::new();
    for &(bug, expected) in table {
        let spec = json!({"text": {"type": "string"}, "secretName": {"type": "string", "enum": ["site-secret"]}});
        let simulation = Simulation::new("sites")
            .crd(&crd("Site", &spec))
            .without_scenario(Scenario::Strangers)
            .operator(move |client| sites(client, bug));
        let simulation = match bug {
            Bug::Finalizer => simulation.without(Oracle::OwnerReferences),
            _ => simulation,
        };
        let found = match simulation.explore() {
            Ok(summary) => {
                wrong.push(format!("{bug:?} is not found: {summary}"));
                continue;
            }
            Err(found) => found,
        };
        eprintln!("{bug:?}: {found}");
        let cause = cause(&found);
        if !cause.contains(expected) {
            wrong.push(format!(
                "{bug:?} ({:?}): {}\n  {cause}",
                found.oracle, found.message
            ));
        }
        // The headline names what it is about.
        assert!(
            !found.message.contains("the state at rest is another one"),
            "{found}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
