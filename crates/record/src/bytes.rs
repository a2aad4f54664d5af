//! Base64: decoded as leniently as by the API server and Go, written in its canonical spelling.
use std::fmt;

use base64::{
    Engine,
    alphabet::STANDARD,
    display::Base64Display,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose},
};
use k8s_openapi::ByteString;

use crate::literal::{Literal, Misfit};

/// The API server checks only the number of letters and the padding, so it stores `aGl=` with meaningless last bits. An object older
/// than the format may lack the padding. Both are written in the canonical spelling.
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

/// Displays bytes.
pub(super) struct Base64<'a>(pub(super) &'a [u8]);

impl fmt::Display for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64Display::new(self.0, &general_purpose::STANDARD).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_base64_is_decoded() {
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
