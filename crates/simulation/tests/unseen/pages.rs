//! An operator that lists its children page by page, and one that takes a page that has expired as the end of the list.

use std::{collections::BTreeMap, sync::Arc};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, ListParams, PostParams, Preconditions},
    runtime::controller::Action,
};
use kube_codegen_simulation::{Budget, FaultKind, Oracle, Scenario, Simulation};
use serde_json::json;

use super::{control, crd, owners};

const KIND: &str = "Pool";
const SIZE: usize = 2;

fn simulation(is_right: bool) -> Simulation {
    let simulation = Simulation::new("pools")
        .crd(&crd(KIND, &json!({"text": {"type": "string"}})))
        .budget(Budget::Coverage(0))
        .operator(move |client| async move {
            if is_right {
                control::<ConfigMap, _>(client, KIND, right).await;
            } else {
                control::<ConfigMap, _>(client, KIND, wrong).await;
            }
        });
    let scenarios = Scenario::ALL.iter().copied();
    scenarios.fold(simulation, Simulation::without_scenario)
}

async fn right(pool: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    reconcile(&pool, &client, true).await
}

async fn wrong(pool: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    reconcile(&pool, &client, false).await
}

/// Lists page by page.
async fn members(
    maps: &Api<ConfigMap>,
    pool: &str,
    is_right: bool,
) -> kube::Result<Vec<ConfigMap>> {
    let mut params = ListParams::default()
        .labels(&format!("pool={pool}"))
        .limit(500);
    let mut found = Vec::new();
    loop {
        let page = match maps.list(&params).await {
            Err(kube::Error::Api(status)) if status.code == 410 && !is_right => return Ok(found),
            page => page?,
        };
        found.extend(page.items);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(found),
        }
    }
}

/// Keeps as many children as the pool is large, with names that the server generates.
async fn reconcile(pool: &DynamicObject, client: &Client, is_right: bool) -> kube::Result<Action> {
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let uid = pool.uid().unwrap_or_default();
    let known = members(&maps, &uid, is_right).await?;
    if pool.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let text = pool.data["spec"]["text"].as_str().unwrap_or_default();
    let data = Some(BTreeMap::from([("text".to_owned(), text.to_owned())]));
    for map in known.iter().skip(SIZE) {
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: map.uid(),
            resource_version: None,
        });
        match maps.delete(&map.name_any(), &params).await {
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
            other => drop(other?),
        }
    }
    for map in known.iter().take(SIZE).filter(|map| map.data != data) {
        let mut map = map.clone();
        map.data.clone_from(&data);
        maps.replace(&map.name_any(), &PostParams::default(), &map)
            .await?;
    }
    for _ in known.len()..SIZE {
        let map = json!({
            "metadata": {"generateName": "pool-", "labels": {"pool": uid}, "ownerReferences": owners(pool, KIND)},
            "data": data,
        });
        let map = serde_json::from_value(map).map_err(kube::Error::SerdeError)?;
        maps.create(&PostParams::default(), &map).await?;
    }
    Ok(Action::await_change())
}

/// kube's `Controller` lists in pages, too.
#[test]
fn an_operator_that_begins_the_list_again_is_right() {
    let summary = simulation(true).explore();
    let summary = summary.unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.missed.is_empty(), "{summary}: {:?}", summary.missed);
    let without = simulation(true)
        .without_fault(FaultKind::ExpirePage)
        .explore();
    let kinds = without.unwrap_or_else(|found| panic!("{found}")).kinds;
    // Those of the reconciles, and that of the watch of pools; the children of one that is deleted have no second page.
    assert_eq!(summary.kinds, kinds + 2, "{summary}");
}

#[test]
fn a_page_that_expires_does_not_end_the_list() {
    let found = simulation(false).explore().unwrap_err();
    assert_eq!(found.oracle, Oracle::Counts, "{found}");
    let fault = &found.schedule.decisions[0].fault;
    assert_eq!(fault.kind(), FaultKind::ExpirePage, "{found}");
    let missed = simulation(false).without_fault(FaultKind::ExpirePage);
    let missed = missed.explore();
    assert!(missed.is_ok(), "{}", missed.unwrap_err());
}
