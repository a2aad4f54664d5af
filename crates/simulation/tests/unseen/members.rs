//! The status of an object counts others, and the count misses what was deleted while the watch was interrupted.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use futures::TryStreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{Patch, PatchParams},
    runtime::watcher::{self, Event, watcher},
};
use kube_codegen_simulation::{Oracle, Simulation, Workload};
use serde_json::json;

use super::{crd, found, objects};

const KIND: &str = "Team";
const TEAMS: &str = "/apis/example.com/v1/namespaces/default/teams";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Writes the number of members of each team into its status after each change.
async fn operator(client: Client) {
    let mut members: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let mut events = std::pin::pin!(watcher(maps, watcher::Config::default()));
    let mut is_complete = false;
    loop {
        let team_of = |map: &ConfigMap| map.labels().get("team").cloned().unwrap_or_default();
        match events.try_next().await {
            Ok(Some(Event::Apply(map) | Event::InitApply(map))) => {
                let known = members.entry(team_of(&map)).or_default();
                known.insert(map.name_any());
            }
            Ok(Some(Event::Delete(map))) => {
                let known = members.entry(team_of(&map)).or_default();
                known.remove(&map.name_any());
            }
            Ok(Some(Event::Init)) => is_complete = false,
            Ok(Some(Event::InitDone)) => is_complete = true,
            Ok(None) => return,
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
        if is_complete {
            for (team, known) in &members {
                write(&client, team, known.len()).await;
            }
        }
    }
}

async fn write(client: &Client, team: &str, members: usize) {
    let (teams, params) = (objects(client, KIND), PatchParams::default());
    let patch = Patch::Merge(json!({"status": {"members": members}}));
    while let Err(error) = teams.patch_status(team, &params, &patch).await {
        if matches!(error, kube::Error::Api(status) if status.code == 404) {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[test]
fn a_count_that_misses_a_deletion() {
    let team = json!({"apiVersion": "example.com/v1", "kind": KIND, "metadata": {"name": "red", "namespace": "default"}, "spec": {"title": "Red"}});
    let member = |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default", "labels": {"team": "red"}}});
    let workload = Workload::new("two members, then one")
        .create(TEAMS, team)
        .create(MAPS, member("a"))
        .create(MAPS, member("b"))
        .phase("a member leaves")
        .delete(&format!("{MAPS}/a"))
        .phase("another one comes")
        .create(MAPS, member("c"));
    let found = found(
        Simulation::new("teams")
            .crd(&crd(KIND, &json!({"title": {"type": "string"}})))
            .workload(workload)
            .operator(operator),
    );
    assert_eq!(found.oracle, Oracle::EndState, "{found}");
    assert!(found.to_string().contains("status.members"), "{found}");
}
