//! Acts as the controller of `CronJob`s does, when a test says that it is time.

use http::Method;
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use crate::{
    request::{MERGE, send, send_own},
    state::text,
};

/// The minutes from 1970 to 2026, by which Jobs are named.
const MINUTES: u32 = 29_453_760;

const JSON: &str = "application/json";

/// Creates the next Job of a `CronJob`, unless it is suspended.
pub(super) async fn fire(server: &ApiServer, path: &str, number: u32) -> u16 {
    let (found, cron) = request(server, Method::GET, path, JSON, &Value::Null).await;
    let is_suspended = cron.pointer("/spec/suspend") == Some(&Value::Bool(true));
    if found != 200 || is_suspended {
        return found;
    }
    let now = kube_codegen_record::clock::now().to_string();
    let mut job = cron["spec"]["jobTemplate"].clone();
    let owner = &cron["metadata"];
    job["metadata"]["name"] = format!("{}-{}", text(owner, "/name"), MINUTES + number).into();
    job["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"] =
        now.as_str().into();
    job["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "batch/v1", "kind": "CronJob", "name": owner["name"], "uid": owner["uid"],
        "controller": true, "blockOwnerDeletion": true,
    }]);
    let (created, job) = request(server, Method::POST, &jobs(path), JSON, &job).await;
    if created == 201 {
        let active = json!([{
            "apiVersion": "batch/v1", "kind": "Job", "namespace": job["metadata"]["namespace"], "name": job["metadata"]["name"],
            "uid": job["metadata"]["uid"], "resourceVersion": job["metadata"]["resourceVersion"],
        }]);
        set_status(
            server,
            path,
            &json!({"active": active, "lastScheduleTime": now}),
        )
        .await;
    }
    created
}

/// Notes that the Jobs of a `CronJob` have ended, and removes those beyond its history.
pub(super) async fn finish(server: &ApiServer, path: &str) -> u16 {
    let (found, cron) = request(server, Method::GET, path, JSON, &Value::Null).await;
    if found != 200 {
        return found;
    }
    let now = kube_codegen_record::clock::now().to_string();
    set_status(
        server,
        path,
        &json!({"active": null, "lastSuccessfulTime": now}),
    )
    .await;
    let (_, list) = request(server, Method::GET, &jobs(path), JSON, &Value::Null).await;
    let items = list.get("items").and_then(Value::as_array);
    let own = items
        .into_iter()
        .flatten()
        .filter(|job| is_of(job, &cron["metadata"]["uid"]));
    // Their names end with their times.
    let mut names: Vec<&str> = own.map(|job| text(job, "/metadata/name")).collect();
    names.sort_unstable();
    let kept = cron.pointer("/spec/successfulJobsHistoryLimit");
    let kept = kept.and_then(Value::as_u64).unwrap_or(3);
    let options =
        json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"});
    let removed = names
        .len()
        .saturating_sub(usize::try_from(kept).unwrap_or(usize::MAX));
    for name in &names[..removed] {
        let path = format!("{}/{name}", jobs(path));
        send_own(server, Method::DELETE, &path, JSON, &options).await;
    }
    200
}

/// Whether an object has an owner with this uid.
fn is_of(object: &Value, uid: &Value) -> bool {
    let owners = object.pointer("/metadata/ownerReferences");
    let owners = owners.and_then(Value::as_array);
    owners.is_some_and(|owners| owners.iter().any(|owner| owner["uid"] == *uid))
}

/// Returns the path of the Jobs in the namespace of a `CronJob`.
fn jobs(path: &str) -> String {
    let place = path
        .rsplit_once("/cronjobs/")
        .map_or("", |(place, _)| place);
    format!("{place}/jobs")
}

async fn set_status(server: &ApiServer, path: &str, status: &Value) {
    let (path, body) = (format!("{path}/status"), json!({"status": status}));
    send_own(server, Method::PATCH, &path, MERGE, &body).await;
}

async fn request(
    server: &ApiServer,
    method: Method,
    path: &str,
    content_type: &str,
    body: &Value,
) -> (u16, Value) {
    let answer = send(server.service(), method, path, content_type, body).await;
    answer.unwrap_or((500, Value::Null))
}
