//! Does in a run that has failed what an [`Experiment`] says.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use super::world::World;
use crate::{
    experiment::{Experiment, Shown},
    request::{MERGE, seed_own, send},
    state::{TOUCHED, id, text},
    workload::{Step, Workload, path_of},
};

/// Does what an experiment says. Returns whether there was something to do.
pub(super) async fn carry_out(experiment: Experiment, world: &World, workload: &Workload) -> bool {
    match experiment {
        Experiment::AskAgain => ask_again(world, workload).await,
        Experiment::WithoutStatus => undo_status(world, workload).await,
        Experiment::WithoutChild => undo_children(world, workload).await,
        Experiment::NewGeneration => renew(world, workload),
        Experiment::Anew => show_anew(world, workload).await,
    }
}

/// What the operator has done before an experiment.
pub(super) struct Before {
    requests: usize,
    changes: usize,
    outside: Vec<Value>,
}

impl Before {
    pub(super) fn of(world: &World) -> Self {
        Self {
            requests: world.history.requests(),
            changes: world.history.changes(),
            outside: world.outside(),
        }
    }

    /// Returns what the operator has done since. Whether this is right, the caller knows.
    pub(super) fn shows(&self, world: &World) -> Shown {
        let now = Self::of(world);
        let is_outside = now.outside != self.outside;
        Shown {
            is_right: false,
            acts: now.requests > self.requests || is_outside,
            writes: now.changes > self.changes || is_outside,
        }
    }
}

/// The objects of users whose kind is the operator's, as they are.
fn objects_of_users(world: &World, workload: &Workload) -> Vec<Value> {
    let users = workload.ids();
    world.server.filter_map(|object| {
        let is_one = users.contains(&id(object)) && world.setup.demands.is_object_of_user(object);
        is_one.then(|| object.clone())
    })
}

/// Gives the objects of users a new generation. Returns whether there is one that has any.
fn renew(world: &World, workload: &Workload) -> bool {
    let mut is_done = false;
    for mut object in objects_of_users(world, workload) {
        let generation = object["metadata"]["generation"].as_i64();
        if let Some(generation) = generation {
            object["metadata"]["generation"] = (generation + 1).into();
            seed_own(&world.server, &object);
            is_done = true;
        }
    }
    is_done
}

/// Removes the objects of users, and puts them back: for caches, they appear anew. Nothing is collected meanwhile. Returns whether there is one.
async fn show_anew(world: &World, workload: &Workload) -> bool {
    let objects = objects_of_users(world, workload);
    world.server.set_collection(false);
    for object in &objects {
        let mut bare = object.clone();
        if let Some(metadata) = bare.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("finalizers");
        }
        let path = path_of(&world.server, object).await;
        // The operator sees all of it at once: nothing waits in between.
        seed_own(&world.server, &bare);
        let service = world.server.service();
        let _ = send(service, Method::DELETE, &path, "", &Value::Null).await;
        seed_own(&world.server, object);
    }
    world.server.set_collection(true);
    !objects.is_empty()
}

/// Changes a label of each object of users. Returns whether there is one.
async fn ask_again(world: &World, workload: &Workload) -> bool {
    let label = world.clock.elapsed().as_millis().to_string();
    let body = json!({"metadata": {"labels": {TOUCHED: label}}});
    patch_all(world, workload, "", &body).await
}

async fn undo_status(world: &World, workload: &Workload) -> bool {
    patch_all(world, workload, "/status", &json!({"status": null})).await
}

/// Sends a patch to each object of users whose kind is the operator's, or to its subresource. Returns whether the server accepts one.
async fn patch_all(world: &World, workload: &Workload, of: &str, body: &Value) -> bool {
    let steps = workload.phases.iter().flat_map(|phase| &phase.steps);
    let mut is_done = false;
    for step in steps {
        let Step::Create { collection, object } = step else {
            continue;
        };
        if !world.setup.demands.is_object_of_user(object) {
            continue;
        }
        let path = format!("{collection}/{}{of}", text(object, "/metadata/name"));
        let answer = send(world.server.service(), Method::PATCH, &path, MERGE, body).await;
        is_done |= answer.is_ok_and(|(status, _)| status == 200);
    }
    is_done
}

/// Deletes the children that have a wrong field, or restores what is outside of the cluster where that is wrong. Returns whether there is one.
async fn undo_children(world: &World, workload: &Workload) -> bool {
    let users = workload.ids();
    let differences = world.judge.differences();
    let wrong = differences.iter().filter(|it| !it.path.is_empty());
    let keys: BTreeSet<&str> = wrong.map(|it| it.object.as_str()).collect();
    let mut is_done = false;
    // What the author of a test compares may be there.
    for system in &world.setup.outside {
        if keys.is_empty() || keys.iter().any(|key| system.has(key)) {
            (system.restore)(&system.before);
            is_done = true;
        }
    }
    for key in keys.into_iter().filter(|key| !users.contains(*key)) {
        let found = world
            .server
            .filter_map(|it| (id(it) == key).then(|| it.clone()));
        let Some(child) = found.first() else {
            continue;
        };
        let path = path_of(&world.server, child).await;
        let service = world.server.service();
        let answer = send(service, Method::DELETE, &path, "", &Value::Null).await;
        is_done |= answer.is_ok_and(|(status, _)| status == 200);
    }
    is_done
}
