//! The status names the generation that the server has, not the one that was reconciled; and what is observed is not reconciled again.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::{Oracle, Simulation};
use serde_json::{Value, json};

use super::{control, crd, found, objects, owners};

const KIND: &str = "Page";

async fn reconcile(page: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let (name, meta) = (page.name_any(), &page.metadata);
    let observed = page.data.pointer("/status/observedGeneration");
    let is_observed = observed.and_then(Value::as_i64) == meta.generation;
    if is_observed || meta.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": owners(&page, KIND)},
        "data": {"text": page.data["spec"]["text"]},
    });
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    let params = PatchParams::apply("pages").force();
    maps.patch(&name, &params, &Patch::Apply(child)).await?;
    let pages = objects(&client, KIND);
    let Some(newest) = pages.get_opt(&name).await? else {
        return Ok(Action::await_change());
    };
    let status = json!({"status": {"observedGeneration": newest.metadata.generation}});
    let (params, patch) = (PatchParams::default(), Patch::Merge(status));
    match pages.patch_status(&name, &params, &patch).await {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        other => drop(other?),
    }
    Ok(Action::await_change())
}

#[test]
fn a_generation_that_was_not_reconciled_is_reported_as_observed() {
    let text = json!({"text": {"type": "string"}});
    let found = found(
        Simulation::new("pages")
            .crd(&crd(KIND, &text))
            .objects(1)
            .operator(|client| control::<ConfigMap, _>(client, KIND, reconcile)),
    );
    assert!(
        [Oracle::EndState, Oracle::History].contains(&found.oracle),
        "{found}"
    );
}
