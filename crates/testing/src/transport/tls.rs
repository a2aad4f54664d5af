//! The certificates of HTTPS.

use std::{fmt, io, sync::Arc};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use tokio_rustls::rustls::{
    RootCertStore, ServerConfig, ServerConnection,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject as _},
    server::WebPkiClientVerifier,
};
use x509_parser::parse_x509_certificate;

use crate::request::User;

/// The names that clients, also those in Pods, use.
const NAMES: [&str; 4] = [
    "127.0.0.1",
    "localhost",
    "kubernetes.default",
    "kubernetes.default.svc",
];

/// A certificate authority, and a certificate for an [`ApiServer`](crate::ApiServer).
#[derive(Clone)]
pub struct Tls {
    authority: String,
    pub(super) config: Arc<ServerConfig>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// Creates both with new keys.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn new() -> io::Result<Self> {
        let mut authority = CertificateParams::default();
        authority
            .distinguished_name
            .push(DnType::CommonName, "kube-codegen");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let authority = CertifiedIssuer::self_signed(authority, key).map_err(io::Error::other)?;

        let mut server =
            CertificateParams::new(NAMES.map(str::to_owned)).map_err(io::Error::other)?;
        server
            .distinguished_name
            .push(DnType::CommonName, "kube-apiserver");
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let certificate = server
            .signed_by(&key, &authority)
            .map_err(io::Error::other)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let certificates = vec![certificate.der().clone()];
        Ok(Self {
            authority: authority.pem(),
            config: config(certificates, key, &RootCertStore::empty())?,
        })
    }

    /// Uses an existing certificate with its key, and accepts client certificates of an authority; all are PEM. As in Kubernetes, the
    /// common name of a client certificate is the user name, and its organizations are the groups.
    ///
    /// [`Self::authority`] then returns the server's certificate, which clients trust directly.
    ///
    /// # Errors
    /// If one of them is invalid.
    pub fn from_pem(certificate: &str, key: &str, client_authority: &str) -> io::Result<Self> {
        let read = |pem: &str| {
            let all = CertificateDer::pem_slice_iter(pem.as_bytes());
            all.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)
        };
        let own = read(certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(io::Error::other)?;
        let mut roots = RootCertStore::empty();
        for authority in read(client_authority)? {
            roots.add(authority).map_err(io::Error::other)?;
        }
        Ok(Self {
            authority: certificate.to_owned(),
            config: config(own, key, &roots)?,
        })
    }

    /// Returns the certificate and its key, for another server on 127.0.0.1 that the same clients trust.
    pub fn config(&self) -> Arc<ServerConfig> {
        self.config.clone()
    }

    /// Returns the certificate of the authority (PEM), for clients.
    pub fn authority(&self) -> &str {
        &self.authority
    }
}

/// Returns the settings of a server that accepts clients with certificates of these authorities, and clients without one.
fn config(
    certificates: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    clients: &RootCertStore,
) -> io::Result<Arc<ServerConfig>> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let builder = if clients.is_empty() {
        builder.with_no_client_auth()
    } else {
        let clients = Arc::new(clients.clone());
        let verifier = WebPkiClientVerifier::builder_with_provider(clients, provider)
            .allow_unauthenticated()
            .build();
        builder.with_client_cert_verifier(verifier.map_err(io::Error::other)?)
    };
    let config = builder.with_single_cert(certificates, key);
    Ok(Arc::new(config.map_err(io::Error::other)?))
}

/// Returns the user that the certificate of the client names.
pub(super) fn user(connection: &ServerConnection) -> Option<User> {
    let certificate = connection.peer_certificates()?.first()?;
    let (_, parsed) = parse_x509_certificate(certificate).ok()?;
    let subject = parsed.subject();
    let name = subject.iter_common_name().next()?.as_str().ok()?;
    let groups = subject
        .iter_organization()
        .filter_map(|it| it.as_str().ok());
    Some(groups.fold(User::new(name), User::group))
}
