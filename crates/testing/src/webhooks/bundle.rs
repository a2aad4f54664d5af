//! Reads the certificates of a `caBundle`, as far as the server does before it calls a webhook.

use k8s_openapi::ByteString;
use serde_json::Value;

use crate::values::object::{at, text};

/// Returns why a bundle cannot be used, if it has anything.
pub(crate) fn flaw(bundle: &Value) -> Option<&'static str> {
    let bytes = serde_json::from_value::<ByteString>(bundle.clone()).unwrap_or_default();
    if bytes.0.is_empty() {
        return None;
    }
    match read(&String::from_utf8_lossy(&bytes.0)) {
        (0, _) => Some("unable to parse bytes as PEM block"),
        (_, false) => Some("failed to parse certificate: x509: malformed certificate"),
        (_, true) => None,
    }
}

/// Returns the `caBundle` of a conversion webhook that cannot be used, and why.
pub(crate) fn conversion_flaw(crd: &Value) -> Option<(&Value, &'static str)> {
    let bundle = at(crd, "/spec/conversion/webhook/clientConfig/caBundle");
    let has_webhook = text(crd, "/spec/conversion/strategy") == "Webhook";
    let why = has_webhook.then(|| flaw(bundle)).flatten()?;
    Some((bundle, why))
}

/// Returns how many PEM blocks there are, and whether one of them is a certificate.
fn read(pem: &str) -> (usize, bool) {
    let (mut blocks, mut has_certificate) = (0, false);
    let mut rest = pem;
    while let Some((_, begun)) = rest.split_once("-----BEGIN ") {
        let parts = begun.split_once("-----").and_then(|(name, body)| {
            let (body, after) = body.split_once(&format!("-----END {name}-----"))?;
            Some((name, body, after))
        });
        let Some((name, body, after)) = parts else {
            break;
        };
        let body: String = body.split_whitespace().collect();
        if let Ok(der) = serde_json::from_value::<ByteString>(body.into()) {
            blocks += 1;
            has_certificate |= name == "CERTIFICATE" && is_sequence(&der.0);
        }
        rest = after;
    }
    (blocks, has_certificate)
}

/// Returns whether bytes are one DER sequence, as a certificate is, of the length that it says.
fn is_sequence(der: &[u8]) -> bool {
    let (length, rest) = match der {
        [0x30, 0x82, high, low, rest @ ..] => {
            (usize::from(u16::from_be_bytes([*high, *low])), rest)
        }
        [0x30, 0x81, length, rest @ ..] | [0x30, length @ ..=0x7f, rest @ ..] => {
            (usize::from(*length), rest)
        }
        _ => return false,
    };
    length == rest.len() && matches!(rest, [0x30, ..])
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

    #[test]
    fn a_bundle_has_a_certificate() {
        let malformed = Some("failed to parse certificate: x509: malformed certificate");
        let none = Some("unable to parse bytes as PEM block");
        let block = |name: &str, body: &str| {
            encoded(&format!(
                "text\n-----BEGIN {name}-----\n{body}\n-----END {name}-----\n"
            ))
        };
        assert_eq!(why(""), None);
        assert_eq!(why("Cg=="), none);
        assert_eq!(
            why(&encoded("-----BEGIN CERTIFICATE-----\nMAIwAA==\n")),
            none
        );
        assert_eq!(why(&block("CERTIFICATE", "MAIwAA==")), None);
        assert_eq!(why(&block("CERTIFICATE", "MAMwAA==")), malformed);
        assert_eq!(why(&block("PRIVATE KEY", "MAIwAA==")), malformed);
        assert_eq!(why(&block("CERTIFICATE", "~")), none);
    }
}
