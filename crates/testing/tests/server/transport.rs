//! Clients over a socket.
use futures::{SinkExt as _, StreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, PostParams, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use kube_codegen_testing::{ApiServer, Failure, On};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{self, Message, client::IntoClientRequest as _},
};

use super::support::{create, map, rejected};

#[tokio::test]
async fn a_client_from_the_kubeconfig_reaches_the_server() {
    let server = ApiServer::new();
    assert_eq!(server.kubeconfig(), None);
    let address = server.listen().await.unwrap();
    assert_eq!(server.listen().await.unwrap(), address);
    let kubeconfig = Kubeconfig::from_yaml(&server.kubeconfig().unwrap()).unwrap();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .unwrap();
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
    assert_eq!(client.apiserver_version().await.unwrap().minor, "37");

    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let mut watch = Box::pin(maps.watch(&WatchParams::default(), "0").await.unwrap());
    create(&maps, "a").await;
    assert!(matches!(
        watch.next().await,
        Some(Ok(kube::api::WatchEvent::Added(_)))
    ));
    assert_eq!(
        rejected(maps.create(&PostParams::default(), &map("a")).await).code,
        409
    );
    server.fail_next(On::verb("get"), Failure::disconnect());
    assert!(maps.get("a").await.is_err());
    maps.get("a").await.unwrap();
    assert_eq!(
        server
            .get::<ConfigMap>("default", "a")
            .unwrap()
            .metadata
            .name
            .as_deref(),
        Some("a")
    );
    server.cut_watches(&On::any());
    assert!(watch.next().await.is_none());
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_client_with_the_authority_and_the_token_reaches_the_server_over_tls() {
    let tls = kube_codegen_testing::Tls::new().unwrap();
    let server = ApiServer::builder().authorization().build();
    let address = server.listen_tls(&tls).await.unwrap();
    let text = server.kubeconfig().unwrap();
    let kubeconfig: Kubeconfig = serde_json::from_str(&text).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .unwrap();
    assert_eq!(
        config.cluster_url.to_string(),
        format!("https://{address}/")
    );
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_from(config).unwrap());
    maps.create(&kube::api::PostParams::default(), &super::support::map("a"))
        .await
        .unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_begins_with_its_kind() {
    let server = ApiServer::new();
    create(&Api::default_namespaced(server.client()), "a").await;
    let path = "/api/v1/namespaces/default/configmaps/a";
    let request = http::Request::get(path).body(Vec::new()).unwrap();
    let text = server.client().request_text(request).await.unwrap();
    let start = r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"#;
    assert!(text.starts_with(start), "{text}");
    serde_json::from_str::<ConfigMap>(&text).unwrap();
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_kubeconfig_for_tls_has_a_user_without_authorization() {
    let tls = kube_codegen_testing::Tls::new().unwrap();
    let server = ApiServer::new();
    server.listen_tls(&tls).await.unwrap();
    let kubeconfig: Kubeconfig = serde_json::from_str(&server.kubeconfig().unwrap()).unwrap();
    // Without one, kubectl asks for a name and a password.
    let user = kubeconfig.auth_infos[0].auth_info.clone().unwrap();
    assert!(user.token.is_some());
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_from(config).unwrap());
    maps.create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_client_certificate_names_its_user_and_groups() {
    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let signed = |params: CertificateParams| {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &authority).unwrap();
        (certificate.pem(), key.serialize_pem())
    };
    let (certificate, key) = signed(CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap());
    let mut jane = CertificateParams::default();
    jane.distinguished_name.push(DnType::CommonName, "jane");
    jane.distinguished_name
        .push(DnType::OrganizationName, "developers");
    let (own, own_key) = signed(jane);

    let tls = kube_codegen_testing::Tls::from_pem(&certificate, &key, &authority.pem()).unwrap();
    let server = ApiServer::builder().envtest().authorization().build();
    let free = (std::net::Ipv4Addr::LOCALHOST, 0).into();
    server.listen_tls_on(free, &tls).await.unwrap();
    let client = async |user: serde_json::Value| {
        let mut file: serde_json::Value =
            serde_json::from_str(&server.kubeconfig().unwrap()).unwrap();
        file["users"][0]["user"] = user;
        let data = k8s_openapi::ByteString(authority.pem().into_bytes());
        file["clusters"][0]["cluster"]["certificate-authority-data"] = serde_json::json!(data);
        let file: Kubeconfig = serde_json::from_value(file).unwrap();
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(file, &options).await;
        Client::try_from(config.unwrap()).unwrap()
    };
    let bytes = |pem: &str| k8s_openapi::ByteString(pem.as_bytes().to_vec());
    let with = serde_json::json!({"client-certificate-data": bytes(&own), "client-key-data": bytes(&own_key)});
    let maps: Api<ConfigMap> = Api::default_namespaced(client(with).await);
    let message = rejected(maps.get("a").await).message;
    assert!(message.contains("User \"jane\" cannot get"), "{message}");
    server
        .seed(&serde_json::json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "developers"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "developers"}],
        }))
        .unwrap();
    create(&maps, "a").await;

    let without: Api<ConfigMap> = Api::default_namespaced(client(serde_json::json!({})).await);
    let message = rejected(without.get("a").await).message;
    assert!(message.contains("User \"system:anonymous\""), "{message}");
}

