//! The page with a real control plane.
use std::fs;

use futures::TryStreamExt as _;
use kube::core::WatchEvent;
use kube_codegen_testenv::{Error, build, skip};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Page, client};
use crate::{Dev, WITHIN, WORKLOAD, directory};

/// Returns whether there is a control plane; otherwise the test is reported as skipped, or fails with `KUBE_CODEGEN_E2E=required`.
fn available() -> bool {
    if std::env::var("KUBE_CODEGEN_E2E").is_ok_and(|it| it == "off") {
        skip("KUBE_CODEGEN_E2E=off").unwrap();
        return false;
    }
    match build() {
        Ok(_) => return true,
        Err(Error::Unavailable(reason)) => skip(&reason).unwrap(),
        Err(error) => panic!("{error}"),
    }
    false
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_the_same_with_a_real_control_plane() {
    if !tokio::task::spawn_blocking(available).await.unwrap() {
        return;
    }
    let folder = directory();
    fs::write(folder.path().join("web.yaml"), WORKLOAD).unwrap();
    let script = "echo kubeconfig is $KUBECONFIG; exec sleep 1000";
    let mut dev = Dev::start(
        folder.path(),
        &[
            "--real", "-f", "crd.yaml", "--apply", "web.yaml", "--", "sh", "-c", script,
        ],
    );
    let page = Page::of(&mut dev);
    let kubeconfig = dev.line("operator kubeconfig is ");
    let kubeconfig = kubeconfig.rsplit(' ').next().unwrap().to_owned();
    dev.line("object   deployments default/web READY=1/1");
    let news = page.until("\"kind\":\"Pod\"");
    assert!(news.contains("\"kind\":\"ReplicaSet\""), "{news}");

    let key = "crdplural.iksoon.test.com/default/a";
    let apply = |replicas: u64, is_trial: bool| {
        let text = format!(
            "apiVersion: iksoon.test.com/v1\nkind: CrdKind\nmetadata: {{name: a}}\nspec: {{choice: mysql, replicas: {replicas}}}\n"
        );
        page.ask(&json!({"do": "apply", "text": text, "try": is_trial}))
    };
    assert!(apply(11, true).unwrap_err().contains("spec.replicas"));

    // What the operator sees of it goes through the page's command.
    let client = client(&kubeconfig).await;
    let path = "/apis/iksoon.test.com/v1/namespaces/default/crdplural?watch=1";
    let watch = http::Request::get(path).body(Vec::new()).unwrap();
    let watch = client.request_events::<Value>(watch).await;
    let mut events = std::pin::pin!(watch.unwrap());
    assert_eq!(apply(3, false), Ok(json!({"verb": "create"})));
    let first = timeout(WITHIN, events.try_next()).await.unwrap().unwrap();
    assert!(matches!(first, Some(WatchEvent::Added(_))), "{first:?}");
    page.until(&format!(
        "\"object\",\"{key}\",\"created by kube-codegen-dev\""
    ));
    page.until(&format!("\"watch\",\"{key}\",\"ADDED "));
    page.ask(&json!({"do": "expire", "plural": "crdplural"}))
        .unwrap();
    let expired = timeout(WITHIN, events.try_next()).await.unwrap().unwrap();
    assert!(matches!(&expired, Some(WatchEvent::Error(status)) if status.code == 410));

    let web = "deployments.apps/default/web";
    page.ask(&json!({"do": "scale", "key": web, "replicas": 2}))
        .unwrap();
    dev.line("object   deployments default/web READY=2/2");
    page.ask(&json!({"do": "delete", "key": web})).unwrap();
    dev.line("object   deployments default/web deleted");
    let host = format!("Host: {}", page.host);
    let saved = page.answer(&format!("GET {}run.html", page.path), &[&host], "");
    for text in [
        "event ADDED",
        "The resourceVersion for the provided watch is too old",
        "<b>cluster</b> pods/default/web-",
    ] {
        assert!(saved.contains(text), "{text} is not in {saved}");
    }
}
