//! Webhooks over HTTPS, and the certificates that the server accepts.
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use k8s_openapi::ByteString;
use kube::api::PostParams;
use kube_codegen_testing::ApiServer;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivatePkcs8KeyDer},
    },
};

use super::{
    admission::{admission, configure, connection},
    support::{map, maps, rejected},
};

const NAME: &str = "webhook.operators.svc";

/// Certificates of a webhook.
struct Certificates {
    /// The authority that signed the certificate (PEM).
    authority: ByteString,
    /// The certificate of the webhook (PEM).
    own: ByteString,
    acceptor: TlsAcceptor,
}

fn acceptor(certificate: &CertificateDer<'static>, key: &KeyPair) -> TlsAcceptor {
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key.into())
        .unwrap();
    Arc::new(config).into()
}

fn parameters(name: &str) -> CertificateParams {
    CertificateParams::new([name.to_owned(), "127.0.0.1".to_owned()]).unwrap()
}

/// Returns a certificate for a name that an authority has signed.
fn signed(name: &str) -> Certificates {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = parameters(name).signed_by(&key, &authority).unwrap();
    Certificates {
        authority: ByteString(authority.pem().into_bytes()),
        own: ByteString(certificate.pem().into_bytes()),
        acceptor: acceptor(certificate.der(), &key),
    }
}

/// Returns a certificate for a name that is signed with its own key, as an authority or not.
fn self_signed(name: &str, is_ca: IsCa) -> Certificates {
    let mut certificate = parameters(name);
    certificate.is_ca = is_ca;
    let key = KeyPair::generate().unwrap();
    let certificate = certificate.self_signed(&key).unwrap();
    let pem = ByteString(certificate.pem().into_bytes());
    Certificates {
        authority: pem.clone(),
        own: pem,
        acceptor: acceptor(certificate.der(), &key),
    }
}

/// Serves a webhook that rejects everything, and returns its address and the paths of the requests.
async fn webhook(acceptor: TlsAcceptor) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let paths: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = paths.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let seen = seen.clone();
            let answer = move |path: &str, review: &Value| {
                seen.lock().unwrap().push(path.to_owned());
                admission(review, json!({"allowed": false}))
            };
            let accepting = acceptor.accept(stream);
            tokio::spawn(async move {
                if let Ok(stream) = accepting.await {
                    connection(stream, answer).await;
                }
            });
        }
    });
    (address, paths)
}

/// Returns the code and the message of the answer to a request that a webhook with this configuration reviews.
async fn review(server: &ApiServer, client: Value) -> (u16, String) {
    let client = json!({"clientConfig": client});
    configure(server, "ValidatingWebhookConfiguration", "", &client);
    let created = maps(server).create(&PostParams::default(), &map("a")).await;
    let status = rejected(created);
    (status.code, status.message)
}

#[tokio::test]
async fn webhooks_are_called_over_https_by_url_and_by_service() {
    let certificates = signed(NAME);
    let (address, paths) = webhook(certificates.acceptor).await;
    let server = ApiServer::new();
    server.set_webhook_address(address);
    let service = json!({"name": "webhook", "namespace": "operators", "path": "/by-service"});
    let by_url =
        json!({"url": format!("https://{address}//by-url/"), "caBundle": certificates.authority});
    for client in [
        by_url,
        json!({"service": service, "caBundle": certificates.authority}),
    ] {
        assert_eq!(review(&server, client).await.0, 403);
    }
    assert_eq!(*paths.lock().unwrap(), ["/by-url", "/by-service"]);
    // An authority that did not sign the certificate.
    let other = signed(NAME).authority;
    let (code, message) = review(&server, json!({"service": service, "caBundle": other})).await;
    assert_eq!(code, 500);
    let expected = "Post \"https://webhook.operators.svc:443/by-service?timeout=30s\": tls: failed to verify certificate: x509: certificate signed by unknown authority";
    assert!(message.ends_with(expected), "{message}");
}

#[tokio::test]
async fn the_certificate_of_a_webhook_may_be_its_bundle() {
    let authority = || IsCa::Ca(BasicConstraints::Unconstrained);
    for (name, certificates) in [
        ("signed", signed(NAME)),
        ("self-signed", self_signed(NAME, IsCa::NoCa)),
        ("a self-signed authority", self_signed(NAME, authority())),
    ] {
        let (address, _) = webhook(certificates.acceptor).await;
        let server = ApiServer::new();
        server.set_webhook_address(address);
        let service = json!({"name": "webhook", "namespace": "operators"});
        let client = json!({"service": service, "caBundle": certificates.own});
        let (code, message) = review(&server, client).await;
        assert_eq!(code, 403, "{name}: {message}");
        // The name counts nevertheless.
        let service = json!({"name": "other", "namespace": "operators"});
        let client = json!({"service": service, "caBundle": certificates.own});
        let (code, message) = review(&server, client).await;
        assert_eq!(code, 500, "{name}: {message}");
        assert!(message.contains("x509: "), "{name}: {message}");
    }
}

#[tokio::test]
async fn a_webhook_that_cannot_be_reached_is_reported_with_the_cause() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let server = ApiServer::new();
    let client = json!({"url": format!("http://{address}/x")});
    let (_, message) = review(&server, client).await;
    assert_eq!(
        message,
        format!(
            "Internal error occurred: failed calling webhook \"hook.example.com\": failed to call webhook: Post \"http://{address}/x?timeout=30s\": dial tcp {address}: connect: connection refused"
        )
    );
}
