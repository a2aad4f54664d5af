//! A CA and serving certificates that the operator makes, keeps in a Secret and renews.
mod issue;
mod keep;
mod secret;

use std::time::Duration;

use thiserror::Error;

pub(super) use self::{
    issue::{Material, Periods},
    keep::{Keeper, Loaded},
};

/// The settings for [the operator's own certificates](super::Certificates::Own).
///
/// All replicas share the Secret. A new CA is first added to every `caBundle`. It issues the serving certificate only after the
/// `propagation` time, when all API servers trust it. The old CA stays in `caBundle` until all replicas use the new certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct OwnCertificates {
    pub(super) secret: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) periods: Periods,
}

impl OwnCertificates {
    /// Creates the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the Secret. The default is `OPERATOR-webhook-cert`.
    pub fn secret(mut self, name: impl Into<String>) -> Self {
        self.secret = Some(name.into());
        self
    }

    /// Sets the namespace of the Secret. The default is the client's namespace, which is the Pod's.
    pub fn namespace(mut self, name: impl Into<String>) -> Self {
        self.namespace = Some(name.into());
        self
    }

    /// Sets how long CAs and certificates are valid. The defaults are 365 and 90 days. Each is renewed after two thirds of its validity.
    pub fn validity(mut self, authority: Duration, certificate: Duration) -> Self {
        self.periods.authority = authority;
        self.periods.certificate = certificate;
        self
    }

    /// Sets how long to wait until a new CA or certificate has reached all API servers and replicas. The default is 5 minutes. The Secret
    /// and each `caBundle` are checked five times in this period.
    pub fn propagation(mut self, period: Duration) -> Self {
        self.periods.propagation = period;
        self
    }
}

/// The reason why certificates cannot be created or maintained.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// The Secret cannot be read or written.
    #[error("cannot {action} the Secret {namespace}/{name}")]
    Secret {
        /// `read` or `write`.
        action: &'static str,
        /// The namespace of the Secret.
        namespace: String,
        /// The name of the Secret.
        name: String,
        /// The error from the API server.
        source: Box<kube::Error>,
    },
    /// The Secret exists, but its type is not `kubernetes.io/tls`.
    #[error(
        "the Secret {namespace}/{name} has the type {type_} and not kubernetes.io/tls: OwnCertificates::secret sets another name"
    )]
    Foreign {
        /// The namespace of the Secret.
        namespace: String,
        /// The name of the Secret.
        name: String,
        /// The type of the Secret.
        type_: String,
    },
    /// Other replicas kept writing the Secret at the same time.
    #[error("cannot write the Secret {0}: other replicas keep changing it")]
    Contended(String),
    /// A certificate cannot be created.
    #[error("cannot make a certificate: {0}")]
    Issue(String),
    /// A configuration or CRD cannot be read or written.
    #[error("cannot write caBundle of {object}")]
    Publish {
        /// The kind and name of the object.
        object: String,
        /// The error from the API server.
        source: Box<kube::Error>,
    },
    /// A configuration or CRD does not exist, or lacks the part that `caBundle` belongs to.
    #[error("cannot write caBundle of {object}: {reason}")]
    NoTarget {
        /// The kind and name of the object.
        object: String,
        /// The missing part.
        reason: &'static str,
    },
}
