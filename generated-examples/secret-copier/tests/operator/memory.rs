//! The operator in this process, under a paused clock.
use clap::Parser;
use example_test_support::{Log, Operator, until};
use k8s_openapi::api::{
    core::v1::{Namespace, Secret},
    events::v1::Event,
};
use kube_codegen_runtime::manager::Manager;
use kube_codegen_testing::{ApiServer, Failure, On};
use secret_copier::{REPORTER, copies::TYPE, register, settings::Settings};
use serde_json::{Value, json};

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    settings: Settings,
}

fn add(manager: &mut Manager) {
    register(manager, Args::parse_from([REPORTER]).settings);
}

fn server(namespaces: &[&str]) -> ApiServer {
    let server = ApiServer::new();
    for name in ["kube-public", "kube-system", "secretsync"]
        .iter()
        .chain(namespaces)
    {
        namespace(&server, name);
    }
    server
}

fn namespace(server: &ApiServer, name: &str) {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    server.seed(&namespace).unwrap();
}

fn secret(namespace: &str, name: &str, type_: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": type_, "data": {"key": value},
        "metadata": {"namespace": namespace, "name": name, "labels": {"a": "b"}},
    })
}

/// Returns the data of a Secret as the API shows it.
fn value(server: &ApiServer, namespace: &str, name: &str) -> Option<Value> {
    let secret = server.get::<Secret>(namespace, name)?;
    Some(serde_json::to_value(secret).unwrap()["data"]["key"].take())
}

async fn copied(server: &ApiServer, namespace: &str, name: &str, expected: &str) -> Secret {
    let what = format!("{namespace}/{name} = {expected}");
    let is_copied = |server: &ApiServer| {
        let found = value(server, namespace, name)?;
        (found == expected).then(|| server.get::<Secret>(namespace, name))?
    };
    until(server, &what, is_copied).await
}

async fn gone(server: &ApiServer, namespace: &str, name: &str) {
    let is_gone = |server: &ApiServer| value(server, namespace, name).is_none().then_some(());
    until(server, &format!("no {namespace}/{name}"), is_gone).await;
}

/// Waits until everything before is reconciled: one worker handles Secrets in order.
async fn settle(server: &ApiServer, namespace: &str, name: &str) {
    server
        .seed(&secret("secretsync", name, TYPE, "ZQ=="))
        .unwrap();
    copied(server, namespace, name, "ZQ==").await;
}

