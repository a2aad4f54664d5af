//! Connects to webhooks over TLS: decides which certificates it accepts, with the errors of Go.

use std::sync::Arc;

use k8s_openapi::ByteString;
use kube::{Config, client::ConfigExt as _};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore,
        SignatureScheme,
        client::{
            WebPkiServerVerifier,
            danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
            verify_server_name,
        },
        crypto::ring,
        pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
        server::ParsedCertificate,
    },
};

/// Connects to a webhook that has a certificate of a bundle or, without one, of an authority of the system. The error is as in Go.
pub(crate) async fn connect(
    stream: TcpStream,
    authority: &str,
    bundle: &Value,
) -> Result<TlsStream<TcpStream>, String> {
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let name = ServerName::try_from(host.to_owned()).map_err(|error| format!("{host}: {error}"))?;
    let uri = format!("https://{authority}").parse();
    let system = Config::new(uri.map_err(|error| format!("{authority}: {error}"))?);
    let mut config = system
        .rustls_client_config()
        .map_err(|error| error.to_string())?;
    let pem = Option::<ByteString>::deserialize(bundle).unwrap_or_default();
    if let Some(ByteString(pem)) = pem.filter(|pem| !pem.0.is_empty()) {
        let unusable =
            || "unable to load root certificates: unable to parse bytes as PEM block".to_owned();
        let bundle = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
        let bundle = bundle.map_err(|_| unusable())?;
        let verifier = Bundle::new(bundle).ok_or_else(unusable)?;
        config
            .dangerous()
            .set_certificate_verifier(Arc::new(verifier));
    }
    let connector = TlsConnector::from(Arc::<ClientConfig>::new(config));
    connector.connect(name, stream).await.map_err(|error| {
        let inner = error.get_ref().and_then(|it| it.downcast_ref());
        match inner {
            Some(Error::InvalidCertificate(why)) => {
                let why = certificate_error(host, why);
                format!("tls: failed to verify certificate: x509: {why}")
            }
            _ => error.to_string(),
        }
    })
}

fn certificate_error(host: &str, error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "certificate signed by unknown authority".to_owned()
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<&str> = presented
                .iter()
                .map(|name| name.rsplit('"').nth(1).unwrap_or(name))
                .collect();
            format!("certificate is valid for {}, not {host}", names.join(", "))
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("certificate has expired or is not yet valid: {error}")
        }
        other => other.to_string(),
    }
}

/// Accepts the certificates that those of a bundle have signed and, as Go does, those of the bundle themselves.
#[derive(Debug)]
struct Bundle {
    certificates: Vec<CertificateDer<'static>>,
    chains: Arc<WebPkiServerVerifier>,
}

impl Bundle {
    /// Returns `None` if there is no usable certificate.
    fn new(certificates: Vec<CertificateDer<'static>>) -> Option<Self> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(certificates.iter().cloned());
        let provider = Arc::new(ring::default_provider());
        let chains = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        Some(Self {
            certificates,
            chains: chains.build().ok()?,
        })
    }
}

impl ServerCertVerifier for Bundle {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.chains.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verified {
            // The times have been checked before the search for an issuer, and before the rejection of an authority (`Other`).
            Err(Error::InvalidCertificate(
                CertificateError::UnknownIssuer
                | CertificateError::BadSignature
                | CertificateError::Other(_),
            )) if self.certificates.iter().any(|it| it == end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}
