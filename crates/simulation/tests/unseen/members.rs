//! The status of an object counts others, and the count misses what was deleted while the watch was interrupted.

use std::collections::{BTreeMap, BTreeSet};

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
    loop {
        let (map, is_member) = match events.try_next().await {
            Ok(Some(Event::Apply(map) | Event::InitApply(map))) => (map, true),
            Ok(Some(Event::Delete(map))) => (map, false),
            Ok(Some(Event::Init | Event::InitDone)) => continue,
            Ok(None) => return,
            Err(_) => {
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                continue;
            }
        };
        let Some(team) = map.labels().get("team").cloned() else {
            continue;
        };
        let known = members.entry(team.clone()).or_default();
        if is_member {
            known.insert(map.name_any());
        } else {
            known.remove(&map.name_any());
        }
        let status = json!({"status": {"members": known.len()}});
        let teams = objects(&client, KIND);
        let patch = Patch::Merge(status);
        while let Err(error) = teams
            .patch_status(&team, &PatchParams::default(), &patch)
            .await
        {
            if matches!(error, kube::Error::Api(status) if status.code == 404) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
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