fn start(server: &ApiServer) -> Operator {
    Operator::start(server, REPORTER, &["--workers=1"], add)
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_copied_to_all_namespaces_but_the_excluded_ones() {
    let server = server(&["one", "two"]);
    server
        .seed(&secret("secretsync", "s", TYPE, "MQ=="))
        .unwrap();
    let operator = start(&server);
    copied(&server, "one", "s", "MQ==").await;
    let copy = copied(&server, "two", "s", "MQ==").await;
    let source = server.get::<Secret>("secretsync", "s").unwrap();
    assert_eq!(
        (copy.type_.as_deref(), &copy.data),
        (Some(TYPE), &source.data)
    );
    assert_ne!(copy.metadata.uid, source.metadata.uid);
    let labels = copy.metadata.labels.unwrap();
    assert_eq!(labels["a"], "b");
    assert_eq!(labels["app.kubernetes.io/managed-by"], REPORTER);

    // Changes, and namespaces that are created later.
    server
        .edit::<Secret>("secretsync", "s", |secret| {
            secret["data"]["key"] = json!("Mg==")
        })
        .unwrap();
    copied(&server, "one", "s", "Mg==").await;
    copied(&server, "two", "s", "Mg==").await;
    namespace(&server, "three");
    copied(&server, "three", "s", "Mg==").await;
    for excluded in ["kube-public", "kube-system"] {
        assert_eq!(value(&server, excluded, "s"), None);
    }
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn drift_is_corrected_and_then_nothing_is_written() {
    let server = server(&["one", "two"]);
    server
        .seed(&secret("secretsync", "s", TYPE, "MQ=="))
        .unwrap();
    let operator = start(&server);
    copied(&server, "one", "s", "MQ==").await;
    let other = json!({"key": "Mg==", "more": "Mg=="});
    server
        .edit::<Secret>("one", "s", |copy| copy["data"] = other.clone())
        .unwrap();
    let copy = copied(&server, "one", "s", "MQ==").await;
    assert_eq!(copy.data.unwrap().len(), 1);
    server.delete::<Secret>("two", "s").unwrap();
    copied(&server, "two", "s", "MQ==").await;
    // A label of others stays.
    server
        .edit::<Secret>("one", "s", |copy| {
            copy["metadata"]["labels"]["mine"] = json!("yes")
        })
        .unwrap();
    settle(&server, "two", "t").await;
    let labels = server.get::<Secret>("one", "s").unwrap().metadata.labels;
    assert_eq!(labels.unwrap()["mine"], "yes");
    // One that the source has lost does not.
    server
        .edit::<Secret>("secretsync", "s", |secret| {
            secret["metadata"]["labels"] = json!({})
        })
        .unwrap();
    let lost = |server: &ApiServer| {
        let labels = server.get::<Secret>("one", "s")?.metadata.labels?;
        (!labels.contains_key("a") && labels["mine"] == "yes").then_some(())
    };
    until(&server, "a copy without the label", lost).await;
    settle(&server, "two", "v").await;
    server.clear_requests();
    settle(&server, "two", "u").await;
    let of_s = server
        .writes()
        .into_iter()
        .filter(|write| write.name == "s");
    assert_eq!(of_s.count(), 0);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn copies_are_deleted_with_their_source_also_when_nothing_saw_that() {
    let (log, _guard) = Log::capture();
    let server = server(&["one"]);
    for name in ["watched", "missed", "stopped"] {
        server
            .seed(&secret("secretsync", name, TYPE, "MQ=="))
            .unwrap();
    }
    let operator = start(&server);
    for name in ["watched", "missed", "stopped"] {
        copied(&server, "one", name, "MQ==").await;
    }
    server.delete::<Secret>("secretsync", "watched").unwrap();
    gone(&server, "one", "watched").await;
    log.wait(1, "deleted: one/watched").await;

    // The watch misses the deletion, which the next list reveals: a tombstone.
    server.stall_watches(&On::any());
    server.delete::<Secret>("secretsync", "missed").unwrap();
    server.compact();
    server.cut_watches(&On::any());
    gone(&server, "one", "missed").await;

    // Deleted while the operator does not run.
    operator.stop().await;
    server.delete::<Secret>("secretsync", "stopped").unwrap();
    assert!(value(&server, "one", "stopped").is_some());
    let operator = start(&server);
    gone(&server, "one", "stopped").await;
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn secrets_of_another_namespace_or_type_are_skipped_and_logged() {
    let (log, _guard) = Log::capture();
    let server = server(&["one", "two"]);
    server
        .seed(&secret("one", "elsewhere", TYPE, "MQ=="))
        .unwrap();
    server
        .seed(&secret("secretsync", "opaque", "Opaque", "MQ=="))
        .unwrap();
    server
        .seed(&secret("two", "opaque", "Opaque", "Mg=="))
        .unwrap();
    let operator = start(&server);
    log.wait(
        1,
        "skipped: one/elsewhere is not in the namespace secretsync",
    )
    .await;
    log.wait(1, "skipped: secretsync/opaque has the type \"Opaque\"")
        .await;
    settle(&server, "two", "t").await;
    assert_eq!(value(&server, "two", "elsewhere"), None);
    assert_eq!(value(&server, "one", "opaque"), None);
    assert_eq!(log.lines("two/opaque"), [""; 0]);
    assert_eq!(log.lines("MQ=="), [""; 0], "no data in the log");
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_foreign_secret_is_never_overwritten_or_deleted() {
    let server = server(&["one", "two"]);
    server
        .seed(&secret("one", "s", "Opaque", "Zm9yZWlnbg=="))
        .unwrap();
    let before = server.get::<Secret>("one", "s").unwrap();
    // The annotation alone does not make it a copy.
    let mut claimed = secret("two", "s", TYPE, "Zm9yZWlnbg==");
    claimed["metadata"]["annotations"] = json!({"k8s.ziwon.dev/copy-of": "secretsync/s"});
    server.seed(&claimed).unwrap();
    let operator = start(&server);
    server
        .seed(&secret("secretsync", "s", TYPE, "MQ=="))
        .unwrap();
    let warned = until(&server, "the event", |server| {
        let mut events = server.list::<Event>().into_iter();
        events.find(|event| event.reason.as_deref() == Some("ErrResourceExists"))
    });
    let event = warned.await;
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    assert!(event.note.unwrap().contains("exists that is not a copy"));
    settle(&server, "two", "t").await;
    assert_eq!(server.get::<Secret>("one", "s").unwrap(), before);

    // Its deletion makes way for the copy.
    server.delete::<Secret>("one", "s").unwrap();
    copied(&server, "one", "s", "MQ==").await;
    server.delete::<Secret>("secretsync", "s").unwrap();
    gone(&server, "one", "s").await;
    assert_eq!(value(&server, "two", "s"), Some(json!("Zm9yZWlnbg==")));
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn immutable_copies_are_replaced() {
    let server = server(&["one"]);
    let mut source = secret("secretsync", "s", TYPE, "MQ==");
    source["immutable"] = json!(true);
    server.seed(&source).unwrap();
    let operator = start(&server);
    let first = copied(&server, "one", "s", "MQ==").await;
    assert_eq!(first.immutable, Some(true));
    server.delete::<Secret>("secretsync", "s").unwrap();
    source["data"]["key"] = json!("Mg==");
    server.seed(&source).unwrap();
    let second = copied(&server, "one", "s", "Mg==").await;
    assert_ne!(first.metadata.uid, second.metadata.uid);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_rejects_does_not_stop_the_others() {
    let server = server(&["one", "two", "three"]);
    let rejected = On::verb("create").resource("secrets").namespace("one");
    server.fail_times(rejected, 3, Failure::status(403));
    server
        .seed(&secret("secretsync", "s", TYPE, "MQ=="))
        .unwrap();
    let operator = start(&server);
    copied(&server, "two", "s", "MQ==").await;
    copied(&server, "three", "s", "MQ==").await;
    copied(&server, "one", "s", "MQ==").await;

    // A namespace that is being deleted gets no copies.
    server
        .edit::<Namespace>("", "two", |namespace| {
            namespace["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        })
        .unwrap();
    gone(&server, "two", "s").await;
    settle(&server, "three", "t").await;
    assert_eq!(value(&server, "two", "t"), None);
    assert_eq!(value(&server, "two", "s"), None);
    operator.stop().await;
}
