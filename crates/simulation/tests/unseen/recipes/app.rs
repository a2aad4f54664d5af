//! What the operators of all recipes have: a client, a cache of their objects, and a memory that ends with the process.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::StreamExt as _;
use k8s_openapi::{
    NamespaceResourceScope,
    api::{apps::v1::Deployment, core::v1::ConfigMap},
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams, Preconditions},
    runtime::{Controller, controller::Action, watcher},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::super::{objects, owners, resource};

pub(super) const FINALIZER: &str = "example.com/apps";

/// What another system has.
pub(super) type Machines = Arc<Mutex<BTreeMap<String, Value>>>;

pub(super) struct Cx {
    pub(super) client: Client,
    /// What is wrong with the operator; empty for the recipe as it should be.
    pub(super) bug: &'static str,
    pub(super) memory: Mutex<BTreeMap<String, Value>>,
    pub(super) machines: Machines,
}

/// A kind of child.
pub(super) trait Kind:
    kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Clone
    + Debug
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<K> Kind for K where
    K: kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

#[expect(clippy::unnecessary_wraps, reason = "what a reconcile returns")]
pub(super) fn done() -> kube::Result<Action> {
    Ok(Action::await_change())
}

pub(super) fn failure(why: &'static str) -> kube::Error {
    kube::Error::Service(why.into())
}

pub(super) fn text<'v>(app: &'v DynamicObject, pointer: &str) -> &'v str {
    let value = app.data.pointer(pointer).and_then(Value::as_str);
    value.unwrap_or_default()
}

pub(super) fn is_deleted(app: &DynamicObject) -> bool {
    app.metadata.deletion_timestamp.is_some()
}

/// A child of an object, with its owner reference.
pub(super) fn child(app: &DynamicObject, kind: &str, name: &str, content: &Value) -> Value {
    let version = if kind == "Deployment" {
        "apps/v1"
    } else {
        "v1"
    };
    let mut child = json!({
        "apiVersion": version, "kind": kind,
        "metadata": {"name": name, "labels": {"app": app.uid(), "made-by": "apps"}, "ownerReferences": owners(app, "App")},
    });
    for (field, value) in content.as_object().into_iter().flatten() {
        child[field] = value.clone();
    }
    child
}

/// A Deployment with the image of an object.
pub(super) fn deployment(app: &DynamicObject, name: &str, annotation: &str) -> Value {
    let member = name.rsplit(['-', '.']).next();
    let labels = json!({"app": app.uid(), "member": member});
    let template = json!({
        "metadata": {"labels": labels, "annotations": {"example.com/digest": annotation}},
        "spec": {"containers": [{"name": "app", "image": text(app, "/spec/image")}]},
    });
    let spec = json!({"selector": {"matchLabels": labels}, "template": template});
    child(app, "Deployment", name, &json!({ "spec": spec }))
}

pub(super) fn is_ready(it: &Deployment) -> bool {
    let status = it.status.clone().unwrap_or_default();
    status.observed_generation >= it.metadata.generation
        && status.available_replicas == Some(1)
        && status.updated_replicas == Some(1)
}

impl Cx {
    pub(super) fn has(&self, bug: &str) -> bool {
        self.bug == bug
    }

    pub(super) fn api<K: Kind>(&self) -> Api<K> {
        Api::namespaced(self.client.clone(), "default")
    }

    pub(super) fn objects(&self) -> Api<DynamicObject> {
        objects(&self.client, "App")
    }

    /// Applies a child.
    pub(super) async fn apply<K: Kind>(&self, child: Value) -> kube::Result<K> {
        let metadata = &child["metadata"];
        let namespace = metadata["namespace"].as_str().unwrap_or("default");
        let api = Api::<K>::namespaced(self.client.clone(), namespace);
        let name = metadata["name"].as_str().unwrap_or_default().to_owned();
        let params = PatchParams::apply("apps").force();
        api.patch(&name, &params, &Patch::Apply(child)).await
    }

