//! Makes strings of a format or a pattern.

use kube_codegen_formats::{self as formats, pattern};
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

use super::{LARGEST, both};
use crate::{node::Node, work};

/// Returns a string that a schema accepts; to be as long as the schema demands, it gets at most `room` bytes.
pub(super) fn string(schema: &Node, name: &str, room: usize) -> String {
    let format = schema.format.as_deref();
    let Some(pattern) = &schema.pattern else {
        let text = match examples(format) {
            [first, ..] => first,
            [] if name.to_lowercase().ends_with("url") => "https://example.com",
            [] => "example",
        };
        return fit(schema, text.to_owned(), room);
    };
    let simple = pattern.example(matching);
    let text = fit(schema, simple.to_owned(), room);
    // Pattern, format and bounds demand something each: of what one of them suggests, some may fulfil the others.
    let (least, most) = bounds(schema);
    let is_accepted = |text: &str| {
        let length = text.chars().count();
        (least.min(LARGEST.min(room))..=most).contains(&length)
            && format.is_none_or(|it| formats::check(it, text).unwrap_or(true))
            && pattern.is_match(text).unwrap_or_default()
    };
    if is_accepted(&text) {
        return text;
    }
    let whole = fit(schema, written(&pattern.source, true), room);
    if is_accepted(&whole) {
        return whole;
    }
    if let Some(found) = examples(format).iter().find(|text| is_accepted(text)) {
        return (*found).to_owned();
    }
    if schema.text.get().is_none() && !work::may_search() {
        return text;
    }
    let found = || both::find(&pattern.source, format, (least, most), &is_accepted);
    schema.text.get_or_init(found).clone().unwrap_or(text)
}

/// Returns texts of a format, the most usual first.
fn examples(format: Option<&str>) -> &'static [&'static str] {
    let Some(format) = format else {
        return &[];
    };
    match format.replace('-', "").as_str() {
        "datetime" => &[
            "2030-01-01T00:00:00Z",
            "2030-01-01T00:00:00.000Z",
            "2030-01-01T00:00:00+00:00",
        ],
        "date" => &["2030-01-01"],
        "duration" => &[
            "1h", "30s", "5m", "1h0m0s", "1m30s", "100ms", "1d", "1h30m", "10s", "1.5h", "10us",
        ],
        "uri" => &[
            "https://example.com",
            "http://example.com",
            "https://example.com/",
            "https://example.com/path",
            "https://example.com:443",
            "http://example.com:80",
            "https://example.com/path.git",
            "ssh://git@example.com/path",
            "oci://example.com/path",
            "s3://example/path",
            "tcp://example.com:80",
        ],
        "email" => &["user@example.com"],
        "hostname" => &["example.com", "example", "www.example.com"],
        "ipv4" => &["192.0.2.1", "10.0.0.1", "127.0.0.1", "192.168.0.1"],
        "ipv6" => &["2001:db8::1", "2001:db8:0:0:0:0:0:1", "::1", "fd00::1"],
        "cidr" => &["192.0.2.0/24", "10.0.0.0/16", "10.0.0.0/8", "2001:db8::/32"],
        "mac" => &[
            "00:00:5e:00:53:01",
            "00-00-5e-00-53-01",
            "00:00:5E:00:53:01",
        ],
        "uuid" | "uuid4" => &[
            "6f4fd6c6-2d4b-4f5b-9f4f-0123456789ab",
            "6F4FD6C6-2D4B-4F5B-9F4F-0123456789AB",
        ],
        "uuid3" => &["6f4fd6c6-2d4b-3f5b-9f4f-0123456789ab"],
        "uuid5" => &["6f4fd6c6-2d4b-5f5b-9f4f-0123456789ab"],
        "isbn" | "isbn10" => &["0321751043"],
        "isbn13" => &["9780321751041"],
        "creditcard" => &["4111111111111111"],
        "ssn" => &["123-45-6789"],
        "hexcolor" => &["#00ff00", "#00FF00", "#0f0"],
        "rgbcolor" => &["rgb(0,255,0)"],
        "byte" => &["ZXhhbXBsZQ=="],
        "bsonobjectid" => &["507f1f77bcf86cd799439011"],
        _ => &[],
    }
}

/// Returns how long a text is at least and at most.
fn bounds(schema: &Node) -> (usize, usize) {
    let size = |bound: Option<i64>, or: usize| {
        bound.map_or(or, |bound| usize::try_from(bound).unwrap_or_default())
    };
    (
        size(schema.min_length, 0),
        size(schema.max_length, usize::MAX),
    )
}

/// Repeats or cuts a text to the length that a schema accepts.
fn fit(schema: &Node, mut text: String, room: usize) -> String {
    let (least, most) = bounds(schema);
    let end = text.chars().last().unwrap_or('a');
    let least = least.min(LARGEST.min(room));
    let missing = least.saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n(end, missing));
    if text.chars().count() > most {
        text = text.chars().take(most).collect();
    }
    text
}

