//! The state of a run: the objects of the server, and the systems outside of the cluster.

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::Value;
use tower::BoxError;

use super::World;
use crate::{
    names::add_numbered,
    request::{Seen, send},
    settings::Free,
    state::{State, comparable, conceal, general, id, state, text},
};

impl World {
    /// Returns the current state.
    pub(crate) fn state(&self) -> State {
        self.state_of(&self.server, &self.outside())
    }

    /// Returns the state before the operator and the users.
    pub(crate) fn before(&self) -> State {
        let outside = self.setup.outside.iter().map(|it| it.before.clone());
        self.state_of(&self.setup.server, &outside.collect::<Vec<_>>())
    }

    /// Returns the contents of the systems outside of the cluster.
    pub(crate) fn outside(&self) -> Vec<Value> {
        let systems = self.setup.outside.iter();
        systems.map(|system| (system.read)()).collect()
    }

    fn state_of(&self, server: &ApiServer, outside: &[Value]) -> State {
        let mut state = state(server, &self.names);
        for (system, contents) in self.setup.outside.iter().zip(outside) {
            let mut numbered = Vec::new();
            for (key, mut value) in system.entries(contents.clone()) {
                conceal(&mut value, None);
                match general(&self.names, &key) {
                    Some(key) => numbered.push((key, value)),
                    None => drop(state.insert(key, value)),
                }
            }
            add_numbered(&mut state, numbered);
        }
        if !self.setup.free.is_empty() {
            state.retain(|_, object| self.fix(object));
        }
        state
    }

    /// Removes what the operator may write at any time; `false` if this is the whole object.
    fn fix(&self, object: &mut Value) -> bool {
        let kind = text(object, "/kind").to_owned();
        let free = self.setup.free.iter().filter(|free| free.kind == kind);
        let mut is_left = true;
        for Free { path, .. } in free {
            let Some((last, parents)) = path.split_last() else {
                is_left = false;
                continue;
            };
            let parent = parents
                .iter()
                .try_fold(&mut *object, |place, name| place.get_mut(name));
            if let Some(fields) = parent.and_then(Value::as_object_mut) {
                fields.remove(last);
            }
        }
        is_left
    }

    /// Whether a write has changed nothing but what the operator may write at any time.
    pub(super) fn is_free(&self, seen: &Seen, object: &Value) -> bool {
        if self.setup.free.is_empty() || seen.verb == "delete" {
            return seen.free;
        }
        let mut fixed = comparable(object);
        if !self.fix(&mut fixed) {
            return true;
        }
        let last = self.history.lock().fixed.insert(id(object), fixed.clone());
        last.is_some_and(|last| last == fixed)
    }

    /// Whether a delete is of an object that the operator may delete at any time.
    pub(crate) async fn is_free_delete(&self, seen: &Seen) -> Result<bool, BoxError> {
        let Some(path) = seen.object_path() else {
            return Ok(false);
        };
        if self.setup.free.is_empty() || seen.verb != "delete" {
            return Ok(false);
        }
        let service = self.server.service();
        let (_, mut object) = send(service, Method::GET, &path, "", &Value::Null).await?;
        Ok(!self.fix(&mut object))
    }

    /// Returns the path of an object with `*` for what differs from run to run.
    pub(super) fn general_path(&self, path: String) -> String {
        let general = path.rsplit_once('/').and_then(|(collection, name)| {
            let namespace = collection.split("/namespaces/").nth(1);
            let namespace = namespace.and_then(|rest| rest.split('/').next());
            let general = match namespace {
                Some(namespace) => self.names.general(&format!("{namespace}/{name}")),
                None => self.names.general(name),
            };
            let general = general?;
            let name = general.rsplit('/').next()?;
            Some(format!("{collection}/{name}"))
        });
        general.unwrap_or(path)
    }

    /// Returns the path of an object that exists, for one with `*`.
    pub(crate) async fn resolve(&self, path: &str) -> Result<Option<String>, BoxError> {
        let Some((collection, _)) = path.rsplit_once('/').filter(|_| path.contains('*')) else {
            return Ok(Some(path.to_owned()));
        };
        let service = self.server.service();
        let (_, list) = send(service, Method::GET, collection, "", &Value::Null).await?;
        let items = list.get("items").and_then(Value::as_array);
        let paths = items.into_iter().flatten().map(|item| {
            let name = text(item, "/metadata/name");
            format!("{collection}/{name}")
        });
        let mut found = paths.filter(|found| self.general_path(found.clone()) == path);
        Ok(found.next())
    }
}
