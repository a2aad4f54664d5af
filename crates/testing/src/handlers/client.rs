//! A client in the same process, for the server itself: what it sends passes admission and is not recorded.

use std::sync::Arc;

use kube::core::response::reason;
use serde_json::{Value, json};

use crate::{
    handlers::{
        delete, pods,
        removal::{self, Propagation},
        write,
    },
    kinds::{kind::Kind, store::Store, target::Target},
    request::{Notes, Request, Verb},
    values::{
        object::{self, text},
        status::{Answer, no_resource},
    },
};

/// Checks a write whose failure changes nothing: the object may exist, and a namespace that is being deleted or a webhook may not take it.
/// That it is invalid would be a fault of this server.
pub(crate) fn check(written: Answer<Value>) {
    if let Err(status) = written {
        debug_assert!(status.reason != reason::INVALID, "{}", status.message);
    }
}

/// A client that may do everything. The agent of a write becomes its field manager.
pub(crate) struct Client<'a>(&'a mut Store);

impl<'a> Client<'a> {
    pub(crate) fn new(store: &'a mut Store) -> Self {
        Self(store)
    }

    /// Returns a number that this server has not used before.
    pub(crate) fn unique(&mut self) -> u64 {
        self.0.unique()
    }

    pub(crate) fn get(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Arc<Value>> {
        self.0.find(api_version, kind, namespace, name)
    }

    /// Returns the objects of all namespaces.
    pub(crate) fn list(&self, api_version: &str, kind: &str) -> Vec<Arc<Value>> {
        let kind = self.0.kinds.named(api_version, kind);
        kind.map(|kind| self.0.list(kind, "")).unwrap_or_default()
    }

    /// Returns the objects that name the owner with this uid, with their kinds.
    pub(crate) fn dependents(&self, uid: &str) -> Vec<(Arc<Kind>, Arc<Value>)> {
        self.0.dependents(uid)
    }

    pub(crate) fn create(&mut self, agent: &str, object: &Value) -> Answer<Value> {
        let request = self.request(agent, Verb::Create, object, "")?;
        self.write(&request)
    }

    pub(crate) fn update(&mut self, agent: &str, object: &Value) -> Answer<Value> {
        let request = self.request(agent, Verb::Update, object, "")?;
        self.write(&request)
    }

    pub(crate) fn update_status(&mut self, agent: &str, object: &Value) -> Answer<Value> {
        let request = self.request(agent, Verb::Update, object, "status")?;
        self.write(&request)
    }

    pub(crate) fn delete(&mut self, agent: &str, object: &Value) -> Answer<Value> {
        let mut request = self.request(agent, Verb::Delete, object, "")?;
        request.body.clear();
        delete::delete(self.0, &request, &mut Notes::default())
    }

    fn write(&mut self, request: &Request) -> Answer<Value> {
        let write = write::now(self.0, request, &mut Notes::default())?;
        Ok(Arc::unwrap_or_clone(write.object))
    }

    /// Binds a Pod to a node.
    pub(crate) fn bind(&mut self, agent: &str, pod: &Value, node: &str) -> Answer<Value> {
        let mut request = self.request(agent, Verb::Create, pod, "binding")?;
        let binding = json!({"target": {"kind": "Node", "name": node}});
        request.body = binding.to_string().into_bytes();
        pods::bind(self.0, &request)
    }

    /// Removes a Pod whose containers have ended.
    pub(crate) fn end(&mut self, pod: &Arc<Value>) {
        if let Some(kind) = self.0.kinds.named("v1", "Pod").cloned() {
            removal::delete(self.0, &kind, pod, Propagation::Background, Some(0));
        }
    }

    fn request(
        &self,
        agent: &str,
        verb: Verb,
        object: &Value,
        subresource: &str,
    ) -> Answer<Request> {
        let api_version = text(object, "/apiVersion");
        let kind = self.0.kinds.named(api_version, text(object, "/kind"));
        let version = api_version.rsplit('/').next().unwrap_or_default();
        let is_new = verb == Verb::Create && subresource.is_empty();
        let name = if is_new { "" } else { object::name(object) };
        let target = Target {
            kind: kind.ok_or_else(no_resource)?.clone(),
            version: version.to_owned(),
            namespace: object::namespace(object).to_owned(),
            name: name.to_owned(),
            subresource: subresource.to_owned(),
        };
        let body = object.to_string().into_bytes();
        Ok(Request::new(verb, target, body, agent))
    }
}
