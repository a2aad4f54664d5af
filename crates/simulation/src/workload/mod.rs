//! What users do: objects that are created, changed, changed back and deleted.

mod cron;
mod reduce;
mod step;

use std::{collections::BTreeSet, sync::Arc};

use kube_codegen_testing::ApiServer;
use serde_json::Value;

use crate::{
    scenario::Scenario,
    state::{id, text},
};
pub(crate) use step::{Rejection, Step, Turn, Version, path_of};

/// Steps after which the operator gets time to come to rest.
#[derive(Clone)]
pub(crate) struct Phase {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
    /// An earlier phase after which the spec of all objects was the same.
    pub(crate) same_as: Option<usize>,
    /// Whether no object of the user is left.
    pub(crate) empty: bool,
    /// Whether the operator cannot do what it should: it may try in vain, and say nothing in the status.
    pub(crate) hopeless: bool,
    /// An earlier phase with as many objects as this one, whose names differ: there are as many children.
    pub(crate) as_many_as: Option<usize>,
    /// An earlier phase with the same objects in another namespace: they had no child that these lack.
    pub(crate) moved_from: Option<Moved>,
    /// What was removed on purpose, by its key in a state.
    pub(crate) absent: Vec<String>,
}

/// Where the same objects were before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    pub(crate) phase: usize,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

/// The actions of users in one run: phases made of steps. After each phase, the operator has time to come to rest, except in some runs.
///
/// ```
/// use kube_codegen_simulation::Workload;
/// use serde_json::json;
///
/// let object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "default"}, "spec": {"size": 1}});
/// let workload = Workload::new("a widget grows")
///     .create("/apis/example.com/v1/namespaces/default/widgets", object)
///     .phase("grow")
///     .patch("/apis/example.com/v1/namespaces/default/widgets/a", json!({"spec": {"size": 2}}))
///     .phase("delete")
///     .delete("/apis/example.com/v1/namespaces/default/widgets/a");
/// ```
#[derive(Clone)]
pub struct Workload {
    pub(crate) name: String,
    pub(crate) phases: Vec<Phase>,
    /// What happens besides; `None` for what users do with the objects.
    pub(crate) scenario: Option<Scenario>,
}

impl Workload {
    /// Creates a workload with an empty first phase.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            phases: vec![Phase::new("create")],
            scenario: None,
        }
    }

    /// Starts the next phase.
    #[must_use]
    pub fn phase(mut self, name: &str) -> Self {
        self.phases.push(Phase::new(name));
        self
    }

    /// Creates an object in the collection with this path, and in its namespace.
    #[must_use]
    pub fn create(self, collection: &str, mut object: Value) -> Self {
        let namespace = collection.split_once("/namespaces/");
        if let Some((namespace, _)) = namespace.and_then(|(_, rest)| rest.split_once('/')) {
            object["metadata"]["namespace"] = namespace.into();
        }
        self.step(Step::Create {
            collection: collection.to_owned(),
            object,
        })
    }

    /// Sends a JSON merge patch to the object with this path.
    #[must_use]
    pub fn patch(self, path: &str, change: Value) -> Self {
        self.step(Step::Patch {
            path: path.to_owned(),
            patch: change,
        })
    }

    /// Deletes the object with this path.
    #[must_use]
    pub fn delete(self, path: &str) -> Self {
        self.step(Step::Delete {
            path: path.to_owned(),
        })
    }

    /// Calls a function with the server, for actions that no request can express.
    #[must_use]
    pub fn call(self, name: &str, call: impl Fn(&ApiServer) + Send + Sync + 'static) -> Self {
        self.step(Step::Call {
            name: name.to_owned(),
            call: Arc::new(call),
        })
    }

    /// Declares that after this phase, all specs are the same as after the phase with this name, so the children must be the same, too.
    #[must_use]
    pub fn same_as(mut self, phase: &str) -> Self {
        let index = self.position(phase);
        if let Some(last) = self.phases.last_mut() {
            last.same_as = index;
        }
        self
    }

    /// Declares that after this phase, nothing that the operator created is left.
    #[must_use]
    pub fn leaves_nothing(mut self) -> Self {
        if let Some(last) = self.phases.last_mut() {
            last.empty = true;
        }
        self
    }

    /// Whether it calls functions of the test.
    pub(crate) fn has_calls(&self) -> bool {
        let mut steps = self.phases.iter().flat_map(|phase| &phase.steps);
        steps.any(|step| matches!(step, Step::Call { .. }))
    }

    /// Whether the server validates the objects that users create.
    pub(crate) fn is_valid(&self) -> bool {
        let mut steps = self.phases.iter().flat_map(|phase| &phase.steps);
        !steps.any(|step| matches!(step, Step::Seed { .. }))
    }

    pub(crate) fn position(&self, phase: &str) -> Option<usize> {
        self.phases.iter().position(|known| known.name == phase)
    }

    /// Declares that the operator cannot do in this phase what it should.
    pub(crate) fn hopeless(mut self) -> Self {
        if let Some(last) = self.phases.last_mut() {
            last.hopeless = true;
        }
        self
    }

    /// Declares that there are as many children after this phase as after that with this name.
    pub(crate) fn numbered_as(mut self, phase: &str) -> Self {
        let index = self.position(phase);
        if let Some(last) = self.phases.last_mut() {
            last.as_many_as = index;
        }
        self
    }

    /// Declares that the objects of the phase with this name are in another namespace now: `to`, not `from`.
    pub(crate) fn moved_from(mut self, phase: &str, from: &'static str, to: &'static str) -> Self {
        let index = self.position(phase);
        if let Some(last) = self.phases.last_mut() {
            last.moved_from = index.map(|phase| Moved { phase, from, to });
        }
        self
    }

    /// Declares that an object, by its key in a state, does not exist after this phase.
    pub(crate) fn without(mut self, key: String) -> Self {
        if let Some(last) = self.phases.last_mut() {
            last.absent.push(key);
        }
        self
    }

    pub(crate) fn of(mut self, scenario: Scenario) -> Self {
        self.scenario = Some(scenario);
        self
    }

    pub(crate) fn turn(self, turn: Turn) -> Self {
        self.step(Step::Turn(turn))
    }

    /// Returns the objects that users create.
    fn objects(&self) -> impl Iterator<Item = &Value> {
        let steps = self.phases.iter().flat_map(|phase| &phase.steps);
        steps.filter_map(|step| match step {
            Step::Create { object, .. } | Step::Seed { object } => Some(object),
            _ => None,
        })
    }

    /// Returns the names of the objects that users create.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.objects().map(|object| text(object, "/metadata/name"));
        let names: BTreeSet<&str> = names.collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// Returns the keys, in a state, of the objects that users create.
    pub(crate) fn ids(&self) -> BTreeSet<String> {
        self.objects().map(id).collect()
    }

    pub(crate) fn step(mut self, step: Step) -> Self {
        if let Some(last) = self.phases.last_mut() {
            last.steps.push(step);
        }
        self
    }
}

impl Phase {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            steps: Vec::new(),
            same_as: None,
            empty: false,
            hopeless: false,
            as_many_as: None,
            moved_from: None,
            absent: Vec::new(),
        }
    }
}
