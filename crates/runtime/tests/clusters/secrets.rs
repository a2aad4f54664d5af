//! Members by Secrets of the hub, over connections.
use std::collections::BTreeMap;

use futures::{FutureExt, StreamExt};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube_codegen_runtime::{
    clusters::KubeconfigSecrets,
    manager::{CancellationToken, Manager},
};
use kube_codegen_testing::{ApiServer, User};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{SECOND, control, reconciled, seed};
use crate::log::Log;

const PATIENCE: u32 = 30;

/// Creates or replaces the Secret of a cluster.
fn store(hub: &ApiServer, name: &str, kubeconfig: &str) {
    let data = BTreeMap::from([("kubeconfig", ByteString(kubeconfig.as_bytes().to_vec()))]);
    let secret = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "fleet", "labels": {"kube-codegen.dev/cluster": ""}},
        "data": data,
    });
    if hub.get::<Secret>("fleet", name).is_none() {
        return hub.seed(&secret).unwrap();
    }
    let edited = hub.edit::<Secret>("fleet", name, |stored| {
        stored["data"] = secret["data"].clone();
    });
    edited.unwrap();
}

/// A member that knows only clients with tokens, and its kubeconfig.
async fn member(token: &str) -> (ApiServer, String) {
    let server = ApiServer::builder().authorization().build();
    server.listen().await.unwrap();
    allow(&server, token);
    let kubeconfig = server.kubeconfig_with(token, "default").unwrap();
    (server, kubeconfig)
}

fn allow(server: &ApiServer, token: &str) {
    server.add_token(
        token,
        User::new(format!("with {token}")).group("system:masters"),
    );
}

/// The users of the requests.
fn users(server: &ApiServer) -> Vec<String> {
    let mut users: Vec<_> = server.requests().into_iter().map(|it| it.user).collect();
    users.sort();
    users.dedup();
    users
}

/// Waits until the log has a line with a text.
async fn logged(log: &Log, line: &str) {
    let logged = async {
        while !log.text().contains(line) {
            tokio::task::yield_now().await;
        }
    };
    let logged = timeout(PATIENCE * SECOND, logged).await;
    assert!(logged.is_ok(), "{line} in {}", log.text());
}

