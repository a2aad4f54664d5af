//! Certificates that the operator makes and keeps in a Secret.
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::Secret;
use kube::{Api, api::DeleteParams};
use kube_codegen_runtime::webhook::OwnCertificates;
use kube_codegen_testing::ApiServer;
use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject};

use crate::webhook::operator::{Operator, webhooks};

/// Waits for the first certificate.
async fn trusted(operator: &Operator) -> String {
    let trusted = operator.secret("ca.crt").await;
    while operator.connect(&trusted).await.is_err() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    trusted
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_share_one_secret() {
    let server = ApiServer::new();
    let replicas: Vec<_> = (0..4)
        .map(|_| Operator::start(&server, webhooks(), OwnCertificates::new()))
        .collect();
    let first = trusted(&replicas[0]).await;
    for replica in &replicas {
        assert_eq!(trusted(replica).await, first);
    }
    let secret = server
        .get::<Secret>("default", "operator-webhook-cert")
        .unwrap();
    assert_eq!(secret.type_.as_deref(), Some("kubernetes.io/tls"));
    for replica in replicas {
        replica.stop().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_secret_is_written_again() {
    let server = ApiServer::new();
    let own = OwnCertificates::new().propagation(Duration::from_millis(500));
    let operator = Operator::start(&server, webhooks(), own);
    let first = trusted(&operator).await;
    let secrets = Api::<Secret>::namespaced(server.client(), "default");
    let name = "operator-webhook-cert";
    secrets
        .delete(name, &DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(operator.secret("ca.crt").await, first);
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_another_type_is_left_alone() {
    let server = ApiServer::new();
    server
        .seed(&serde_json::json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": "operator-webhook-cert", "namespace": "default"},
        }))
        .unwrap();
    let operator = Operator::start(&server, webhooks(), OwnCertificates::new());
    tokio::time::sleep(Duration::from_millis(500)).await;
    let secret = server
        .get::<Secret>("default", "operator-webhook-cert")
        .unwrap();
    assert!(secret.data.is_none());
    operator.stop().await.unwrap();
}

/// Without configurations in the API server in memory, no new CA is ever published, so only serving certificates change here.
#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_fails_no_connection() {
    let server = ApiServer::new();
    let own = OwnCertificates::new()
        .validity(Duration::from_secs(600), Duration::from_secs(3))
        .propagation(Duration::from_millis(500));
    let operator = Operator::start(&server, webhooks(), own);
    let trusted = trusted(&operator).await;
    let (mut certificates, mut connections) = (Vec::new(), 0);
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(6) {
        let stream = operator.connect(&trusted).await.unwrap();
        let certificate = stream.get_ref().1.peer_certificates().unwrap()[0].clone();
        if certificates.last() != Some(&certificate) {
            certificates.push(certificate);
        }
        connections += 1;
    }
    assert!(
        certificates.len() >= 3,
        "{} certificates",
        certificates.len()
    );
    assert!(connections > 50, "{connections}");
    let stored = operator.secret("tls.crt").await;
    let stored = CertificateDer::from_pem_slice(stored.as_bytes()).unwrap();
    assert!(certificates.contains(&stored.into_owned()));
    operator.stop().await.unwrap();
}
