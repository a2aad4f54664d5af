//! The certificates of HTTPS.

use std::{fmt, io, sync::Arc};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use tokio_rustls::rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};

/// The names that clients, also those in Pods, use.
const NAMES: [&str; 4] = [
    "127.0.0.1",
    "localhost",
    "kubernetes.default",
    "kubernetes.default.svc",
];

/// A certificate authority, and the certificate of an [`ApiServer`](crate::ApiServer).
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
    /// Creates both, with new keys.
    ///
    /// # Errors
    /// If the system gives no random numbers.
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
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(vec![certificate.der().clone()], key)
            })
            .map_err(io::Error::other)?;
        Ok(Self {
            authority: authority.pem(),
            config: Arc::new(config),
        })
    }

    /// Returns the certificate of the authority (PEM), for clients.
    pub fn authority(&self) -> &str {
        &self.authority
    }
}