#[tokio::test]
async fn secrets_come_rotate_and_go() {
    let hub = ApiServer::new();
    let (oslo, of_oslo) = member("oslo-1").await;
    let (rome, of_rome) = member("rome-1").await;
    let mut manager = Manager::builder(hub.client(), "fleet").build().unwrap();
    let secrets = manager.kubeconfig_secrets("fleet");
    let clusters = manager.clusters(secrets.changes(), control);
    let stop = CancellationToken::new();
    let running = tokio::spawn(manager.run(stop.clone().cancelled_owned()));
    seed(&oslo, "a");
    seed(&rome, "a");
    store(&hub, "oslo", &of_oslo);
    store(&hub, "rome", &of_rome);
    reconciled(&oslo, "a", "oslo").await;
    reconciled(&rome, "a", "rome").await;
    assert_eq!(
        (users(&oslo), users(&rome)),
        (vec!["with oslo-1".into()], vec!["with rome-1".into()])
    );

    // A rotation: the caches stay, and the next write has the new token.
    let watches = || {
        rome.requests()
            .iter()
            .filter(|it| it.verb == "watch")
            .count()
    };
    let before = watches();
    allow(&rome, "rome-2");
    let writes = rome.writes().len();
    store(
        &hub,
        "rome",
        &rome.kubeconfig_with("rome-2", "default").unwrap(),
    );
    // The manager logs it, and nothing else shows it: write until the new token does.
    let renewed = async {
        for round in 0.. {
            let name = format!("round-{round}");
            seed(&rome, &name);
            reconciled(&rome, &name, "rome").await;
            if users(&rome).contains(&"with rome-2".into()) {
                return;
            }
        }
    };
    timeout(PATIENCE * SECOND, renewed).await.unwrap();
    assert!(rome.writes().len() > writes);
    assert_eq!(watches(), before);

    // A Secret that cannot be used changes nothing.
    store(&hub, "rome", "no: kubeconfig");
    seed(&rome, "b");
    reconciled(&rome, "b", "rome").await;

    // A Secret that goes takes its cluster along, and no other.
    hub.delete::<Secret>("fleet", "oslo").unwrap();
    let left = async {
        while clusters.names() != ["rome"] {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE * SECOND, left).await.unwrap();
    seed(&rome, "c");
    reconciled(&rome, "c", "rome").await;
    assert_eq!(users(&oslo), ["with oslo-1"]);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// Returns the names of Secrets, their kubeconfigs, and why they are rejected.
fn rejected(kubeconfig: &str) -> Vec<(&'static str, String, &'static str)> {
    let with = |path: &str, value: Value| {
        let mut changed: Value = serde_json::from_str(kubeconfig).unwrap();
        *changed.pointer_mut(path).unwrap() = value;
        changed.to_string()
    };
    let user = |field: &str, value: Value| {
        with("/users/0/user", json!({"token": "hunter2", (field): value}))
    };
    let server = kubeconfig
        .split("\"server\":\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    vec![
        ("a", "{hunter2".to_owned(), "it is not a kubeconfig in YAML"),
        (
            "b",
            "clusters: hunter2".to_owned(),
            "it is not a kubeconfig in YAML",
        ),
        (
            "c",
            user("exec", json!({"command": "hunter2"})),
            "`exec` is not allowed",
        ),
        (
            "d",
            user("tokenFile", json!("/hunter2")),
            "`tokenFile` is not allowed",
        ),
        (
            "e",
            user("client-certificate", json!("/hunter2")),
            "`client-certificate` is not allowed",
        ),
        (
            "f",
            user("client-key", json!("/hunter2")),
            "`client-key` is not allowed",
        ),
        (
            "g",
            user("auth-provider", json!({"name": "gcp", "config": {}})),
            "`auth-provider` is not allowed",
        ),
        (
            "h",
            with(
                "/clusters/0/cluster",
                json!({"server": server, "certificate-authority": "/hunter2"}),
            ),
            "`certificate-authority` is not allowed",
        ),
        (
            "i",
            with("/current-context", json!("hunter2")),
            "its current-context does not name",
        ),
        (
            "j",
            with(
                "/clusters/0/cluster/server",
                json!("http://hunter2 hunter2"),
            ),
            "the URL of its server or proxy is missing or invalid",
        ),
        (
            "k",
            with(
                "/clusters/0/cluster",
                json!({"server": server, "certificate-authority-data": "hunter2"}),
            ),
            "its token, certificates or keys cannot be used",
        ),
        (
            "l",
            with(
                "/users/0/user",
                json!({"client-certificate-data": "hunter2", "client-key-data": "hunter2"}),
            ),
            "its token, certificates or keys cannot be used",
        ),
        (
            "n",
            with("/users/0/user/token", json!("hunter2\n")),
            "its token, certificates or keys cannot be used",
        ),
        (
            "o",
            with("/users/0/user/token", json!("hunter2\u{1}")),
            "its token, certificates or keys cannot be used",
        ),
    ]
}

#[tokio::test]
async fn a_kubeconfig_must_not_reach_outside_of_its_secret_and_no_log_shows_it() {
    let (log, _guard) = Log::collect();
    let hub = ApiServer::new();
    let (_member, kubeconfig) = member("hunter2").await;
    let rejected = rejected(&kubeconfig);
    for (name, kubeconfig, _) in &rejected {
        store(&hub, name, kubeconfig);
    }
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "m", "namespace": "fleet", "labels": {"kube-codegen.dev/cluster": ""}}});
    hub.seed(&secret).unwrap();
    let changes = KubeconfigSecrets::new(hub.client(), "fleet").changes();
    let joined = tokio::spawn(changes.take(1).collect::<Vec<_>>());
    let rejections = rejected.iter().map(|(name, _, reason)| (*name, *reason));
    for (name, reason) in rejections.chain([("m", "it has no key \"kubeconfig\"")]) {
        let line = format!("the Secret fleet/{name} has no usable kubeconfig: {reason}");
        logged(&log, &line).await;
    }
    store(&hub, "z", &kubeconfig);
    let joined = timeout(PATIENCE * SECOND, joined).await.unwrap().unwrap();
    assert_eq!(format!("{joined:?}"), r#"[Joined { name: "z", .. }]"#);
    let log = log.text();
    assert!(!log.contains("hunter2"), "{log}");
}

