//! Reads `spec.names` with the API server's checks and defaults.
use super::Names;
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

/// Reads `spec.names`; none if a required name is missing or invalid.
pub(super) fn read(
    reader: &mut Reader<'_>,
    spec: &Map<String, Value>,
    at: &At<'_>,
) -> Option<Names> {
    let at = at.key("names");
    let Some(names) = entry(spec, "names") else {
        reader
            .missing(&at, "`spec.names`")
            .hint("for example {plural: foos, kind: Foo}; names are never inferred");
        return None;
    };
    let map = reader.object(names, &at)?;
    reader.unknown_fields(map, NAMES, &at);
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
            .hint(format!("remove listKind: it defaults to `{kind}List`"));
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

/// Reads a name; to the API server, an empty one is absent.
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
    let valid = if key == "kind" || key == "listKind" {
        label(reader, key, name, &name.to_ascii_lowercase(), &at)
    } else {
        label(reader, key, name, name, &at)
    };
    valid.then(|| name.to_owned())
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

/// Checks that a name is a DNS label (RFC 1035); `checked` is its form in lower case, where that is what counts.
fn label(reader: &mut Reader<'_>, what: &str, name: &str, checked: &str, at: &At<'_>) -> bool {
    let valid = is_label(checked);
    if !valid {
        let letters = if name == checked {
            "lower-case letters"
        } else {
            "letters"
        };
        reader
            .report(
                Code::InvalidName,
                at,
                format!("{what} {name:?} is not a valid name"),
            )
            .hint(format!(
                "use at most 63 {letters}, digits and `-`; begin with a letter and do not end with `-`"
            ));
    }
    valid
}

/// Checks that a name is a DNS subdomain (RFC 1123).
pub(super) fn subdomain(reader: &mut Reader<'_>, what: &str, name: &str, at: &At<'_>) -> bool {
    let valid = is_subdomain(name);
    if !valid {
        reader
            .report(
                Code::InvalidName,
                at,
                format!("{what} {name:?} is not a valid name"),
            )
            .hint("use lower-case letters, digits, `-` and dots, at most 253 characters");
    }
    valid
}

/// Whether a name is a DNS label (RFC 1035).
pub(super) fn is_label(name: &str) -> bool {
    name.len() <= 63
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.ends_with('-')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Whether a name is a DNS subdomain (RFC 1123).
pub(super) fn is_subdomain(name: &str) -> bool {
    let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= 253
        && name.split('.').all(|part| {
            let bytes = part.as_bytes();
            bytes.first().is_some_and(|byte| alphanumeric(*byte))
                && bytes.last().is_some_and(|byte| alphanumeric(*byte))
                && bytes
                    .iter()
                    .all(|byte| alphanumeric(*byte) || *byte == b'-')
        })
}
