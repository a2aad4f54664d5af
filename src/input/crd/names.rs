//! Reads `spec.names` with the API server's defaults.
use super::Names;
use super::reader::{At, Reader, entry};
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

/// Reads `spec.names`; none if a required name is missing.
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
    let mut name = |key: &str| reader.text_of(map, key, &at);
    let (plural, kind) = (name("plural"), name("kind"));
    let (singular, list_kind) = (name("singular"), name("listKind"));
    let short_names = several(reader, map, "shortNames", &at);
    let categories = several(reader, map, "categories", &at);
    let (plural, kind) = (plural?, kind?);
    Some(Names {
        singular: singular.unwrap_or_else(|| kind.to_lowercase()),
        plural,
        list_kind: list_kind.unwrap_or_else(|| format!("{kind}List")),
        kind,
        short_names,
        categories,
    })
}

fn several(
    reader: &mut Reader<'_>,
    map: &Map<String, Value>,
    key: &str,
    at: &At<'_>,
) -> Vec<String> {
    let at = at.key(key);
    entry(map, key).map_or_else(Vec::new, |value| reader.texts(value, &at))
}
