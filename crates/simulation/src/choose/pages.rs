//! Finds the lists that have a second page, if pages have one object.

use std::collections::{BTreeMap, BTreeSet};

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::Value;

use crate::{
    faults::FaultKind,
    judge::Rested,
    request::send,
    run::{Asked, Passed},
    settings::Setup,
    state::text,
};

/// Returns the resources that the operator lists in pages, and not by a watch, and whose lists have a second page: after each phase.
pub(super) fn pages(setup: &Setup, passed: &[Passed], rested: &[Rested]) -> Vec<BTreeSet<String>> {
    if setup.without_faults.contains(&FaultKind::ExpirePage) {
        return Vec::new();
    }
    let mut asked: BTreeMap<&str, BTreeSet<&Asked>> = BTreeMap::new();
    for it in passed {
        if let Some(how) = &it.asked {
            let resource = it.point.resource.as_str();
            asked.entry(resource).or_default().insert(how);
        }
    }
    asked.retain(|_, how| !how.contains(&Asked::Stream));
    let after = async {
        let mut after = Vec::new();
        for rested in rested {
            let mut resources = BTreeSet::new();
            for (resource, how) in &asked {
                if have_more(&rested.server, how).await {
                    resources.insert((*resource).to_owned());
                }
            }
            after.push(resources);
        }
        after
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map(|it| it.block_on(after)).unwrap_or_default()
}

/// Whether each of these lists has a second page.
async fn have_more(server: &ApiServer, lists: &BTreeSet<&Asked>) -> bool {
    for list in lists {
        let Asked::Pages { path, .. } = list else {
            continue;
        };
        let answer = send(server.service(), Method::GET, path, "", &Value::Null).await;
        if !answer.is_ok_and(|(_, list)| !text(&list, "/metadata/continue").is_empty()) {
            return false;
        }
    }
    true
}
