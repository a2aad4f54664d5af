//! The certificate of a server: self-signed, from files, and after a change of the files.
use std::{path::Path, time::Duration};

use kube_codegen_runtime::{
    metrics::{Format, Metrics},
    server::{Server, Tls, checks},
};
use tokio_rustls::rustls::pki_types::CertificateDer;

use crate::server::http::{get, get_tls, start};

/// Writes a new certificate and its key, and returns the certificate.
fn write(folder: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
    std::fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    made.cert.der().clone()
}

#[tokio::test]
async fn a_check_fails_while_a_certificate_is_missing_malformed_or_not_valid() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tls.crt");
    let server = start(Server::plain("127.0.0.1:0").readyz("it", checks::certificate(&file))).await;
    let read = async || get(server.address, "/readyz/it").await;
    assert!(read().await.body.contains("tls.crt: No such file"));
    std::fs::write(
        &file,
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    )
    .unwrap();
    assert_eq!(read().await.status, 500);
    let made = |from, until| {
        let mut settings = rcgen::CertificateParams::default();
        (settings.not_before, settings.not_after) = (from, until);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = settings.self_signed(&key).unwrap();
        std::fs::write(&file, certificate.pem()).unwrap();
    };
    let [past, recent, future] = [2000, 2020, 4000].map(|year| rcgen::date_time_ymd(year, 1, 1));
    made(past, recent);
    let expired = read().await.body;
    assert!(
        expired.contains("the certificate expired on Jan  1"),
        "{expired}"
    );
    made(future, future);
    let early = read().await.body;
    assert!(
        early.contains("the certificate is valid from Jan  1"),
        "{early}"
    );
    made(past, future);
    assert_eq!(read().await.status, 200);
}

#[tokio::test]
async fn without_files_the_certificate_is_self_signed() {
    let server = start(Server::plain("127.0.0.1:0").tls(Tls::SelfSigned)).await;
    let (answer, first) = get_tls(server.address, "/healthz", "").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok"));
    assert_eq!(get_tls(server.address, "/healthz", "").await.1, first);
    let other = start(Server::plain("127.0.0.1:0").tls(Tls::SelfSigned)).await;
    assert_ne!(
        get_tls(other.address, "/healthz", "").await.1,
        first,
        "made at each start"
    );
}

#[tokio::test]
async fn changed_files_are_used_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path());
    let files = Tls::Files {
        certificate: folder.path().join("tls.crt"),
        key: folder.path().join("tls.key"),
    };
    let metrics = Metrics::new();
    let server = Server::plain("127.0.0.1:0")
        .tls(files)
        .metrics(&metrics)
        .reload_every(Duration::from_millis(20));
    let server = start(server).await;
    let current = async || get_tls(server.address, "/healthz", "").await.1;
    let counted = |name: &str| {
        let text = metrics.encode(Format::Text).unwrap();
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()
    };
    assert_eq!(current().await, first);
    assert_eq!(counted("certwatcher_read_certificate_total "), 1);

    let second = write(folder.path());
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(current().await, second);

    std::fs::write(folder.path().join("tls.crt"), "-----BEGIN").unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(current().await, second, "the last good one");
    assert!(counted("certwatcher_read_certificate_errors_total ") >= 1);
    let attempts = counted("certwatcher_read_certificate_total ");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(
        counted("certwatcher_read_certificate_total "),
        attempts,
        "each content once"
    );

    let third = write(folder.path());
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(current().await, third);
}

#[tokio::test]
async fn unusable_files_are_an_error_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let files = Tls::Files {
        certificate: certificate.clone(),
        key: key.clone(),
    };
    let bind = async || {
        let server = Server::plain("127.0.0.1:0").tls(files.clone());
        server.bind().await.unwrap_err().to_string()
    };
    assert_eq!(
        bind().await,
        format!("cannot read {}", certificate.display())
    );
    write(folder.path());
    let other_key = std::fs::read(&key).unwrap();
    write(folder.path());
    std::fs::write(&key, other_key).unwrap();
    let error = bind().await;
    assert!(
        error.starts_with("the certificate is not usable: "),
        "{error}"
    );
    std::fs::write(&certificate, "").unwrap();
    assert_eq!(
        bind().await,
        "the certificate is not usable: the file has no CERTIFICATE section"
    );
}