/// Returns a text that matches a pattern, as short as it is simple: each repetition at least once, where that is permitted.
pub(super) fn matching(source: &str) -> String {
    written(source, false)
}

/// Returns a text that matches a pattern; `is_whole`: with what is optional.
fn written(source: &str, is_whole: bool) -> String {
    let mut text = String::new();
    if let Ok(pattern) = pattern::translate(source)
        && let Ok(hir) = regex_syntax::parse(&pattern)
    {
        write(&hir, is_whole, &mut text);
    }
    text
}

fn write(hir: &Hir, is_whole: bool, text: &mut String) {
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
            let least = if most == 1 && !is_whole {
                repetition.min
            } else {
                repetition.min.max(1)
            };
            for _ in 0..least.min(most) {
                let size = text.len();
                write(&repetition.sub, is_whole, text);
                if text.len() == size || size > LARGEST {
                    break;
                }
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, is_whole, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, is_whole, text)),
        HirKind::Alternation(parts) => {
            // An empty alternative is not worth showing.
            let mut parts = parts.iter();
            let first = parts
                .clone()
                .find(|part| part.properties().minimum_len() > Some(0));
            if let Some(part) = first.or_else(|| parts.next()) {
                write(part, is_whole, text);
            }
        }
        HirKind::Empty | HirKind::Look(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Extent, Schema};

    #[test]
    fn a_text_has_a_pattern_a_format_and_a_length() {
        for (format, pattern) in [
            ("email", r"@example\.org$"),
            ("email", "^.{30,}$"),
            ("ipv4", r"\.255$"),
            ("ipv6", "^fd"),
            ("cidr", r"^10\.1\..*/2[0-9]$"),
            ("mac", "^02:"),
            ("mac", "^A[0-9A-F-]+$"),
            ("uuid", "^0000"),
            ("uuid4", "^f.*f$"),
            ("date", "^2030-12-"),
            ("date", "-31$"),
            ("date-time", r"\+01:00$"),
            ("date-time", r"^1999.*\.[0-9]{3}Z$"),
            ("duration", "^-"),
            ("duration", "^[0-9]{3}m$"),
            ("uri", r"^oci://.+\.git$"),
            ("hexcolor", "^#f"),
            ("rgbcolor", r"^rgb\(255"),
            ("isbn10", "X$"),
            ("isbn13", "^979"),
            ("creditcard", "^4"),
            ("ssn", "^123"),
            ("bsonobjectid", "^f"),
            ("byte", "^[A-Za-z0-9+/]{8}$"),
            ("k8s-short-name", "^a-.*-z$"),
            ("k8s-long-name", r"\.io$"),
            ("hostname", "^db[0-9]+-"),
            ("unknown", r"^a|b$"),
        ] {
            for bounds in [json!({}), json!({"minLength": 3, "maxLength": 60})] {
                let mut text = bounds;
                text["type"] = "string".into();
                text["format"] = format.into();
                text["pattern"] = pattern.into();
                let schema =
                    json!({"type": "object", "required": ["a"], "properties": {"a": text}});
                let schema = Schema::new(&schema).unwrap();
                let object =
                    json!({"apiVersion": "e.com/v1", "kind": "A", "metadata": {"name": "a"}});
                let (sample, causes) = schema.sample(Extent::Minimal, &object);
                assert!(
                    causes.is_empty(),
                    "{format}, {pattern}: {}, {causes:?}",
                    sample["a"]
                );
            }
        }
    }

    #[test]
    fn the_length_of_a_text_keeps_its_pattern() {
        for (pattern, least) in [
            ("^[a-z]+-x$", 12),
            ("^(ab)+$", 7),
            (r"^\p{L}+(\.[a-z]{2})*$", 9),
            ("^[a-z]{3}x$", 4),
        ] {
            let text = json!({"type": "string", "pattern": pattern, "minLength": least, "maxLength": least + 1});
            let schema = json!({"type": "object", "required": ["a"], "properties": {"a": text}});
            let schema = Schema::new(&schema).unwrap();
            let (sample, causes) =
                schema.sample(Extent::Minimal, &json!({"metadata": {"name": "a"}}));
            assert!(causes.is_empty(), "{pattern}: {}, {causes:?}", sample["a"]);
        }
    }

    #[test]
    fn an_example_is_preferred_to_other_values_of_an_enum() {
        for (example, expected) in [("b", "b"), ("c", "a")] {
            let text = json!({"type": "string", "enum": ["a", "b"], "example": example});
            let schema = json!({"type": "object", "required": ["a"], "properties": {"a": text}});
            let schema = Schema::new(&schema).unwrap();
            let (sample, _) = schema.sample(Extent::Minimal, &json!({"metadata": {"name": "a"}}));
            assert_eq!(sample["a"], expected);
        }
    }
}
