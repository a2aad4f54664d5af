//! Reconciles that follow each other without a request, and those that never wait, so that no virtual time passes any more.

use std::{sync::Arc, time::Duration};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, api::DynamicObject, runtime::controller::Action};
use kube_codegen_simulation::{Oracle, Simulation};
use serde_json::json;

use super::{control, crd, found};

const KIND: &str = "Wheel";

async fn again(_: Arc<DynamicObject>, _: Arc<Client>) -> kube::Result<Action> {
    Ok(Action::requeue(Duration::ZERO))
}

async fn soon(_: Arc<DynamicObject>, _: Arc<Client>) -> kube::Result<Action> {
    Ok(Action::requeue(Duration::from_millis(20)))
}

/// Waits for something that does not happen.
async fn poll(_: Arc<DynamicObject>, _: Arc<Client>) -> kube::Result<Action> {
    loop {
        tokio::task::yield_now().await;
    }
}

fn wheels() -> Simulation {
    let text = json!({"text": {"type": "string"}});
    Simulation::new("wheels").crd(&crd(KIND, &text)).objects(1)
}

#[test]
fn a_requeue_after_a_short_time_is_found() {
    let operator = |client| control::<ConfigMap, _>(client, KIND, soon);
    let found = found(wheels().operator(operator));
    assert!(
        found.oracle == Oracle::Rest && found.message.contains("woke more than"),
        "{found}"
    );
}

#[test]
fn a_requeue_without_a_delay_is_found() {
    let operator = |client| control::<ConfigMap, _>(client, KIND, again);
    let found = found(wheels().operator(operator));
    assert!(
        found.oracle == Oracle::Rest && found.message.contains("never waits"),
        "{found}"
    );
}

#[test]
fn a_poll_without_a_delay_is_found() {
    let operator = |client| control::<ConfigMap, _>(client, KIND, poll);
    let found = found(wheels().operator(operator));
    assert!(
        found.oracle == Oracle::Rest && found.message.contains("never waits"),
        "{found}"
    );
}