    /// Creates a child where none has its name, and does not look at one that has.
    pub(super) async fn create_if_absent<K: Kind + serde::Serialize>(
        &self,
        child: Value,
    ) -> kube::Result<()> {
        let name = child["metadata"]["name"].as_str().unwrap_or_default();
        if self.api::<K>().get_opt(name).await?.is_none() {
            let child = serde_json::from_value(child).map_err(kube::Error::SerdeError)?;
            self.api::<K>()
                .create(&PostParams::default(), &child)
                .await?;
        }
        Ok(())
    }

    pub(super) async fn delete<K: Kind>(&self, it: &K) -> kube::Result<()> {
        let preconditions = Preconditions {
            uid: it.uid(),
            resource_version: None,
        };
        let params = DeleteParams::default().preconditions(preconditions);
        match self.api::<K>().delete(&it.name_any(), &params).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            done => done.map(drop),
        }
    }

    /// Writes these fields of the status, where they differ.
    pub(super) async fn status(&self, app: &DynamicObject, status: Value) -> kube::Result<()> {
        let known = app.data.get("status").unwrap_or(&Value::Null);
        let mut fields = status.as_object().into_iter().flatten();
        if fields.all(|(name, value)| known.get(name).unwrap_or(&Value::Null) == value) {
            return Ok(());
        }
        let patch = Patch::Merge(json!({ "status": status }));
        let params = PatchParams::default();
        let name = app.name_any();
        match self.objects().patch_status(&name, &params, &patch).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            done => done.map(drop),
        }
    }

    /// Adds or removes the finalizer.
    pub(super) async fn finalizer(&self, app: &DynamicObject, has: bool) -> kube::Result<()> {
        let mut list = app.finalizers().to_vec();
        list.retain(|it| it != FINALIZER);
        list.extend(has.then(|| FINALIZER.to_owned()));
        let metadata = match self.bug {
            "finalizers of others are replaced" => {
                json!({"finalizers": has.then_some([FINALIZER])})
            }
            _ => json!({"finalizers": list, "resourceVersion": app.resource_version()}),
        };
        let patch = Patch::Merge(json!({ "metadata": metadata }));
        let params = PatchParams::default();
        self.objects()
            .patch(&app.name_any(), &params, &patch)
            .await
            .map(drop)
    }
}

/// Which children enqueue their owner.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Watched {
    Nothing,
    Maps,
    Deployments,
}

pub(super) fn controller(client: &Client, watched: Watched) -> Controller<DynamicObject> {
    let config = watcher::Config::default();
    let controller = Controller::new_with(objects(client, "App"), config.clone(), resource("App"));
    let (maps, deployments) = (
        Api::<ConfigMap>::namespaced(client.clone(), "default"),
        Api::<Deployment>::namespaced(client.clone(), "default"),
    );
    match watched {
        Watched::Nothing => controller,
        Watched::Maps => controller.owns(maps, config),
        Watched::Deployments => controller.owns(deployments, config),
    }
}

/// Runs a controller until the process ends.
pub(super) async fn drive<F>(
    controller: Controller<DynamicObject>,
    (client, bug, machines): (Client, &'static str, Machines),
    reconcile: fn(Arc<DynamicObject>, Arc<Cx>) -> F,
) where
    F: Future<Output = kube::Result<Action>> + Send + 'static,
{
    let cx = Cx {
        client,
        bug,
        memory: Mutex::default(),
        machines,
    };
    let policy = |_: Arc<DynamicObject>, _: &kube::Error, cx: Arc<Cx>| match cx.bug {
        "quick retries" => Action::requeue(Duration::from_millis(200)),
        "no retry" => Action::await_change(),
        _ => Action::requeue(Duration::from_secs(1)),
    };
    controller
        .run(reconcile, policy, Arc::new(cx))
        .for_each(|_| async {})
        .await;
}
