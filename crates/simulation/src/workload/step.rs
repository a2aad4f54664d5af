//! One action of a user, or of what is around the operator.

use std::{sync::Arc, time::Duration};

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::cron;
use crate::{
    request::{seed_own, send},
    state::{id, text},
    timeline::{Act, Deed},
};

/// One action of a user, or of what is around the operator.
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
    /// Deletes an object with a policy for its children: `Foreground` or `Orphan`.
    Propagate {
        path: String,
        policy: &'static str,
    },
    /// Deletes what depends on objects that are deleted in the foreground, as the first part of a slow garbage collection.
    Dependents,
    /// Deletes all objects of a namespace, and the namespace.
    Clear {
        namespace: String,
    },
    /// Stores an object without validation.
    Seed {
        object: Value,
    },
    /// Stores an object of another client, in place of one of the same name. The operator must leave its content as it is.
    Stranger {
        path: String,
        object: Value,
    },
    /// Deletes an object of [`Step::Stranger`].
    Leave {
        path: String,
        object: Value,
    },
    /// Notes what another client has set in the metadata of an object. The operator must leave it there.
    Mark {
        path: String,
        object: Value,
    },
    /// Removes the finalizer of [`Step::Mark`]; nothing of it need stay then.
    Unmark {
        path: String,
        object: Value,
    },
    /// Lets the schedule of a `CronJob` fire, for the time with this number.
    Fire {
        path: String,
        number: u32,
    },
    /// Lets the controller of a `CronJob` see that its Jobs have ended.
    Finish {
        path: String,
    },
    Call {
        name: String,
        call: Call,
    },
    Turn(Turn),
}

type Call = Arc<dyn Fn(&ApiServer) + Send + Sync>;

/// What changes around the operator, without a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Wait(Duration),
    /// Rejects requests of the operator, until [`Turn::Accept`].
    Reject(Rejection),
    Accept,
    /// Stops the operator, until [`Turn::Start`].
    Stop,
    Start,
    /// Whether Pods get ready.
    Health(bool),
    /// Loses a node, on which is a Pod of each workload, or replaces these Pods on another.
    Node(bool),
    /// Whether garbage is collected.
    Collection(bool),
    /// Replaces the operator by that of the version before, or by the new one.
    Version(Version),
    /// Replaces the CRDs.
    Crds(Version),
}

/// One of the versions of [`Simulation::upgrade`](crate::Simulation::upgrade).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Version {
    Old,
    #[default]
    New,
}

/// Which requests of the operator are rejected, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// All writes, with 403.
    Writes,
    /// The creation of objects in a namespace that is being deleted, with 403.
    Namespace(String),
    /// All requests, with 503.
    All,
    /// No request is answered.
    Hangs,
    /// Writes of other kinds than those of the operator, with 400.
    Webhook,
    /// The same, with 500 after the time-out of a webhook.
    SlowWebhook,
}

