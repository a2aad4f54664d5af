//! Makes strings of a format or a pattern.

use kube_codegen_formats::pattern;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

use super::LARGEST;
use crate::node::Node;

/// Returns a string that a schema accepts.
pub(super) fn string(schema: &Node, name: &str) -> String {
    let format = schema
        .format
        .as_deref()
        .map(|format| format.replace('-', ""));
    let text = match (&schema.pattern, format.as_deref()) {
        (Some(pattern), _) => return fit(schema, pattern.example(matching).to_owned()),
        (_, Some("datetime")) => "2030-01-01T00:00:00Z",
        (_, Some("date")) => "2030-01-01",
        (_, Some("duration")) => "1h",
        (_, Some("uri")) => "https://example.com",
        (_, Some("email")) => "user@example.com",
        (_, Some("hostname")) => "example.com",
        (_, Some("ipv4")) => "192.0.2.1",
        (_, Some("ipv6")) => "2001:db8::1",
        (_, Some("cidr")) => "192.0.2.0/24",
        (_, Some("mac")) => "00:00:5e:00:53:01",
        (_, Some("uuid" | "uuid4")) => "6f4fd6c6-2d4b-4f5b-9f4f-0123456789ab",
        (_, Some("uuid3")) => "6f4fd6c6-2d4b-3f5b-9f4f-0123456789ab",
        (_, Some("uuid5")) => "6f4fd6c6-2d4b-5f5b-9f4f-0123456789ab",
        (_, Some("isbn" | "isbn10")) => "0321751043",
        (_, Some("isbn13")) => "9780321751041",
        (_, Some("creditcard")) => "4111111111111111",
        (_, Some("ssn")) => "123-45-6789",
        (_, Some("hexcolor")) => "#00ff00",
        (_, Some("rgbcolor")) => "rgb(0,255,0)",
        (_, Some("byte")) => "ZXhhbXBsZQ==",
        (_, Some("bsonobjectid")) => "507f1f77bcf86cd799439011",
        _ if name.to_lowercase().ends_with("url") => "https://example.com",
        _ => "example",
    };
    fit(schema, text.to_owned())
}

/// Repeats or cuts a text to the length that a schema accepts.
fn fit(schema: &Node, mut text: String) -> String {
    let size = |bound: Option<i64>, or: usize| {
        bound.map_or(or, |bound| usize::try_from(bound).unwrap_or_default())
    };
    let end = text.chars().last().unwrap_or('a');
    let least = size(schema.min_length, 0).min(LARGEST);
    let missing = least.saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n(end, missing));
    let most = size(schema.max_length, usize::MAX);
    if text.chars().count() > most {
        text = text.chars().take(most).collect();
    }
    text
}

/// Returns a text that matches a pattern, as short as it is simple: each repetition at least once, where that is permitted.
pub(super) fn matching(source: &str) -> String {
    let mut text = String::new();
    if let Ok(pattern) = pattern::translate(source)
        && let Ok(hir) = regex_syntax::parse(&pattern)
    {
        write(&hir, &mut text);
    }
    text
}

fn write(hir: &Hir, text: &mut String) {
    match hir.kind() {
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = || class.ranges().iter();
            let has = |letter: char| ranges().any(|it| it.start() <= letter && letter <= it.end());
            let letter = ['a', 'A', '0', '-'].into_iter().find(|letter| has(*letter));
            text.extend(letter.or_else(|| ranges().next().map(ClassUnicodeRange::start)));
        }
        HirKind::Class(Class::Bytes(class)) => {
            text.extend(
                class
                    .ranges()
                    .first()
                    .map(|range| char::from(range.start())),
            );
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            // What is optional may be left out.
            let least = if most == 1 {
                repetition.min
            } else {
                repetition.min.max(1)
            };
            for _ in 0..least.min(most) {
                let size = text.len();
                write(&repetition.sub, text);
                if text.len() == size || size > LARGEST {
                    break;
                }
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, text)),
        HirKind::Alternation(parts) => {
            // An empty alternative is not worth showing.
            let mut parts = parts.iter();
            let first = parts
                .clone()
                .find(|part| part.properties().minimum_len() > Some(0));
            if let Some(part) = first.or_else(|| parts.next()) {
                write(part, text);
            }
        }
        HirKind::Empty | HirKind::Look(_) => {}
    }
}