/// Sends a part of a request, and returns what comes until the server closes the connection, and after how many (virtual) seconds.
async fn answer_to(address: std::net::SocketAddr, part: &[u8]) -> (String, u64) {
    let start = tokio::time::Instant::now();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(part).await.unwrap();
    let mut answer = Vec::new();
    // A reset is an end as well.
    let _end = stream.read_to_end(&mut answer).await;
    (
        String::from_utf8(answer).unwrap(),
        start.elapsed().as_secs(),
    )
}

#[tokio::test(start_paused = true)]
async fn a_request_that_does_not_arrive_ends_after_thirty_seconds() {
    let server = ApiServer::new();
    let address = server.listen().await.unwrap();
    for part in [
        "",
        "GET /api HTTP/1.1\r\n",
        "GET /api HTTP/1.1\r\nHost: a\r\nX: ",
    ] {
        let (answer, seconds) = answer_to(address, part.as_bytes()).await;
        assert!(!answer.contains("200 OK"), "{part:?}: {answer}");
        assert!((30..=31).contains(&seconds), "{part:?}: {seconds}");
    }
    let part = "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n{";
    let (answer, seconds) = answer_to(address, part.as_bytes()).await;
    assert!((30..=31).contains(&seconds), "{seconds}");
    assert!(answer.starts_with("HTTP/1.1 504"), "{answer}");
    assert!(answer.contains("\"reason\":\"Timeout\""), "{answer}");
    assert_eq!(server.requests(), []);
}

#[cfg(feature = "tls")]
#[tokio::test(start_paused = true)]
async fn a_handshake_that_does_not_arrive_ends_after_thirty_seconds() {
    let tls = kube_codegen_testing::Tls::new().unwrap();
    let server = ApiServer::new();
    let address = server.listen_tls(&tls).await.unwrap();
    for part in [&b""[..], b"\x16\x03\x01\x40\x00"] {
        let (answer, seconds) = answer_to(address, part).await;
        assert_eq!((answer.as_str(), seconds), ("", 30));
    }
}

/// Reads a response with a `Content-Length` to its end, in however many parts it arrives. The connection stays open.
async fn response(stream: &mut tokio::net::TcpStream) -> String {
    let (mut text, mut part) = (String::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut part).await.unwrap();
        assert_ne!(read, 0, "the connection ended after {text:?}");
        text.push_str(str::from_utf8(&part[..read]).unwrap());
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let length = head.split_once("content-length: ").unwrap().1;
        let length: usize = length.lines().next().unwrap().parse().unwrap();
        if body.len() >= length {
            return text;
        }
    }
}