impl Step {
    /// Whether an object of the user changes.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self, Self::Patch { .. })
    }

    /// Returns what the timeline shows of the step, with the status of its response.
    pub(crate) fn act(&self, status: u16) -> Act {
        let (deed, path) = match self {
            Self::Create { collection, object } => {
                let path = format!("{collection}/{}", text(object, "/metadata/name"));
                (Deed::Creates, path)
            }
            Self::Patch { path, .. } => (Deed::Changes, path.clone()),
            Self::Delete { path } | Self::Propagate { path, .. } => (Deed::Deletes, path.clone()),
            Self::Stranger { path, .. }
            | Self::Leave { path, .. }
            | Self::Mark { path, .. }
            | Self::Unmark { path, .. }
            | Self::Fire { path, .. }
            | Self::Finish { path } => (Deed::Other, path.clone()),
            Self::Dependents
            | Self::Clear { .. }
            | Self::Seed { .. }
            | Self::Call { .. }
            | Self::Turn(_) => (Deed::Other, String::new()),
        };
        let text = self.describe();
        Act {
            deed,
            path,
            text,
            status,
        }
    }

    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Create { collection, object } => {
                format!("creates {collection}/{}", text(object, "/metadata/name"))
            }
            Self::Patch { path, patch } => format!("changes {path}: {patch}"),
            Self::Delete { path } => format!("deletes {path}"),
            Self::Propagate { path, policy } => format!("deletes {path} ({policy})"),
            Self::Dependents => {
                "deletes the children of what is deleted in the foreground".to_owned()
            }
            Self::Clear { namespace } => {
                format!("deletes the namespace {namespace}, with all that it contains")
            }
            Self::Seed { object } => format!("stores {}, without validation", id(object)),
            Self::Stranger { path, .. } => format!("creates an object of their own at {path}"),
            Self::Leave { path, .. } => format!("deletes their own object at {path}"),
            Self::Mark { path, .. } => format!("adds a finalizer to {path}"),
            Self::Unmark { path, .. } => format!("removes their finalizer from {path}"),
            Self::Fire { path, .. } => format!("waits until the schedule of {path} fires"),
            Self::Finish { path } => format!("waits until the Jobs of {path} have ended"),
            Self::Call { name, .. } => name.clone(),
            Self::Turn(turn) => turn.describe(),
        }
    }

    /// Returns the HTTP status; 0 where there was no request. Waits up to `patience` for an object of the same name that is being deleted.
    pub(crate) async fn run(&self, server: &ApiServer, patience: Duration) -> u16 {
        let merge = "application/merge-patch+json";
        let options;
        let (method, path, content_type, body) = match self {
            Self::Create { collection, object } => {
                (Method::POST, collection, "application/json", object)
            }
            Self::Patch { path, patch } => (Method::PATCH, path, merge, patch),
            Self::Delete { path } => (Method::DELETE, path, "application/json", &Value::Null),
            Self::Propagate { path, policy } => {
                options = json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": policy});
                (Method::DELETE, path, "application/json", &options)
            }
            Self::Leave { path, .. } => return delete(server, path).await,
            Self::Stranger { path, object } => {
                delete(server, path).await;
                seed_own(server, object);
                return 0;
            }
            Self::Unmark { path, object } => return unmark(server, path, object).await,
            Self::Dependents => {
                dependents(server).await;
                return 0;
            }
            Self::Clear { namespace } => {
                clear(server, namespace).await;
                return 0;
            }
            Self::Seed { object } => {
                seed_own(server, object);
                return 0;
            }
            Self::Fire { path, number } => return cron::fire(server, path, *number).await,
            Self::Finish { path } => return cron::finish(server, path).await,
            Self::Call { call, .. } => {
                call(server);
                return 0;
            }
            Self::Mark { .. } | Self::Turn(_) => return 0,
        };
        let begin = Instant::now();
        let mut wait = Duration::from_millis(50);
        loop {
            let service = server.service();
            let answer = send(service, method.clone(), path, content_type, body).await;
            let status = answer.map_or(500, |(status, _)| status);
            // The object of this name is still being deleted.
            if status != 409 || begin.elapsed() > patience {
                return status;
            }
            sleep(wait).await;
            wait = (wait * 2).min(Duration::from_secs(1));
        }
    }
}

/// Removes the finalizers of a mark from an object, as a client does that leaves those of others.
async fn unmark(server: &ApiServer, path: &str, mark: &Value) -> u16 {
    let json = "application/json";
    loop {
        let read = send(server.service(), Method::GET, path, json, &Value::Null).await;
        let Ok((200, mut object)) = read else {
            return read.map_or(500, |(status, _)| status);
        };
        let theirs = mark
            .pointer("/metadata/finalizers")
            .and_then(Value::as_array);
        let list = object.pointer_mut("/metadata/finalizers");
        if let (Some(list), Some(theirs)) = (list.and_then(Value::as_array_mut), theirs) {
            list.retain(|name| !theirs.contains(name));
        }
        let written = send(server.service(), Method::PUT, path, json, &object).await;
        let status = written.map_or(500, |(status, _)| status);
        if status != 409 {
            return status;
        }
    }
}

/// Deletes an object, and returns the status of the response: the object need not exist, and a webhook may keep it.
async fn delete(server: &ApiServer, path: &str) -> u16 {
    let json = "application/json";
    // Without a policy, the dependents of a Job would be released.
    let options =
        json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"});
    let answer = send(server.service(), Method::DELETE, path, json, &options).await;
    answer.map_or(500, |(status, _)| status)
}

