//! Which versions and cipher suites of TLS a server accepts, and who computes them.
use std::sync::Arc;

use tokio_rustls::rustls::{
    self, SupportedProtocolVersion,
    crypto::{CryptoProvider, ring},
    version::TLS13,
};

static NEWEST: &[&SupportedProtocolVersion] = &[&TLS13];

/// The TLS versions and cipher suites that a server accepts. The default is TLS 1.2 or later, and every suite of the crypto provider.
///
/// ```
/// use kube_codegen_runtime::server::{CipherSuite, Server, TlsPolicy, TlsVersion};
///
/// # fn example(client: kube::Client) {
/// let policy = TlsPolicy::new().min_version(TlsVersion::Tls13);
/// let server = Server::secure(":8443", &client).tls_policy(policy);
///
/// // TLS 1.3 keeps its suites unless one of them is named, as in Go.
/// let policy = TlsPolicy::new().cipher_suites([CipherSuite::EcdheEcdsaAes256GcmSha384]);
/// # }
/// ```
///
/// The provider is the one that your program [installed](CryptoProvider::install_default), or `ring` otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsPolicy {
    min_version: TlsVersion,
    cipher_suites: Vec<CipherSuite>,
}

/// A version of TLS. Older versions are broken, so they are missing here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum TlsVersion {
    /// TLS 1.2
    #[default]
    #[cfg_attr(feature = "cli", value(name = "VersionTLS12"))]
    Tls12,
    /// TLS 1.3
    #[cfg_attr(feature = "cli", value(name = "VersionTLS13"))]
    Tls13,
}

macro_rules! cipher_suites {
    ($($variant:ident $name:ident $rustls:ident $(, alias $alias:literal)?;)*) => {
        /// A cipher suite, with the name that IANA and Go use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        #[non_exhaustive]
        pub enum CipherSuite {
            $(
                #[doc = concat!("`", stringify!($name), "`")]
                #[cfg_attr(feature = "cli", value(name = stringify!($name), help = None::<&str> $(, alias = $alias)?))]
                $variant,
            )*
        }

        impl CipherSuite {
            /// All suites: those of TLS 1.3 first.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            fn id(self) -> rustls::CipherSuite {
                match self {
                    $(Self::$variant => rustls::CipherSuite::$rustls,)*
                }
            }
        }
    };
}

cipher_suites! {
    Aes128GcmSha256 TLS_AES_128_GCM_SHA256 TLS13_AES_128_GCM_SHA256;
    Aes256GcmSha384 TLS_AES_256_GCM_SHA384 TLS13_AES_256_GCM_SHA384;
    Chacha20Poly1305Sha256 TLS_CHACHA20_POLY1305_SHA256 TLS13_CHACHA20_POLY1305_SHA256;
    EcdheEcdsaAes128GcmSha256 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;
    EcdheEcdsaAes256GcmSha384 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384;
    EcdheEcdsaChacha20Poly1305Sha256 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
        TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, alias "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305";
    EcdheRsaAes128GcmSha256 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256;
    EcdheRsaAes256GcmSha384 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384;
    EcdheRsaChacha20Poly1305Sha256 TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
        TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, alias "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305";
}

impl TlsPolicy {
    /// Creates the default policy.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rejects older versions.
    #[must_use]
    pub fn min_version(mut self, version: TlsVersion) -> Self {
        self.min_version = version;
        self
    }

    /// Accepts only these suites. If none of them is a TLS 1.3 suite, all TLS 1.3 suites stay accepted. An empty list accepts all suites.
    #[must_use]
    pub fn cipher_suites(mut self, suites: impl IntoIterator<Item = CipherSuite>) -> Self {
        self.cipher_suites = suites.into_iter().collect();
        self
    }

    pub(super) fn versions(&self) -> &'static [&'static SupportedProtocolVersion] {
        match self.min_version {
            TlsVersion::Tls12 => rustls::ALL_VERSIONS,
            TlsVersion::Tls13 => NEWEST,
        }
    }

    /// Returns the provider with the accepted suites alone.
    pub(super) fn provider(&self) -> Arc<CryptoProvider> {
        let provider = provider();
        if self.cipher_suites.is_empty() {
            return provider;
        }
        let named: Vec<_> = self.cipher_suites.iter().map(|it| it.id()).collect();
        let is_named = |id| named.contains(&id);
        let mut provider = (*provider).clone();
        let is_newest = |suite: &rustls::SupportedCipherSuite| suite.version() == &TLS13;
        let names_newest = (provider.cipher_suites.iter())
            .any(|suite| is_newest(suite) && is_named(suite.suite()));
        provider
            .cipher_suites
            .retain(|suite| is_named(suite.suite()) || (is_newest(suite) && !names_newest));
        Arc::new(provider)
    }
}

/// Returns the provider that the program has installed, or else `ring`.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    let installed = CryptoProvider::get_default();
    installed.map_or_else(|| Arc::new(ring::default_provider()), Arc::clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of what is accepted, as Go writes them.
    fn accepted(suites: &[CipherSuite]) -> Vec<String> {
        let policy = TlsPolicy::new().cipher_suites(suites.iter().copied());
        let suites = policy.provider().cipher_suites.clone();
        let names = suites.iter().map(|it| format!("{:?}", it.suite()));
        names.map(|it| it.replace("TLS13_", "TLS_")).collect()
    }

    #[test]
    fn every_suite_of_the_provider_has_a_name() {
        let all = accepted(&[]);
        assert_eq!(accepted(CipherSuite::ALL), all);
        assert_eq!(all.len(), CipherSuite::ALL.len());
    }

    #[test]
    fn the_newest_version_keeps_its_suites_unless_one_is_named() {
        let old = CipherSuite::EcdheRsaAes256GcmSha384;
        let some = accepted(&[old]);
        assert_eq!(some.len(), 4, "{some:?}");
        assert!(some.contains(&"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384".to_owned()));
        let new = CipherSuite::Aes256GcmSha384;
        assert_eq!(accepted(&[new]), ["TLS_AES_256_GCM_SHA384"]);
    }
}
