//! Objects and helpers.

use std::{collections::BTreeMap, time::Duration};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_codegen_testenv::{ControlPlane, Error};
use tokio::sync::OnceCell;

/// A generous time limit for what is immediate on an idle machine.
pub(crate) const WITHIN: Duration = Duration::from_secs(60);

/// Returns a control plane with features that are off by default. On `None`, none can be started here.
pub(crate) async fn gated() -> Result<Option<&'static ControlPlane>, Error> {
    static GATED: OnceCell<ControlPlane> = OnceCell::const_new();
    let plane = ControlPlane::shared().await?;
    if plane.is_none_or(|plane| !plane.is_own()) {
        return Ok(None);
    }
    let start = async || {
        ControlPlane::builder()
            .api_server_arg("--feature-gates=CoordinatedLeaderElection=true")
            .api_server_arg("--runtime-config=coordination.k8s.io/v1beta1=true")
            .start()
            .await
    };
    GATED.get_or_try_init(start).await.map(Some)
}

/// Returns a `ConfigMap` with the entry `n` and the label `parity` of a number.
pub(crate) fn config_map(name: &str, n: usize) -> ConfigMap {
    let labels = BTreeMap::from([(
        "parity".to_owned(),
        if n.is_multiple_of(2) { "even" } else { "odd" }.to_owned(),
    )]);
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some(labels),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("n".to_owned(), n.to_string())])),
        ..ConfigMap::default()
    }
}

/// Returns the entry `n`.
pub(crate) fn n(map: &ConfigMap) -> &str {
    map.data
        .as_ref()
        .and_then(|data| data.get("n"))
        .map_or("", String::as_str)
}

/// Returns the name.
pub(crate) fn name(map: &ConfigMap) -> String {
    map.metadata.name.clone().unwrap_or_default()
}
