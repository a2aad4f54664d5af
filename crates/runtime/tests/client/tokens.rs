//! Service account tokens that are rotated.
use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use kube_codegen_runtime::client::{ErrorExt, TypedClient, connect};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// The requests, as `GET new 200`: method, token and status.
type Log = Arc<Mutex<Vec<String>>>;

/// Serves HTTP, accepts the token `new` alone, and answers a request with an object that has its body as data.
async fn serve() -> (Config, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let log = Log::default();
    let requests = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_all(stream, Arc::clone(&requests)));
        }
    });
    (
        Config::new(format!("http://{address}").parse().unwrap()),
        log,
    )
}

async fn answer_all(stream: TcpStream, log: Log) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut head, mut line) = (Vec::new(), String::new());
        while stream.read_line(&mut line).await.unwrap() > 2 {
            head.push(std::mem::take(&mut line));
        }
        let Some(method) = head.first().and_then(|line| line.split(' ').next()) else {
            return;
        };
        let header = |name: &str| {
            let mut headers = head.iter().filter_map(|line| line.trim().split_once(": "));
            headers
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value)
        };
        let token = header("authorization")
            .unwrap_or_default()
            .trim_start_matches("Bearer ");
        let length = header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let (status, answer) = if token == "new" {
            let body = String::from_utf8(body).unwrap();
            (
                200,
                json!({"metadata": {"name": "a"}, "data": {"body": body}}),
            )
        } else {
            (
                401,
                json!({"kind": "Status", "status": "Failure", "code": 401, "reason": "Unauthorized", "message": "no"}),
            )
        };
        log.lock()
            .unwrap()
            .push(format!("{method} {token} {status}"));
        let answer = answer.to_string();
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        stream.write_all((head + &answer).as_bytes()).await.unwrap();
    }
}

async fn client(token: &Path) -> (TypedClient<ConfigMap>, Log) {
    let (mut config, log) = serve().await;
    config.auth_info.token_file = Some(token.to_str().unwrap().to_owned());
    (TypedClient::namespaced(connect(config).unwrap(), "ns"), log)
}

#[tokio::test]
async fn a_rejected_token_is_read_again_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "old").unwrap();
    let (maps, log) = client(&token).await;
    let requests = || std::mem::take(&mut *log.lock().unwrap());
    // Nothing is gained by a second attempt with the same token.
    let error = maps.get("a").await.unwrap_err();
    assert_eq!(error.status().unwrap().code, 401);
    assert_eq!(requests(), ["GET old 401"]);
    std::fs::write(&token, "new\n").unwrap();
    let mut map: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "a"}})).unwrap();
    map.data = Some([("x".to_owned(), "é".repeat(10_000))].into());
    let stored = maps.create(&map).await.unwrap();
    let body: ConfigMap = serde_json::from_str(&stored.data.unwrap()["body"]).unwrap();
    assert_eq!(body.data, map.data);
    assert_eq!(requests(), ["POST old 401", "POST new 200"]);
    maps.get("a").await.unwrap();
    assert_eq!(requests(), ["GET new 200"]);
    // The file may vanish.
    std::fs::remove_file(&token).unwrap();
    maps.get("a").await.unwrap();
    assert_eq!(requests(), ["GET new 200"]);
}

/// The configuration of a kubeconfig with these credentials.
async fn configured(user: serde_json::Value) -> Config {
    let file: Kubeconfig = serde_json::from_value(json!({
        "clusters": [{"name": "a", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "a", "user": user}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "current-context": "a",
    }))
    .unwrap();
    let options = KubeConfigOptions::default();
    Config::from_custom_kubeconfig(file, &options)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_token_that_cannot_be_sent_is_an_error_wherever_it_comes_from() {
    let credential = r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"a\nb"}}"#;
    let exec = json!({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
        "command": "/bin/echo", "args": [credential],
    }});
    let provider = json!({"auth-provider": {"name": "oidc", "config": {"id-token": "a\nb"}}});
    for user in [json!({"token": "a\nb"}), exec, provider] {
        let error = connect(configured(user.clone()).await)
            .map(drop)
            .unwrap_err();
        assert!(matches!(error, kube::Error::Auth(_)), "{user}: {error}");
    }
    // A password comes before a token, which is never sent then.
    let unused = json!({"username": "a", "password": "b", "token": "a\nb"});
    connect(configured(unused).await).unwrap();
}
