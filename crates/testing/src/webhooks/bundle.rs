//! Reads the certificates of a `caBundle`, as far as the server does before it calls a webhook.

use k8s_openapi::ByteString;
use rustls_pki_types::pem::{PemObject as _, SectionKind};
use serde_json::Value;

use crate::values::object::{at, text};

/// Returns why a bundle cannot be used, if it has anything.
pub(crate) fn flaw(bundle: &Value) -> Option<&'static str> {
    let bytes = serde_json::from_value::<ByteString>(bundle.clone()).unwrap_or_default();
    if bytes.0.is_empty() {
        return None;
    }
    let blocks = <(SectionKind, Vec<u8>)>::pem_slice_iter(&bytes.0);
    let blocks: Vec<_> = blocks.filter_map(Result::ok).collect();
    let is_usable =
        |(kind, der): &(_, Vec<u8>)| *kind == SectionKind::Certificate && is_certificate(der);
    if blocks.is_empty() {
        Some("unable to parse bytes as PEM block")
    } else if blocks.iter().any(is_usable) {
        None
    } else {
        Some("failed to parse certificate: x509: malformed certificate")
    }
}

#[cfg(feature = "tls")]
fn is_certificate(der: &[u8]) -> bool {
    x509_parser::parse_x509_certificate(der).is_ok_and(|(rest, _)| rest.is_empty())
}

/// Without TLS, no webhook is called that has a certificate.
#[cfg(not(feature = "tls"))]
fn is_certificate(_der: &[u8]) -> bool {
    true
}

/// Returns the `caBundle` of a conversion webhook that cannot be used, and why.
pub(crate) fn conversion_flaw(crd: &Value) -> Option<(&Value, &'static str)> {
    let bundle = at(crd, "/spec/conversion/webhook/clientConfig/caBundle");
    let has_webhook = text(crd, "/spec/conversion/strategy") == "Webhook";
    let why = has_webhook.then(|| flaw(bundle)).flatten()?;
    Some((bundle, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(bundle: &str) -> Option<&'static str> {
        flaw(&bundle.into())
    }

    fn encoded(pem: &str) -> String {
        let text = serde_json::to_value(ByteString(pem.into())).unwrap_or_default();
        text.as_str().unwrap_or_default().to_owned()
    }

    fn block(name: &str, body: &str) -> String {
        encoded(&format!(
            "text\n-----BEGIN {name}-----\n{body}\n-----END {name}-----\n"
        ))
    }

    const MALFORMED: Option<&str> =
        Some("failed to parse certificate: x509: malformed certificate");

    #[test]
    fn a_bundle_has_pem_blocks() {
        let none = Some("unable to parse bytes as PEM block");
        assert_eq!(why(""), None);
        assert_eq!(why("Cg=="), none);
        assert_eq!(
            why(&encoded("-----BEGIN CERTIFICATE-----\nMAIwAA==\n")),
            none
        );
        assert_eq!(why(&block("CERTIFICATE", "~")), none);
        assert_eq!(why(&block("PRIVATE KEY", "MAIwAA==")), MALFORMED);
    }

    #[cfg(feature = "tls")]
    #[test]
    fn a_block_of_a_bundle_is_a_certificate() -> Result<(), rcgen::Error> {
        let certified = rcgen::generate_simple_self_signed(["example.com".to_owned()])?;
        let pem = certified.cert.pem();
        assert_eq!(why(&encoded(&pem)), None);
        assert_eq!(why(&encoded(&format!("# ours\r\n{pem}\r\n"))), None);
        let key = certified.signing_key.serialize_pem();
        assert_eq!(why(&encoded(&key)), MALFORMED);
        assert_eq!(why(&encoded(&format!("{key}{pem}"))), None);
        assert_eq!(why(&block("CERTIFICATE", "MAIwAA==")), MALFORMED);
        Ok(())
    }
}
