//! What users do: objects that are created, changed, changed back and deleted.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::{
    request::send,
    state::{id, text},
};

/// One action of a user.
#[derive(Clone)]
pub(crate) enum Step {
    Create {
        collection: String,
        object: Value,
    },
    Patch {
        path: String,
        patch: Value,
    },
    Delete {
        path: String,
    },
    /// Stores an object without validation.
    Seed {
        object: Value,
    },
    Call {
        name: String,
        call: Call,
    },
}

type Call = Arc<dyn Fn(&ApiServer) + Send + Sync>;

impl Step {
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Create { collection, object } => {
                format!("creates {collection}/{}", text(object, "/metadata/name"))
            }
            Self::Patch { path, patch } => format!("changes {path}: {patch}"),
            Self::Delete { path } => format!("deletes {path}"),
            Self::Seed { object } => format!("stores {}, without validation", id(object)),
            Self::Call { name, .. } => name.clone(),
        }
    }

    /// Returns the HTTP status; 0 where there was no request.
    pub(crate) async fn run(&self, server: &ApiServer) -> u16 {
        let (method, path, content_type, body) = match self {
            Self::Create { collection, object } => {
                (Method::POST, collection, "application/json", object)
            }
            Self::Patch { path, patch } => {
                (Method::PATCH, path, "application/merge-patch+json", patch)
            }
            Self::Delete { path } => (Method::DELETE, path, "application/json", &Value::Null),
            Self::Seed { object } => {
                // The kind is registered.
                let _ = server.seed(object);
                return 0;
            }
            Self::Call { call, .. } => {
                call(server);
                return 0;
            }
        };
        let until = Instant::now() + Duration::from_secs(120);
        loop {
            let service = server.service();
            let answer = send(service, method.clone(), path, content_type, body).await;
            let status = answer.map_or(500, |(status, _)| status);
            // The object of this name is still being deleted.
            if status != 409 || Instant::now() > until {
                return status;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Steps after which the operator gets time to come to rest.
#[derive(Clone)]
pub(crate) struct Phase {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
    /// An earlier phase after which the spec of all objects was the same.
    pub(crate) same_as: Option<usize>,
    /// Whether no object of the user is left.
    pub(crate) empty: bool,
}

/// What users do in one run: phases of steps. The operator gets time to come to rest after each phase, or, in some runs,
/// does not.
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
}

impl Workload {
    /// Creates a workload with an empty first phase.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            phases: vec![Phase::new("create")],
        }
    }

    /// Begins the next phase.
    #[must_use]
    pub fn phase(mut self, name: &str) -> Self {
        self.phases.push(Phase::new(name));
        self
    }

    /// Creates an object in the namespace of `collection`, the path of its collection.
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

    /// Calls a function with the server, for what no request can do.
    #[must_use]
    pub fn call(self, name: &str, call: impl Fn(&ApiServer) + Send + Sync + 'static) -> Self {
        self.step(Step::Call {
            name: name.to_owned(),
            call: Arc::new(call),
        })
    }

    /// Declares that after this phase all specs are as after the phase with this name; the children must be, too.
    #[must_use]
    pub fn same_as(mut self, phase: &str) -> Self {
        let index = self.phases.iter().position(|known| known.name == phase);
        if let Some(last) = self.phases.last_mut() {
            last.same_as = index;
        }
        self
    }

    /// Declares that after this phase nothing is left of what the operator created.
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
        }
    }
}
