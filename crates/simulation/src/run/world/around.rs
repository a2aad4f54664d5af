//! What is around the operator in a run: whether requests are accepted, processes run and Pods get ready, and the objects of others.

use std::{collections::BTreeMap, time::Duration};

use http::Method;
use serde_json::{Value, json};
use tokio::time::sleep;
use tower::BoxError;

use super::{Nodes, World};
use crate::{
    faults::Sent,
    request::{Seen, reject, send},
    state::{id, text},
    workload::{Rejection, Step, Turn, Version},
};

/// How often a request that gets no answer looks whether the server answers again.
const LOOK: Duration = Duration::from_secs(1);

/// The [time-out](https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts) of a webhook.
const WEBHOOK: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct Around {
    rejection: Option<Rejection>,
    is_stopped: bool,
    pub(super) nodes: Nodes,
    version: Version,
    /// Whether the operator cannot do what it should.
    is_hopeless: bool,
    /// Objects of others, by their keys in a state.
    strangers: BTreeMap<String, Value>,
    /// What others have set in the metadata of objects, by their keys in a state.
    marks: BTreeMap<String, Value>,
    /// The Jobs of `CronJob`s, in a phase in which a schedule fires.
    fired: BTreeMap<String, Value>,
    /// What the operator has deleted in this phase, before that.
    removed: BTreeMap<String, (usize, Value)>,
    /// What it has created in the place of these.
    replaced: Vec<(String, Value, Value)>,
}

impl Around {
    /// The user acts.
    pub(super) fn begin_phase(&mut self, is_hopeless: bool) {
        self.fired.clear();
        self.is_hopeless = is_hopeless;
    }
}

impl World {
    /// Does what a step changes besides its request.
    pub(crate) async fn act(&self, step: &Step) {
        if let Step::Turn(Turn::Wait(time)) = step {
            self.busy(*time);
            return sleep(*time).await;
        }
        self.recall(step);
        match step {
            Step::Turn(Turn::Health(_)) => self.nodes_change.notify_one(),
            Step::Turn(Turn::Node(is_there)) => self.lose_node(!is_there),
            Step::Turn(Turn::Crds(version)) => self.define(*version),
            Step::Turn(Turn::Collection(is_on)) => self.server.set_collection(*is_on),
            Step::Fire { .. } => self.note_fired(),
            Step::Turn(Turn::Stop | Turn::Version(_)) => self.crash_all(),
            _ => {}
        }
    }

    /// Sets what a step of an earlier phase has left.
    pub(crate) fn recall(&self, step: &Step) {
        let mut around = self.around();
        match step {
            Step::Turn(turn) => match turn {
                Turn::Wait(_) | Turn::Crds(_) | Turn::Collection(_) | Turn::Node(_) => {}
                Turn::Reject(rejection) => around.rejection = Some(rejection.clone()),
                Turn::Accept => around.rejection = None,
                Turn::Stop => around.is_stopped = true,
                Turn::Start => around.is_stopped = false,
                Turn::Health(is_good) => around.nodes.is_failing = !is_good,
                Turn::Version(version) => around.version = *version,
            },
            Step::Stranger { object, .. } => {
                around.strangers.insert(id(object), object.clone());
            }
            Step::Leave { object, .. } => {
                around.strangers.remove(&id(object));
            }
            Step::Mark { object, .. } => {
                around.marks.insert(id(object), object.clone());
            }
            Step::Unmark { object, .. } => {
                around.marks.remove(&id(object));
            }
            _ => {}
        }
    }

    /// Serves the kinds as a version of the operator defines them.
    fn define(&self, version: Version) {
        let crds = match (version, &self.setup.former) {
            (Version::Old, Some(former)) => &former.crds,
            _ => &self.setup.crds,
        };
        for crd in crds {
            if let Err(error) = self.server.register_crd(crd) {
                reject(format!("a CRD that it had accepted before: {error}"));
            }
        }
    }

