//! Objects and helpers.

use std::{collections::BTreeMap, time::Duration};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;

/// A generous time limit for what is immediate on an idle machine.
pub(crate) const WITHIN: Duration = Duration::from_secs(60);

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
