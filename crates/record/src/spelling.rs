//! Numbers where a Rust type has room for text alone come in, text that stands for them goes out, and back: nothing of a document is lost.
//!
//! A quantity may be a bare number (`cpu: 1`), which the API server keeps, but `Quantity` holds text; the integers of an int-or-string
//! have 64 bits there, and 32 in `IntOrString`. Such a number is held as its text with **one zero more** before its digits:
//! `1` as `01`, `-1` as `-01`, `0.5` as `00.5`, `0` as `00`. For whoever parses it, it has the same worth. A text of the document that
//! looks like that has one zero more, too, so that each value of a document has a text of its own, and each is written as it was read.
use super::Literal;

/// The text that stands for a number.
pub(super) fn of_number(number: &str) -> String {
    let digits = number.trim_start_matches('-');
    let sign = &number[..number.len() - digits.len()];
    format!("{sign}0{digits}")
}

/// The text that stands for a text.
pub(super) fn of_text(text: String) -> String {
    if has_zero(&text) {
        of_number(&text)
    } else {
        text
    }
}

/// What a text stands for: a number, or a text.
pub(super) fn meant(text: &str) -> Literal<'_> {
    if !has_zero(text) {
        return Literal::Str(text);
    }
    let plain = text.replacen('0', "", 1);
    number(&plain).unwrap_or(Literal::String(plain))
}

/// The digits of a number, as JSON has them; `None` for what is no number.
pub(super) fn digits(literal: &Literal<'_>) -> Option<String> {
    match literal {
        Literal::Int(value) => Some(value.to_string()),
        Literal::UInt(value) => Some(value.to_string()),
        Literal::Float(value) => serde_json::Number::from_f64(*value).map(|it| it.to_string()),
        Literal::Null | Literal::Bool(_) | Literal::Str(_) | Literal::String(_) => None,
    }
}

/// Whether a zero that no JSON number has is before the digits: `^-?0[0-9]`.
fn has_zero(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    matches!(digits, [b'0', next, ..] if next.is_ascii_digit())
}

/// The number that a text is, spelled as JSON spells numbers.
fn number(text: &str) -> Option<Literal<'static>> {
    let is_number = text.ends_with(|c: char| c.is_ascii_digit())
        && serde_json::from_str::<serde_json::Number>(text).is_ok();
    if is_number {
        Literal::number(text)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a document has, as the field holds it.
    fn held(literal: &Literal<'_>) -> String {
        match digits(literal) {
            Some(digits) => of_number(&digits),
            None => of_text(literal.text().unwrap().to_owned()),
        }
    }

    #[test]
    fn numbers_have_a_zero_more() {
        for (number, text) in [
            (Literal::Int(1), "01"),
            (Literal::Int(-1), "-01"),
            (Literal::UInt(0), "00"),
            (Literal::UInt(u64::MAX), "018446744073709551615"),
            (Literal::Int(i64::MIN), "-09223372036854775808"),
            (Literal::Float(0.5), "00.5"),
            (Literal::Float(-0.5), "-00.5"),
            (Literal::Float(1000.0), "01000.0"),
            (Literal::Float(1e30), "01e+30"),
            (Literal::Float(-0.0), "-00.0"),
            (Literal::Float(5e-324), "05e-324"),
        ] {
            assert_eq!(held(&number), text);
            let back: serde_json::Value = meant(text).into();
            assert_eq!(back, serde_json::Value::from(number), "{text}");
        }
    }

    #[test]
    fn every_text_is_written_as_it_was_read() {
        // All texts of up to five of these letters: signs, zeros and digits at each place, and what ends or follows a number.
        let letters = ['0', '1', '-', '+', '.', 'e', 'm', ' '];
        let mut texts = vec![String::new()];
        let mut all = 0;
        for _ in 0..5 {
            texts = texts
                .iter()
                .flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}")))
                .collect();
            for text in &texts {
                let held = held(&Literal::String(text.clone()));
                assert_eq!(meant(&held).text(), Some(text.as_str()), "{text} as {held}");
                all += 1;
            }
        }
        assert_eq!(all, 8 + 64 + 512 + 4096 + 32768);
    }

    #[test]
    fn a_text_stays_as_it_is_unless_it_could_be_taken_for_a_number() {
        for text in [
            "", "0", "1", "-0", "-1", "0.5", "100m", "0x1", "-", "http", "1Gi",
        ] {
            assert_eq!(held(&Literal::String(text.into())), text);
        }
        for (text, with_zero) in [
            ("00", "000"),
            ("01", "001"),
            ("-05", "-005"),
            ("007m", "0007m"),
        ] {
            assert_eq!(held(&Literal::String(text.into())), with_zero);
        }
    }
}
