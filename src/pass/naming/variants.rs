//! Variants get the upper camel case of their values; symbols are spelled where nothing else is left.
use super::taken::Taken;
use super::{idents, words};
use crate::ir::{Enum, EnumBase, Ty, Union};

pub(super) fn name(body: &mut Enum) {
    let mut taken = Taken::default();
    let mut order: Vec<usize> = (0..body.variants.len()).collect();
    // The spelling that is Rust's own already keeps its name.
    order.sort_by_key(|index| {
        let value = &body.variants[*index].text();
        // A number keeps its name before the text of the same digits.
        let quoted = body.base == EnumBase::Mixed && body.variants[*index].value.is_string();
        (plain(value) != *value, quoted, index_key(value))
    });
    for index in order {
        let value = body.variants[index].text().into_owned();
        let plain = plain(&value);
        let spelled = idents::upper(&words::camel(&words::spelled(&value)), "V");
        let candidates = [
            plain.clone(),
            if body.base == EnumBase::Mixed && body.variants[index].value.is_string() {
                format!("Text{}", words::camel(&words::spelled(&value)))
            } else if words::words(&value) == words::spelled(&value) {
                plain.clone() + case(&value)
            } else {
                spelled
            },
        ];
        body.variants[index].ident = taken.first(candidates.iter().map(String::as_str));
    }
    body.other_ident = taken.first(["Other", "Unknown", "Unrecognized"]);
}

/// The variants of a union are named for the kinds of JSON that they take.
pub(super) fn name_arms(body: &mut Union) {
    for arm in &mut body.arms {
        let name = match &arm.ty {
            Ty::Bool => "Boolean",
            Ty::Int(_) => "Integer",
            Ty::Number => "Number",
            Ty::List(_) => "List",
            Ty::Map(_) => "Map",
            Ty::Str
            | Ty::Bytes
            | Ty::Time
            | Ty::IntOrString
            | Ty::Json
            | Ty::ObjectMeta
            | Ty::Nullable(_)
            | Ty::Named(_)
            | Ty::External(_) => "Text",
        };
        name.clone_into(&mut arm.ident);
    }
    "Other".clone_into(&mut body.other_ident);
}

fn plain(value: &str) -> String {
    if value.is_empty() {
        return "Empty".to_owned();
    }
    let mut words = words::words(value);
    // The sign of a number is all there is to tell it by.
    let signed = value.starts_with('-') && value[1..].starts_with(|c: char| c.is_ascii_digit());
    if words.is_empty() || signed {
        words = words::spelled(value);
    }
    idents::upper(&words::camel(&words), "V")
}

/// What tells two values apart that differ in case only.
fn case(value: &str) -> &'static str {
    if !value.contains(|c: char| c.is_ascii_uppercase()) {
        "Lowercase"
    } else if !value.contains(|c: char| c.is_ascii_lowercase()) {
        "Uppercase"
    } else {
        "MixedCase"
    }
}

/// A fixed order that does not depend on where a value stands in the schema.
fn index_key(value: &str) -> (usize, String) {
    let separators = value.chars().filter(|c| !c.is_ascii_alphanumeric()).count();
    (separators, value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Variant;
    use serde_json::json;

    fn named(values: &[&str]) -> String {
        let mut body = Enum {
            variants: values
                .iter()
                .map(|value| Variant {
                    value: (*value).into(),
                    ident: String::new(),
                })
                .collect(),
            ..Enum::default()
        };
        name(&mut body);
        let mut all: Vec<_> = body.variants.into_iter().map(|it| it.ident).collect();
        all.push(body.other_ident);
        all.join(" ")
    }

    #[test]
    fn readable_names() {
        assert_eq!(named(&["Always", "never"]), "Always Never Other");
        assert_eq!(named(&["", "-", "1.2"]), "Empty Minus V1_2 Other");
        assert_eq!(named(&["TCP", "http2", "IPv4"]), "Tcp Http2 Ipv4 Other");
        assert_eq!(named(&["-1", "1"]), "Minus1 V1 Other");
        assert_eq!(named(&["Self", "Other"]), "SelfValue Other Unknown");
        assert_eq!(
            named(&[">", ">=", "!="]),
            "Greater GreaterEqual NotEqual Other"
        );
    }

    #[test]
    fn types_tell_apart() {
        let mut body = Enum {
            base: EnumBase::Mixed,
            variants: [json!("1"), json!(1), json!("true"), json!(true)]
                .into_iter()
                .map(|value| Variant {
                    value,
                    ident: String::new(),
                })
                .collect(),
            ..Enum::default()
        };
        name(&mut body);
        let names: Vec<_> = body.variants.iter().map(|it| it.ident.as_str()).collect();
        assert_eq!(names, ["Text1", "V1", "TextTrue", "True"]);
    }

    #[test]
    fn case_tells_apart() {
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
