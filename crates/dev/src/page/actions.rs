//! What the user of the page asks for.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock, Weak},
};

use http::Method;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::object;
use crate::{
    cluster::{AGENT, Cluster},
    folder,
    history::{History, Versions},
    proxy::Proxy,
};

const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json";

/// What the operator's process has to do; the answer is an error or nothing.
#[derive(Debug)]
pub(crate) enum Order {
    /// Pauses a replica or all, or lets them go on.
    Pause(Option<usize>, bool),
    /// Restarts a replica or all.
    Restart(Option<usize>),
    /// Simulates the operator, with these objects at the start.
    Simulate(PathBuf),
}

/// A way to the operator, its network and the API server.
pub(crate) struct Actions {
    /// Gone at the end.
    pub(crate) cluster: Weak<Cluster>,
    /// Set once the operator runs.
    pub(crate) proxies: Arc<OnceLock<Vec<Proxy>>>,
    /// Whether the operator has a simulation.
    pub(crate) simulates: bool,
    pub(crate) orders: mpsc::UnboundedSender<(Order, oneshot::Sender<Result<(), String>>)>,
}

impl Actions {
    /// Does what is asked for, and returns what the page shows of it.
    pub(super) async fn execute(&self, history: &History, asked: &Value) -> Result<Value, String> {
        let text = |name: &str| asked[name].as_str().unwrap_or_default();
        let object = || {
            history
                .versions(text("key"))
                .ok_or_else(|| format!("{} is no longer in the history", text("key")))
        };
        let what = text("do");
        match what {
            "show" => {
                let object = object()?;
                let index = asked["index"]
                    .as_u64()
                    .and_then(|it| usize::try_from(it).ok());
                let scale = self.can_scale(&object).await;
                return Ok(object::shown(&object, index, scale));
            }
            "apply" => {
                return self
                    .apply(history, text("text"), asked["try"] == true)
                    .await;
            }
            _ => {}
        }
        let replica = asked["replica"].as_u64();
        let replica = replica.and_then(|it| usize::try_from(it).ok());
        match what {
            "scale" => {
                let replicas = asked["replicas"].as_i64().ok_or("no number of replicas")?;
                let body = json!({"spec": {"replicas": replicas}});
                let path = format!("{}/scale", path(&object()?));
                self.patch(&path, &body).await?;
                history.note(&format!("scale {} to {replicas}", text("key")), false);
            }
            "delete" => {
                let path = path(&object()?);
                self.cluster()?
                    .send(Method::DELETE, &path, JSON, &json!({}))
                    .await?;
                history.note(&format!("delete {}", text("key")), false);
            }
            "crash" => {
                let crash = asked["on"] == true;
                let value = if crash { json!("crash") } else { Value::Null };
                let body = json!({"metadata": {"annotations": {"kube-codegen.dev/pod": value}}});
                self.patch(&path(&object()?), &body).await?;
                let verb = if crash { "crash" } else { "heal" };
                history.note(&format!("{verb} {}", text("key")), false);
            }
            "network" => {
                for proxy in self.proxies(replica)? {
                    proxy.set_network(asked["on"] == true);
                }
            }
            "expire" => {
                let proxies = self.proxies(replica)?.iter();
                let watches: usize = proxies.map(|it| it.expire(text("plural"))).sum();
                history.note(&format!("expire {watches} watches of the operator"), false);
            }
            "pause" => self.order(Order::Pause(replica, true)).await?,
            "continue" => self.order(Order::Pause(replica, false)).await?,
            "restart" => self.order(Order::Restart(replica)).await?,
            "simulate" => {
                if !self.simulates {
                    return Err("the operator has no tests/simulate.rs".to_owned());
                }
                let file = self.cluster()?.file("state.json");
                let state = json!({"apiVersion": "v1", "kind": "List", "items": history.state()});
                // The objects may be Secrets.
                folder::write(&file, &state.to_string())?;
                self.order(Order::Simulate(file)).await?;
            }
            other => return Err(format!("there is no action {other:?}")),
        }
        Ok(json!({}))
    }

    /// Returns the way of one replica, by its number from 1 on, or of all.
    fn proxies(&self, replica: Option<usize>) -> Result<&[Proxy], String> {
        let all = self.proxies.get().ok_or("no operator runs here")?;
        match replica {
            None => Ok(all),
            Some(number) => {
                let index = number.checked_sub(1);
                let found = index.and_then(|index| all.get(index..=index));
                found.ok_or_else(|| format!("no replica {number}: the operator has {}", all.len()))
            }
        }
    }

    fn cluster(&self) -> Result<Arc<Cluster>, String> {
        self.cluster
            .upgrade()
            .ok_or_else(|| "the command ends".to_owned())
    }

    async fn order(&self, order: Order) -> Result<(), String> {
        let (sender, receiver) = oneshot::channel();
        let ended = || "the command ends".to_owned();
        self.orders.send((order, sender)).map_err(|_| ended())?;
        receiver.await.map_err(|_| ended())?
    }

    async fn patch(&self, path: &str, body: &Value) -> Result<(), String> {
        let path = format!("{path}?fieldManager={AGENT}");
        let cluster = self.cluster()?;
        cluster.send(Method::PATCH, &path, MERGE, body).await?;
        Ok(())
    }

    async fn can_scale(&self, object: &Versions) -> bool {
        let Ok(cluster) = self.cluster() else {
            return false;
        };
        let resources = cluster.get(&object.root, JSON).await.unwrap_or_default();
        let mut resources = resources["resources"].as_array().into_iter().flatten();
        resources.any(|it| it["name"] == format!("{}/scale", object.plural))
    }

    /// Creates or replaces an object, or only asks the server whether it would.
    async fn apply(&self, history: &History, text: &str, is_trial: bool) -> Result<Value, String> {
        let mut object: Value =
            serde_yaml::from_str(text).map_err(|error| format!("not YAML: {error}"))?;
        let field = |pointer: &str| {
            object
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        for (pointer, name) in [
            ("/apiVersion", "apiVersion"),
            ("/kind", "kind"),
            ("/metadata/name", "metadata.name"),
        ] {
            if field(pointer).is_empty() {
                return Err(format!("the object has no {name}"));
            }
        }
        let cluster = self.cluster()?;
        let collection = cluster.collection(&object).await?;
        let options = format!(
            "?fieldManager={AGENT}&fieldValidation=Strict{}",
            if is_trial { "&dryRun=All" } else { "" }
        );
        let (kind, name) = (
            field("/kind").to_owned(),
            field("/metadata/name").to_owned(),
        );
        let old = cluster
            .get(&format!("{collection}/{name}"), JSON)
            .await
            .ok();
        if let Some(old) = &old
            && field("/metadata/resourceVersion").is_empty()
        {
            object["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
        }
        let (method, path, verb) = if old.is_some() {
            (
                Method::PUT,
                format!("{collection}/{name}{options}"),
                "change",
            )
        } else {
            (Method::POST, format!("{collection}{options}"), "create")
        };
        cluster.send(method, &path, JSON, &object).await?;
        if !is_trial {
            history.note(&format!("{verb} {kind} {name}"), false);
        }
        Ok(json!({"verb": verb}))
    }
}

/// Returns the path of an object.
fn path(object: &Versions) -> String {
    let (root, plural, name) = (&object.root, &object.plural, &object.name);
    match object.namespace.as_str() {
        "" => format!("{root}/{plural}/{name}"),
        namespace => format!("{root}/namespaces/{namespace}/{plural}/{name}"),
    }
}
