//! Which connections a server accepts.
use kube_codegen_runtime::server::{CipherSuite, Server, Tls, TlsPolicy, TlsVersion};
use tokio_rustls::rustls::{
    CipherSuite as Agreed,
    ProtocolVersion::{TLSv1_2, TLSv1_3},
    version::{TLS12, TLS13},
};

use crate::server::http::{Running, handshake, start};

async fn serve(policy: TlsPolicy) -> Running {
    let server = Server::plain("127.0.0.1:0").tls(Tls::SelfSigned);
    start(server.tls_policy(policy)).await
}

#[tokio::test]
async fn older_versions_are_rejected() {
    let server = serve(TlsPolicy::default()).await;
    let agreed = handshake(server.address, &[&TLS12]).await.unwrap();
    assert_eq!(agreed.0, TLSv1_2);
    let server = serve(TlsPolicy::new().min_version(TlsVersion::Tls13)).await;
    handshake(server.address, &[&TLS12]).await.unwrap_err();
    let agreed = handshake(server.address, &[&TLS12, &TLS13]).await.unwrap();
    assert_eq!(agreed.0, TLSv1_3);
}

#[tokio::test]
async fn only_accepted_suites_are_agreed_on() {
    let suite = CipherSuite::EcdheEcdsaAes256GcmSha384;
    let server = serve(TlsPolicy::new().cipher_suites([suite])).await;
    let agreed = handshake(server.address, &[&TLS12]).await.unwrap();
    assert_eq!(agreed.1, Agreed::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384);
    // As in Go, such a list says nothing about TLS 1.3.
    handshake(server.address, &[&TLS13]).await.unwrap();
    let suite = CipherSuite::Chacha20Poly1305Sha256;
    let server = serve(TlsPolicy::new().cipher_suites([suite])).await;
    let agreed = handshake(server.address, &[&TLS13]).await.unwrap();
    assert_eq!(agreed.1, Agreed::TLS13_CHACHA20_POLY1305_SHA256);
    handshake(server.address, &[&TLS12]).await.unwrap_err();
    // A key for ECDSA cannot serve this one.
    let suite = CipherSuite::EcdheRsaAes128GcmSha256;
    let server = serve(TlsPolicy::new().cipher_suites([suite])).await;
    handshake(server.address, &[&TLS12]).await.unwrap_err();
}