#[tokio::test]
async fn a_body_that_is_too_long_is_rejected_and_the_connection_goes_on() {
    let server = ApiServer::new();
    let address = server.listen().await.unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let path = "/api/v1/namespaces/default/configmaps";
    let length = 64 << 20;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; length]).await.unwrap();
    let text = response(&mut stream).await;
    assert!(text.starts_with("HTTP/1.1 413"), "{text}");
    assert!(
        text.contains("Request entity too large: limit is 3145728"),
        "{text}"
    );
    let next = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
    stream.write_all(next.as_bytes()).await.unwrap();
    let text = response(&mut stream).await;
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
}

/// A watch of `ConfigMaps` over WebSocket, with some headers.
async fn websocket(
    server: &ApiServer,
    query: &str,
    headers: &[(&str, &str)],
) -> Result<(WebSocketStream<TcpStream>, http::HeaderMap), tungstenite::Error> {
    let address = server.listen().await.unwrap();
    let url = format!("ws://{address}/api/v1/namespaces/default/configmaps?{query}");
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        let name: http::HeaderName = name.parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    let stream = TcpStream::connect(address).await.unwrap();
    let (socket, response) = client_async(request, stream).await?;
    Ok((socket, response.into_parts().0.headers))
}

const ORIGIN: (&str, &str) = ("origin", "https://example.com");

async fn text(socket: &mut WebSocketStream<TcpStream>) -> serde_json::Value {
    let message = socket.next().await.unwrap().unwrap();
    let text = message.to_text().unwrap();
    assert!(message.is_text() && text.ends_with("}\n"), "{message:?}");
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn a_watch_over_websocket_has_an_event_per_message() {
    let server = ApiServer::new();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    create(&maps, "a").await;
    let protocol = ("sec-websocket-protocol", "base64.binary.k8s.io");
    let (mut socket, headers) = websocket(&server, "watch=true", &[ORIGIN, protocol])
        .await
        .unwrap();
    assert_eq!(headers["sec-websocket-protocol"], protocol.1);
    let event = text(&mut socket).await;
    assert_eq!(
        (&event["type"], &event["object"]["metadata"]["name"]),
        (&"ADDED".into(), &"a".into())
    );
    socket
        .send(Message::Ping(b"ping"[..].into()))
        .await
        .unwrap();
    assert_eq!(
        socket.next().await.unwrap().unwrap(),
        Message::Pong(b"ping"[..].into())
    );
    // What a client says is ignored.
    socket.send(Message::text("?")).await.unwrap();
    maps.delete("a", &kube::api::DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(text(&mut socket).await["type"], "DELETED");
    // A server that ends a watch says so, and closes.
    server.cut_watches(&On::any());
    let closed = socket.next().await.unwrap().unwrap();
    let Message::Close(Some(reason)) = closed else {
        panic!("{closed:?}");
    };
    assert_eq!(u16::from(reason.code), 1000);
    assert!(socket.next().await.is_none());
    // So does a client.
    let (mut socket, _) = websocket(&server, "watch=true", &[ORIGIN]).await.unwrap();
    socket.close(None).await.unwrap();
    assert!(matches!(socket.next().await, Some(Ok(Message::Close(_)))));
    assert!(socket.next().await.is_none());
}

#[tokio::test]
async fn what_is_no_watch_is_answered_over_http() {
    let server = ApiServer::new();
    for (query, headers, expected) in [
        ("watch=true", &[][..], 403),
        ("watch=true", &[ORIGIN, ("sec-websocket-version", "8")], 400),
        // A list.
        ("", &[ORIGIN], 200),
        ("watch=true&resourceVersion=x", &[ORIGIN], 400),
    ] {
        let Err(tungstenite::Error::Http(response)) = websocket(&server, query, headers).await
        else {
            panic!("{query}");
        };
        assert_eq!(response.status(), expected, "{query} {headers:?}");
    }
}
