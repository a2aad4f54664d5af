//! The certificate of a server: self-signed, or read from files again and again.
use std::{io, path::Path, sync::Arc};

use parking_lot::{Mutex, RwLock};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::CryptoProvider,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
        server::{ClientHello, ResolvesServerCert},
        sign::CertifiedKey,
    },
    server::TlsStream,
};
use tracing::{info, warn};

use super::{ServerError, Tls, TlsPolicy};
use crate::metrics::CertificateMetrics;

/// Accepts TLS connections with the current certificate. A clone is a handle on the same one.
#[derive(Clone)]
pub(super) struct Acceptor {
    tls: TlsAcceptor,
    /// The certificate that this type keeps; `None` if another resolver does.
    current: Option<Arc<Current>>,
    source: Tls,
    metrics: CertificateMetrics,
}

/// The certificate in use.
#[derive(Debug)]
struct Current {
    certificate: RwLock<Arc<CertifiedKey>>,
    provider: Arc<CryptoProvider>,
    /// The content of the files at the last attempt, so that each content is parsed and reported once.
    files: Mutex<Files>,
}

/// The content of both files, or why they cannot be read.
type Files = Result<(Vec<u8>, Vec<u8>), String>;

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.certificate.read()))
    }
}

impl Acceptor {
    pub(super) async fn new(
        source: &Tls,
        policy: &TlsPolicy,
        metrics: CertificateMetrics,
    ) -> Result<Self, ServerError> {
        let provider = policy.provider();
        let (certificate, files) = match source {
            Tls::SelfSigned => (self_signed(&provider)?, (Vec::new(), Vec::new())),
            Tls::Files { certificate, key } => {
                let loaded = load(certificate, key, &provider).await;
                metrics.count(loaded.is_ok());
                loaded?
            }
        };
        let current = Arc::new(Current {
            certificate: RwLock::new(Arc::new(certificate)),
            provider: Arc::clone(&provider),
            files: Mutex::new(Ok(files)),
        });
        let tls = acceptor(policy, Arc::clone(&current) as Arc<dyn ResolvesServerCert>)?;
        Ok(Self {
            tls,
            current: Some(current),
            source: source.clone(),
            metrics,
        })
    }

    /// Creates an acceptor with the certificates of another resolver.
    #[cfg(feature = "webhook")]
    pub(super) fn given(
        resolver: Arc<dyn ResolvesServerCert>,
        policy: &TlsPolicy,
    ) -> Result<Self, ServerError> {
        Ok(Self {
            tls: acceptor(policy, resolver)?,
            current: None,
            source: Tls::SelfSigned,
            metrics: CertificateMetrics::default(),
        })
    }

    pub(super) async fn accept<S>(&self, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.tls.accept(stream).await
    }

    /// Reads the files again, and uses their certificate if it is another one and usable.
    pub(super) async fn reload(&self) {
        let (Tls::Files { certificate, key }, Some(current)) = (&self.source, &self.current) else {
            return;
        };
        let files = read_both(certificate, key).await;
        let seen = files
            .as_ref()
            .map(Clone::clone)
            .map_err(ToString::to_string);
        if *current.files.lock() == seen {
            return;
        }
        *current.files.lock() = seen;
        let parsed = files.and_then(|(chain, key)| parse(&chain, &key, &current.provider));
        self.metrics.count(parsed.is_ok());
        match parsed {
            Ok(parsed) => {
                *current.certificate.write() = Arc::new(parsed);
                info!(file = %certificate.display(), "using the new certificate");
            }
            Err(error) => warn!("keeping the last certificate: {error}"),
        }
    }
}

fn acceptor(
    policy: &TlsPolicy,
    resolver: Arc<dyn ResolvesServerCert>,
) -> Result<TlsAcceptor, ServerError> {
    let mut config = ServerConfig::builder_with_provider(policy.provider())
        .with_protocol_versions(policy.versions())
        .map_err(|error| ServerError::Policy(error.to_string()))?
        .with_no_client_auth()
        .with_cert_resolver(resolver);
    // Without HTTP/2, as in controller-runtime (CVE-2023-44487, CVE-2023-39325).
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

async fn load(
    certificate: &Path,
    key: &Path,
    provider: &CryptoProvider,
) -> Result<(CertifiedKey, (Vec<u8>, Vec<u8>)), ServerError> {
    let (chain, key) = read_both(certificate, key).await?;
    Ok((parse(&chain, &key, provider)?, (chain, key)))
}

async fn read_both(certificate: &Path, key: &Path) -> Result<(Vec<u8>, Vec<u8>), ServerError> {
    let read = async |path: &Path| {
        let read = tokio::fs::read(path).await;
        read.map_err(|source| ServerError::Read {
            path: path.to_owned(),
            source,
        })
    };
    Ok((read(certificate).await?, read(key).await?))
}

pub(crate) fn parse(
    chain: &[u8],
    key: &[u8],
    provider: &CryptoProvider,
) -> Result<CertifiedKey, ServerError> {
    let unusable = |error: &dyn std::fmt::Display| ServerError::Certificate(error.to_string());
    let chain: Vec<_> = CertificateDer::pem_slice_iter(chain)
        .collect::<Result<_, _>>()
        .map_err(|error| unusable(&error))?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| unusable(&error))?;
    if chain.is_empty() {
        return Err(unusable(&"the file has no CERTIFICATE section"));
    }
    CertifiedKey::from_der(chain, key, provider).map_err(|error| unusable(&error))
}

/// Makes a certificate for `localhost`, as controller-runtime does.
fn self_signed(provider: &CryptoProvider) -> Result<CertifiedKey, ServerError> {
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let made = rcgen::generate_simple_self_signed(names);
    let made = made.map_err(|error| ServerError::Certificate(error.to_string()))?;
    let (chain, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    parse(chain.as_bytes(), key.as_bytes(), provider)
}
