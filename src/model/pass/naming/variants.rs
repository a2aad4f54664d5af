//! Names variants by the upper camel case of their values; symbols are spelled out if nothing else is left.
use super::taken::Taken;
use super::{idents, words};
use crate::model::ir::{Enum, EnumBase, Ident};

pub(super) fn name(body: &mut Enum) {
    // The constant with all variants.
    let mut taken = Taken::reserve(&["ALL"]);
    let mut order: Vec<usize> = (0..body.variants.len()).collect();
    // A value that is already in upper camel case keeps its name.
    order.sort_by_key(|index| {
        let value = &body.variants[*index].text();
        // A number keeps its name before a string with the same digits.
        let quoted = body.base == EnumBase::Mixed && body.variants[*index].value.is_string();
        (plain(value).as_str() != value, quoted, distance(value))
    });
    for index in order {
        let value = body.variants[index].text().into_owned();
        let plain = plain(&value);
        let spelled = idents::upper(&words::camel(&words::spelled(&value)), "V");
        let candidates = [
            plain.clone(),
            if body.base == EnumBase::Mixed && body.variants[index].value.is_string() {
                Ident::new(format!("Text{}", words::camel(&words::spelled(&value))))
            } else if words::words(&value) == words::spelled(&value) {
                Ident::new(format!("{plain}{}", case(&value)))
            } else {
                spelled
            },
        ];
        body.variants[index].ident = Some(taken.first(candidates));
    }
    body.other = taken.first(["Other", "Unknown", "Unrecognized"].map(Ident::new));
}

fn plain(value: &str) -> Ident {
    if value.is_empty() {
        return Ident::new("Empty");
    }
    let mut words = words::words(value);
    // Without its sign, the name of a number would be that of another one.
    let signed = value.starts_with('-') && value[1..].starts_with(|c: char| c.is_ascii_digit());
    if words.is_empty() || signed {
        words = words::spelled(value);
    }
    idents::upper(&words::camel(&words), "V")
}

/// Returns a suffix for values that differ in case only.
fn case(value: &str) -> &'static str {
    if !value.contains(|c: char| c.is_ascii_uppercase()) {
        "Lowercase"
    } else if !value.contains(|c: char| c.is_ascii_lowercase()) {
        "Uppercase"
    } else {
        "MixedCase"
    }
}

/// Orders values independently of their order in the schema.
fn distance(value: &str) -> (usize, String) {
    let separators = value.chars().filter(|c| !c.is_ascii_alphanumeric()).count();
    (separators, value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ir::Variant;
    use serde_json::{Value, json};

    fn of<T: Into<Value>>(base: EnumBase, values: impl IntoIterator<Item = T>) -> String {
        let values = values.into_iter().map(|value| Variant {
            value: value.into(),
            ident: None,
        });
        let mut body = Enum {
            base,
            variants: values.collect(),
            other: Ident::new("Other"),
            default: None,
            constants: false,
        };
        name(&mut body);
        let names = body.variants.iter().map(Variant::ident);
        let names: Vec<&str> = names.chain([&body.other]).map(Ident::as_str).collect();
        names.join(" ")
    }

    fn named(values: &[&str]) -> String {
        of(EnumBase::Text, values.iter().copied())
    }

    #[test]
    fn readable_names() {
        assert_eq!(named(&["Always", "never"]), "Always Never Other");
        assert_eq!(named(&["", "-", "1.2"]), "Empty Minus V1_2 Other");
        assert_eq!(named(&["TCP", "http2", "IPv4"]), "Tcp Http2 Ipv4 Other");
        assert_eq!(named(&["-1", "1"]), "Minus1 V1 Other");
        assert_eq!(
            named(&["all", "A_L_L"]),
            "All AUnderscoreLUnderscoreL Other"
        );
        assert_eq!(named(&["Self", "Other"]), "SelfValue Other Unknown");
        assert_eq!(
            named(&[">", ">=", "!="]),
            "Greater GreaterEqual NotEqual Other"
        );
    }

    #[test]
    fn numbers_and_strings_have_different_names() {
        let values = [json!("1"), json!(1), json!("true"), json!(true)];
        assert_eq!(of(EnumBase::Mixed, values), "Text1 V1 TextTrue True Other");
    }

    #[test]
    fn values_that_differ_in_case_have_different_names() {
        assert_eq!(
            named(&["replace", "Replace"]),
            "ReplaceLowercase Replace Other"
        );
        assert_eq!(
            named(&["HTTP", "http", "Http"]),
            "HttpUppercase HttpLowercase Http Other"
        );
        assert_eq!(named(&["a-b", "aB"]), "AMinusB AB Other");
    }
}
