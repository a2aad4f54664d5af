//! What users do: objects that are created, changed, changed back and deleted.

use std::{sync::Arc, time::Duration};

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::{
    request::send,
    state::text,
    values::{self, Change},
};

/// One action of a user.
#[derive(Clone)]
pub(crate) enum Step {
    Create { collection: String, object: Value },
    Patch { path: String, patch: Value },
    Delete { path: String },
    Call { name: String, call: Call },
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
            Self::Call { name, .. } => name.clone(),
        }
    }

    /// Returns the HTTP status, 0 for a call.
    pub(crate) async fn run(&self, server: &ApiServer) -> u16 {
        let (method, path, content_type, body) = match self {
            Self::Create { collection, object } => {
                (Method::POST, collection, "application/json", object)
            }
            Self::Patch { path, patch } => {
                (Method::PATCH, path, "application/merge-patch+json", patch)
            }
            Self::Delete { path } => (Method::DELETE, path, "application/json", &Value::Null),
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

    /// Creates an object; `collection` is the path of its collection.
    #[must_use]
    pub fn create(self, collection: &str, object: Value) -> Self {
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

    fn step(mut self, step: Step) -> Self {
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

/// A kind that workloads are made for.
#[derive(Clone, Debug)]
pub(crate) struct Primary {
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) kind: String,
    version: String,
    namespaced: bool,
    schema: Value,
}

impl Primary {
    /// Reads the storage version of a CRD.
    pub(crate) fn read(crd: &Value) -> Option<Self> {
        let versions = crd.pointer("/spec/versions")?.as_array()?;
        let version = versions
            .iter()
            .find(|version| version["storage"] == true)
            .or(versions.first())?;
        Some(Self {
            group: text(crd, "/spec/group").to_owned(),
            plural: text(crd, "/spec/names/plural").to_owned(),
            kind: text(crd, "/spec/names/kind").to_owned(),
            version: text(version, "/name").to_owned(),
            namespaced: text(crd, "/spec/scope") == "Namespaced",
            schema: version
                .pointer("/schema/openAPIV3Schema")
                .cloned()
                .unwrap_or_default(),
        })
    }

    fn collection(&self) -> String {
        let namespace = if self.namespaced {
            "namespaces/default/"
        } else {
            ""
        };
        format!(
            "/apis/{}/{}/{namespace}{}",
            self.group, self.version, self.plural
        )
    }

    fn object(&self, name: &str, body: &Value) -> Value {
        let mut object = body.clone();
        object["apiVersion"] = format!("{}/{}", self.group, self.version).into();
        object["kind"] = self.kind.clone().into();
        object["metadata"]["name"] = name.into();
        if self.namespaced {
            object["metadata"]["namespace"] = "default".into();
        }
        object
    }

    /// Returns the workloads of this kind: its objects are created, one field changes and changes back, one object is deleted and
    /// created again, all are deleted. `sample` is the spec to start from; without it, the schema makes one.
    pub(crate) async fn workloads(
        &self,
        server: &ApiServer,
        sample: Option<&Value>,
        objects: usize,
        most: usize,
    ) -> Vec<Workload> {
        let collection = self.collection();
        let spec = |body: &Value| {
            let mut body = body.clone();
            if let Some(fields) = body.as_object_mut() {
                fields.retain(|name, _| {
                    !matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "status")
                });
            }
            body
        };
        let mut bases: Vec<Value> = sample.iter().map(|sample| spec(sample)).collect();
        if bases.is_empty() {
            bases
                .extend([true, false].map(|optional| spec(&values::value(&self.schema, optional))));
        }
        let mut found = None;
        for base in bases {
            if self.is_valid(server, &self.object("probe", &base)).await {
                found = Some(base);
                break;
            }
        }
        let Some(base) = found else {
            return Vec::new();
        };
        let names: Vec<String> = ('a'..='z').map(String::from).take(objects).collect();
        let create = |name: &str| {
            names.iter().fold(Workload::new(name), |workload, name| {
                workload.create(&collection, self.object(name, &base))
            })
        };
        let end = |workload: Workload| {
            names
                .iter()
                .fold(workload.phase("delete"), |workload, name| {
                    workload.delete(&format!("{collection}/{name}"))
                })
                .leaves_nothing()
        };
        let first = format!("{collection}/a");
        let again = create(&format!("{} deleted and created again", self.plural))
            .phase("delete one")
            .delete(&first)
            .phase("create it again")
            .create(&collection, self.object("a", &base))
            .same_as("create");
        let mut workloads = vec![end(again)];
        for change in spread(values::changes(&self.schema, &base)) {
            if workloads.len() >= most {
                break;
            }
            let mut changed = base.clone();
            let mut old = Value::Null;
            if let Some(place) = changed.pointer_mut(&pointer(&change)) {
                old = place.clone();
                *place = change.value.clone();
            }
            if change.value.is_null() {
                remove(&mut changed, &change);
            }
            if !self.is_valid(server, &self.object("probe", &changed)).await {
                continue;
            }
            let name = format!(
                "{} {}: {old} → {}",
                self.plural,
                change.path.join("."),
                change.value
            );
            let workload = create(&name)
                .phase("change")
                .patch(&first, nested(&change, change.value.clone()))
                .phase("change back")
                .patch(&first, nested(&change, old))
                .same_as("create");
            workloads.push(end(workload));
        }
        workloads
    }

    async fn is_valid(&self, server: &ApiServer, object: &Value) -> bool {
        let path = format!("{}?dryRun=All&fieldValidation=Strict", self.collection());
        let answer = send(
            server.service(),
            Method::POST,
            &path,
            "application/json",
            object,
        );
        answer.await.is_ok_and(|(status, _)| status == 201)
    }
}

/// Orders the changes so that each field has its turn before any field has a second one.
fn spread(changes: Vec<Change>) -> Vec<Change> {
    let mut turns: Vec<(usize, usize, Change)> = Vec::new();
    for (index, change) in changes.into_iter().enumerate() {
        let turn = turns
            .iter()
            .filter(|(_, _, other)| other.path == change.path)
            .count();
        turns.push((turn, index, change));
    }
    turns.sort_by_key(|(turn, index, _)| (*turn, *index));
    turns.into_iter().map(|(_, _, change)| change).collect()
}

fn pointer(change: &Change) -> String {
    change.path.iter().fold(String::new(), |path, name| {
        format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
    })
}

fn remove(object: &mut Value, change: &Change) {
    let Some((last, parents)) = change.path.split_last() else {
        return;
    };
    let mut place = object;
    for name in parents {
        place = &mut place[name.as_str()];
    }
    if let Some(fields) = place.as_object_mut() {
        fields.remove(last);
    }
}

fn nested(change: &Change, value: Value) -> Value {
    change
        .path
        .iter()
        .rev()
        .fold(value, |value, name| json!({ name.as_str(): value }))
}
