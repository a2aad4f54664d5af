//! Base64 in, its bytes out: whatever spelling of it the API server lets pass, and what Go reads beside that.
use super::{Literal, Misfit};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use k8s_openapi::ByteString;

/// The API server counts letters and padding alone, so that `aGl=` is stored, whose last bits mean nothing; an object that is older than
/// the format may lack the padding. Both tell their bytes, which are written in the one canonical spelling.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(super) fn bytes(literal: &mut Literal<'_>) -> Result<ByteString, Misfit> {
    let text = literal.text().ok_or(Misfit::Type)?;
    let decoded = if text.contains(['\r', '\n']) {
        LENIENT.decode(text.replace(['\r', '\n'], ""))
    } else {
        LENIENT.decode(text)
    };
    decoded.map(ByteString).map_err(|_| Misfit::Value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_the_same_bytes() {
        for text in ["aGk=", "aGl=", "aGk", "aG\r\nk=\n"] {
            let read = bytes(&mut Literal::Str(text)).unwrap();
            assert_eq!(read.0, b"hi", "{text}");
        }
        assert_eq!(bytes(&mut Literal::Str("")).unwrap().0, b"");
        for text in ["!", "aGk=aGk=", "a", "_-8="] {
            assert_eq!(bytes(&mut Literal::Str(text)), Err(Misfit::Value), "{text}");
        }
        assert_eq!(bytes(&mut Literal::Int(1)), Err(Misfit::Type));
    }
}
