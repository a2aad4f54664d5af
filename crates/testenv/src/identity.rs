//! Creates the certificates, keys and tokens of one control plane.

use std::fmt::Write as _;

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::error::Error;

/// The credentials of a server and its clients; in PEM unless the name says `der`.
pub(crate) struct Identity {
    pub(crate) ca_pem: String,
    pub(crate) ca_der: Vec<u8>,
    pub(crate) server_certificate: Certificate,
    pub(crate) server_key: KeyPair,
    /// Signs the tokens of service accounts.
    pub(crate) account_key: String,
    pub(crate) account_public_key: String,
    /// The token of `admin` in `system:masters`.
    pub(crate) token: String,
}

impl Identity {
    pub(crate) fn new() -> Result<Self, Error> {
        let mut ca = CertificateParams::default();
        ca.distinguished_name
            .push(DnType::CommonName, "kube-codegen-testenv");
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        ca.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        let ca = CertifiedIssuer::self_signed(ca, KeyPair::generate()?)?;

        // Pods use the last three names.
        let names = [
            "127.0.0.1",
            "localhost",
            "10.0.0.1",
            "kubernetes.default",
            "kubernetes.default.svc",
        ];
        let mut server = CertificateParams::new(names.map(str::to_owned))?;
        server
            .distinguished_name
            .push(DnType::CommonName, "kube-apiserver");
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let server_key = KeyPair::generate()?;
        let server_certificate = server.signed_by(&server_key, &ca)?;

        let account = KeyPair::generate()?;
        Ok(Self {
            ca_pem: ca.pem(),
            ca_der: ca.der().to_vec(),
            server_certificate,
            server_key,
            account_key: account.serialize_pem(),
            account_public_key: account.public_key_pem(),
            token: random_token()?,
        })
    }
}

/// Returns 128 random bits in hexadecimal.
fn random_token() -> Result<String, Error> {
    let mut bytes = [0; 16];
    let unavailable = |_| Error::io("random numbers")(std::io::ErrorKind::Unsupported.into());
    SystemRandom::new().fill(&mut bytes).map_err(unavailable)?;
    Ok(hex(&bytes))
}

/// Returns two lower-case digits for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
