//! Does something every five minutes, also across restarts.

// ANCHOR: recipe
use std::{sync::Arc, time::Duration};

use kube::{Client, ResourceExt as _};
use kube_codegen_goldens::cookbook::example_com::v1::App;
use kube_codegen_runtime::{client::TypedClient, clock, controller::Action, manager::Manager};

const PERIOD: Duration = Duration::from_secs(300);

fn register(manager: &Manager) {
    manager.reconcile().run(reconcile, manager.client());
}

async fn reconcile(app: Arc<App>, client: Arc<Client>) -> kube::Result<Action> {
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    // The time is in the status, not in memory: a restart neither repeats a check nor delays one.
    let last = app
        .status
        .as_ref()
        .and_then(|status| status.last_check.as_ref());
    let last = last.and_then(|last| last.timestamp().ok());
    let passed = last.and_then(|last| Duration::try_from(clock::now().duration_since(last)).ok());
    if let Some(rest) = passed.and_then(|passed| PERIOD.checked_sub(passed)) {
        return Ok(Action::requeue(rest));
    }
    check(&app).await;
    let apps =
        TypedClient::<App>::namespaced((*client).clone(), &app.namespace().unwrap_or_default());
    let now = clock::now();
    apps.modify_status_from(&app, |app| {
        app.status.get_or_insert_default().last_check = Some(now.into());
    })
    .await?;
    Ok(Action::requeue(PERIOD))
}
// ANCHOR_END: recipe

async fn check(_: &App) {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

#[test]
fn no_check_is_missed_and_none_is_early() {
    use k8s_openapi::jiff::{SignedDuration, Timestamp};

    super::simulation("cookbook periodic", register)
        .sample(&super::app("a", &serde_json::json!({})))
        .free("App", "status.lastCheck")
        .eventually("the last check is not older than the period", |server| {
            let late = SignedDuration::from_secs(400);
            let is_late = |app: &App| {
                let last = app.status.as_ref().and_then(|it| it.last_check.clone());
                let last = last.and_then(|it| it.timestamp().ok());
                last.is_none_or(|last: Timestamp| clock::now().duration_since(last) > late)
            };
            let found = server.list::<App>().into_iter().find(is_late);
            found.map_or(Ok(()), |app| Err(format!("{} is late", app.name_any())))
        })
        .run();
}