/// The manager's clients, and those of a function that panics.
#[tokio::test]
async fn one_bad_kubeconfig_stops_no_other_cluster() {
    let hub = ApiServer::new();
    let (rome, of_rome) = member("rome-1").await;
    let (_bad, of_bad) = member("bad").await;
    let of_bad = of_bad.replace("\"token\":\"bad\"", "\"token\":\"bad\\n\"");
    store(&hub, "a-bad", &of_bad);
    // After a restart, the bad Secret is there from the start.
    for round in 0..2 {
        for panics in [false, true] {
            let (log, _guard) = Log::collect();
            let mut manager = Manager::builder(hub.client(), "fleet").build().unwrap();
            let mut secrets = manager.kubeconfig_secrets("fleet");
            if panics {
                secrets = secrets.connect_with(|config| {
                    assert!(config.cluster_url.port_u16().is_none(), "hunter2");
                    unreachable!("every server has a port")
                });
                store(&hub, "a-bad", &of_rome);
            } else {
                store(&hub, "a-bad", &of_bad);
            }
            let clusters = manager.clusters(secrets.changes(), control);
            let stop = CancellationToken::new();
            let running = tokio::spawn(manager.run(stop.clone().cancelled_owned()));
            store(&hub, "rome", &of_rome);
            if !panics {
                let name = format!("map-{round}");
                seed(&rome, &name);
                reconciled(&rome, &name, "rome").await;
            }
            let unusable: &[&str] = if panics {
                &["a-bad", "rome"]
            } else {
                &["a-bad"]
            };
            for name in unusable {
                logged(
                    &log,
                    &format!("the Secret fleet/{name} has no usable kubeconfig"),
                )
                .await;
            }
            assert!(!log.text().contains("hunter2"), "{}", log.text());
            let expected: &[&str] = if panics { &[] } else { &["rome"] };
            assert_eq!(clusters.names(), expected);
            assert!(!running.is_finished());
            stop.cancel();
            running.await.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn another_server_is_another_cluster_and_another_label_nothing() {
    let hub = ApiServer::new();
    let (_first, first) = member("1").await;
    let (_second, second) = member("2").await;
    store(&hub, "a", &first);
    let mut changes = KubeconfigSecrets::new(hub.client(), "fleet")
        .changes()
        .boxed();
    let mut next = async || {
        let change = timeout(PATIENCE * SECOND, changes.next()).await.unwrap();
        format!("{:?}", change.unwrap())
    };
    assert_eq!(next().await, r#"Joined { name: "a", .. }"#);
    store(&hub, "a", &second);
    assert_eq!(next().await, r#"Joined { name: "a", .. }"#);
    let renewed = second.replace("\"token\":\"2\"", "\"token\":\"3\"");
    assert_ne!(renewed, second);
    store(&hub, "a", &renewed);
    assert_eq!(next().await, r#"Renewed { name: "a", .. }"#);
    let labels = |label: Value| {
        let set = |secret: &mut Value| secret["metadata"]["labels"] = label;
        hub.edit::<Secret>("fleet", "a", set).unwrap();
    };
    labels(json!({"kube-codegen.dev/cluster": "", "other": "x"}));
    labels(json!({}));
    assert_eq!(next().await, r#"Left { name: "a", .. }"#);
    labels(json!({"kube-codegen.dev/cluster": ""}));
    assert_eq!(next().await, r#"Joined { name: "a", .. }"#);
    assert!(next().now_or_never().is_none());
}

#[tokio::test]
async fn log_lines_have_the_cluster() {
    let (log, _guard) = Log::collect();
    let hub = ApiServer::new();
    let (rome, kubeconfig) = member("rome-1").await;
    let mut manager = Manager::builder(hub.client(), "fleet").build().unwrap();
    manager.clusters(manager.kubeconfig_secrets("fleet").changes(), control);
    store(&hub, "rome", &kubeconfig);
    seed(&rome, "a");
    let seen = rome.clone();
    manager
        .run(async move { reconciled(&seen, "a", "rome").await })
        .await
        .unwrap();
    let log = log.text();
    for part in [
        "the cluster joins cluster=\"rome\"",
        "caches are synced, starting workers kind=ConfigMap cluster=\"rome\"",
        "reconcile{kind=ConfigMap object=default/a cluster=\"rome\"}",
        "watch event{otel.kind=\"consumer\" kind=ConfigMap object=default/a cluster=\"rome\"}",
    ] {
        assert!(log.contains(part), "{part} in {log}");
    }
    assert!(!log.contains("rome-1"), "{log}");
}