    fn crash_all(&self) {
        for replica in 0..self.setup.replicas {
            self.crash(replica);
        }
    }

    pub(crate) fn version(&self) -> Version {
        self.around().version
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.around().is_stopped
    }

    /// Whether the operator cannot do in this phase what it should.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.around().is_hopeless
    }

    /// Notes what a request is about to remove, and returns how it is rejected.
    pub(crate) async fn meets(&self, seen: &Seen) -> Result<Option<Sent>, BoxError> {
        if seen.is_report() {
            return Ok(None);
        }
        let rejected = self.rejects(seen).await;
        self.removes(seen).await?;
        Ok(rejected)
    }

    /// Returns how a request is rejected, after the time that this takes.
    async fn rejects(&self, seen: &Seen) -> Option<Sent> {
        loop {
            let rejection = self.around().rejection.clone()?;
            match rejection {
                Rejection::Writes if seen.is_write() => return Some(Sent::Answered(403)),
                Rejection::Namespace(namespace)
                    if seen.verb == "create" && seen.namespace == namespace =>
                {
                    return Some(Sent::Answered(403));
                }
                Rejection::All => return Some(Sent::Answered(503)),
                Rejection::Webhook | Rejection::SlowWebhook
                    if !seen.is_write()
                        || self.setup.demands.is_of_user(&seen.group, &seen.resource) =>
                {
                    return None;
                }
                Rejection::Webhook => return Some(Sent::Answered(400)),
                Rejection::SlowWebhook => {
                    sleep(WEBHOOK).await;
                    return Some(Sent::Answered(500));
                }
                Rejection::Hangs => sleep(LOOK).await,
                Rejection::Writes | Rejection::Namespace(_) => return None,
            }
            if self.around().rejection.is_none() {
                return Some(Sent::Broken);
            }
        }
    }

    /// Returns the objects of others, by their keys in a state.
    pub(crate) fn strangers(&self) -> BTreeMap<String, Value> {
        let around = self.around();
        let mut all = around.strangers.clone();
        all.extend(around.fired.clone());
        all
    }

    /// Returns what others have set in the metadata of objects, by their keys in a state.
    pub(crate) fn marks(&self) -> BTreeMap<String, Value> {
        self.around().marks.clone()
    }

    /// Notes the Jobs of `CronJob`s: they are not the operator's.
    fn note_fired(&self) {
        let jobs = self.server.filter_map(|object| {
            let owner = object.pointer("/metadata/ownerReferences/0/kind")?;
            let is_job = text(object, "/kind") == "Job" && owner == "CronJob";
            let metadata = &object["metadata"];
            let metadata = json!({"namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]});
            is_job.then(|| json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": object["spec"]}))
        });
        let jobs = jobs.into_iter().map(|job| (id(&job), job));
        self.around().fired = jobs.collect();
    }

    /// Notes what a delete of the operator removes.
    async fn removes(&self, seen: &Seen) -> Result<(), BoxError> {
        let Some(path) = seen.object_path() else {
            return Ok(());
        };
        if !self.is_reference || seen.verb != "delete" {
            return Ok(());
        }
        let service = self.server.service();
        let (_, object) = send(service, Method::GET, &path, "", &Value::Null).await?;
        let phase = self.history.phase();
        self.around().removed.insert(path, (phase, object));
        Ok(())
    }

    /// Notes what the operator has created in the place of what it has deleted.
    pub(super) fn replaces(&self, seen: &Seen, object: &Value) {
        let Some(path) = seen.object_path().filter(|_| self.is_reference) else {
            return;
        };
        let phase = self.history.phase();
        let mut around = self.around();
        if let Some((of, old)) = around.removed.remove(&path)
            && of == phase
        {
            let new = object.clone();
            around.replaced.push((path, old, new));
        }
    }

    /// Takes what was replaced in this phase: the path, and the old and the new object.
    pub(crate) fn take_replaced(&self) -> Vec<(String, Value, Value)> {
        std::mem::take(&mut self.around().replaced)
    }
}
