//! `spec.names` comes in, legal names with the API server's defaults go out: they become paths, identifiers and URLs.
use super::Names;
use super::envelope::unknown;
use super::reader::{At, Reader, entry};
use crate::diag::Code;
use serde_json::{Map, Value};

/// The fields of `spec.names`.
const NAMES: &[&str] = &[
    "categories",
    "kind",
    "listKind",
    "plural",
    "shortNames",
    "singular",
];

/// Reads `spec.names`; none if a name that is needed is missing or illegal.
pub(super) fn read(
    reader: &mut Reader<'_>,
    spec: &Map<String, Value>,
    at: &At<'_>,
) -> Option<Names> {
    let at = at.key("names");
    let Some(names) = entry(spec, "names") else {
        reader
            .missing(&at, "`spec.names`")
            .hint("as {plural: foos, kind: Foo}: they are never guessed");
        return None;
    };
    let map = reader.object(names, &at)?;
    unknown(reader, map, NAMES, &at);
    let plural = required(reader, map, "plural", &at);
    let kind = required(reader, map, "kind", &at);
    let singular = optional(reader, map, "singular", &at);
    let list_kind = optional(reader, map, "listKind", &at);
    let short_names = several(reader, map, "shortNames", &at);
    let categories = several(reader, map, "categories", &at);
    let (plural, kind) = (plural?, kind?);
    let list_kind = list_kind.unwrap_or_else(|| format!("{kind}List"));
    if list_kind == kind {
        reader
            .report(
                Code::InvalidName,
                &at.key("listKind"),
                format!("kind and listKind are both {kind:?}"),
            )
            .hint(format!("leave listKind out: it is `{kind}List` then"));
    }
    Some(Names {
        singular: singular.unwrap_or_else(|| kind.to_lowercase()),
        plural,
        kind,
        list_kind,
        short_names,
        categories,
    })
}

fn required(
    reader: &mut Reader<'_>,
    map: &Map<String, Value>,
    key: &str,
    at: &At<'_>,
) -> Option<String> {
    if entry(map, key).is_none_or(|value| value == "") {
        reader.missing(&at.key(key), &format!("`spec.names.{key}`"));
        return None;
    }
    optional(reader, map, key, at)
}

/// A name; the API server takes an empty one for absent.
fn optional(
    reader: &mut Reader<'_>,
    map: &Map<String, Value>,
    key: &str,
    at: &At<'_>,
) -> Option<String> {
    let at = at.key(key);
    let name = reader.text(entry(map, key)?, &at)?;
    if name.is_empty() {
        return None;
    }
    let legal = if key == "kind" || key == "listKind" {
        label(reader, key, name, &name.to_ascii_lowercase(), &at)
    } else {
        label(reader, key, name, name, &at)
    };
    legal.then(|| name.to_owned())
}

fn several(
    reader: &mut Reader<'_>,
    map: &Map<String, Value>,
    key: &str,
    at: &At<'_>,
) -> Vec<String> {
    let at = at.key(key);
    let Some(value) = entry(map, key) else {
        return Vec::new();
    };
    let names = reader.texts(value, &at);
    for (index, name) in names.iter().enumerate() {
        label(reader, key, name, name, &at.index(index));
    }
    names
}

/// Checks a version's name.
pub(super) fn version(reader: &mut Reader<'_>, name: &str, at: &At<'_>) -> bool {
    label(reader, "version", name, name, at)
}

/// Reports what is no DNS-1035 label (RFC 1035); `checked` is the name as it counts.
fn label(reader: &mut Reader<'_>, what: &str, name: &str, checked: &str, at: &At<'_>) -> bool {
    let legal = checked.len() <= 63
        && checked.starts_with(|first: char| first.is_ascii_lowercase())
        && !checked.ends_with('-')
        && checked
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !legal {
        let letters = if name == checked {
            "lower-case letters"
        } else {
            "letters"
        };
        reader
            .report(
                Code::InvalidName,
                at,
                format!("{what} {name:?} is no legal name"),
            )
            .hint(format!(
                "{letters}, digits and `-`, a letter first and no `-` last, at most 63 of them"
            ));
    }
    legal
}

/// Reports what is no DNS-1123 subdomain (RFC 1123).
pub(super) fn subdomain(reader: &mut Reader<'_>, what: &str, name: &str, at: &At<'_>) -> bool {
    let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let legal = name.len() <= 253
        && name.split('.').all(|part| {
            let bytes = part.as_bytes();
            bytes.first().is_some_and(|byte| alphanumeric(*byte))
                && bytes.last().is_some_and(|byte| alphanumeric(*byte))
                && bytes
                    .iter()
                    .all(|byte| alphanumeric(*byte) || *byte == b'-')
        });
    if !legal {
        reader
            .report(Code::InvalidName, at, format!("{what} {name:?} is no legal name"))
            .hint("parts of lower-case letters, digits and `-`, joined by dots, at most 253 characters");
    }
    legal
}
