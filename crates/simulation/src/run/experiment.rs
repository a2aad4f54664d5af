//! Does in a run that has failed what an [`Experiment`] says.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use super::world::World;
use crate::{
    experiment::Experiment,
    request::{MERGE, send},
    state::{TOUCHED, id, text},
    workload::{Step, Workload, path_of},
};

/// Does what an experiment says. Returns whether there was something to do.
pub(super) async fn carry_out(experiment: Experiment, world: &World, workload: &Workload) -> bool {
    match experiment {
        Experiment::AskAgain => ask_again(world, workload).await,
        Experiment::WithoutStatus => undo_status(world, workload).await,
        Experiment::WithoutChild => undo_children(world, workload).await,
    }
}

/// Changes a label of each object of users. Returns whether there is one.
pub(super) async fn ask_again(world: &World, workload: &Workload) -> bool {
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

/// Deletes the children that have a wrong field. Returns whether there is one.
async fn undo_children(world: &World, workload: &Workload) -> bool {
    let users = workload.ids();
    let differences = world.judge.differences();
    let wrong = differences.iter().filter(|it| !it.path.is_empty());
    let keys: BTreeSet<&str> = wrong.map(|it| it.object.as_str()).collect();
    let mut is_done = false;
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