/// Deletes what a namespace contains, except what only reports.
async fn clear(server: &ApiServer, namespace: &str) {
    delete_all(server, |object| {
        text(object, "/metadata/namespace") == namespace
    })
    .await;
    delete(server, &format!("/api/v1/namespaces/{namespace}")).await;
}

/// Deletes what depends on objects that are deleted in the foreground.
async fn dependents(server: &ApiServer) {
    let list = |object: &Value, pointer: &str| -> Vec<Value> {
        let list = object.pointer(pointer).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let ending = server.filter_map(|object| {
        let finalizers = list(object, "/metadata/finalizers");
        let is_ending = finalizers.iter().any(|it| it == "foregroundDeletion");
        is_ending.then(|| object["metadata"]["uid"].clone())
    });
    delete_all(server, |object| {
        let owners = list(object, "/metadata/ownerReferences");
        owners.iter().any(|owner| ending.contains(&owner["uid"]))
    })
    .await;
}

/// Deletes all objects that are chosen.
async fn delete_all(server: &ApiServer, is_chosen: impl Fn(&Value) -> bool) {
    for object in server.filter_map(|object| is_chosen(object).then(|| object.clone())) {
        delete(server, &path_of(server, &object).await).await;
    }
}

/// The path of an object that the server has.
pub(crate) async fn path_of(server: &ApiServer, object: &Value) -> String {
    let version = text(object, "/apiVersion");
    let root = if version.contains('/') { "apis" } else { "api" };
    let root = format!("/{root}/{version}");
    let (plural, name) = (
        plural(server, &root, text(object, "/kind")).await,
        text(object, "/metadata/name"),
    );
    match text(object, "/metadata/namespace") {
        "" => format!("{root}/{plural}/{name}"),
        namespace => format!("{root}/namespaces/{namespace}/{plural}/{name}"),
    }
}

/// Returns the plural of a kind, as discovery has it.
async fn plural(server: &ApiServer, root: &str, kind: &str) -> String {
    let answer = send(server.service(), Method::GET, root, "", &Value::Null).await;
    let (_, list) = answer.unwrap_or_default();
    let resources = list.get("resources").and_then(Value::as_array);
    let mut found = resources.into_iter().flatten().filter(|resource| {
        text(resource, "/kind") == kind && !text(resource, "/name").contains('/')
    });
    found.next().map_or("", |it| text(it, "/name")).to_owned()
}

impl Turn {
    fn describe(&self) -> String {
        match self {
            Self::Wait(time) => format!("waits for {} ms", time.as_millis()),
            Self::Reject(Rejection::Writes) => {
                "revokes the operator's write permissions".to_owned()
            }
            Self::Reject(Rejection::Namespace(name)) => {
                format!("begins to delete the namespace {name}: nothing can be created in it")
            }
            Self::Reject(Rejection::All) => "makes the server answer 503".to_owned(),
            Self::Reject(Rejection::Hangs) => "makes the server stop responding".to_owned(),
            Self::Reject(Rejection::Webhook) => {
                "makes a webhook reject writes to children".to_owned()
            }
            Self::Reject(Rejection::SlowWebhook) => {
                "makes a webhook not respond to writes to children".to_owned()
            }
            Self::Accept => "lets the server accept the operator's requests again".to_owned(),
            Self::Stop => "stops the operator".to_owned(),
            Self::Start => "starts the operator".to_owned(),
            Self::Collection(true) => "lets the garbage collector catch up".to_owned(),
            Self::Collection(false) => "slows down the garbage collector".to_owned(),
            Self::Health(true) => "lets Pods become ready".to_owned(),
            Self::Health(false) => "keeps Pods from becoming ready".to_owned(),
            Self::Node(true) => "replaces the lost Pods".to_owned(),
            Self::Node(false) => "loses a node, with a Pod of each workload".to_owned(),
            Self::Crds(Version::Old) => "applies the CRDs of the previous version".to_owned(),
            Self::Crds(Version::New) => "applies the CRDs of the new version".to_owned(),
            Self::Version(Version::Old) => {
                "replaces the operator with the previous version".to_owned()
            }
            Self::Version(Version::New) => "replaces the operator with the new version".to_owned(),
        }
    }
}
