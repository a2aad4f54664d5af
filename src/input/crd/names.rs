//! Reads `spec.names` with the API server's defaults.
use super::Names;
use super::reader::{At, CrdReader, entry, text_of, texts};
use serde_json::{Map, Value};

/// Reads `spec.names`; none if a required name is missing.
pub(super) fn read(
    reader: &mut CrdReader<'_>,
    spec: &Map<String, Value>,
    at: &At<'_>,
) -> Option<Names> {
    let at = at.key("names");
    let Some(names) = entry(spec, "names") else {
        if let Some(finding) = reader.missing(&at, "`spec.names`") {
            finding.hint("for example {plural: foos, kind: Foo}; names are never inferred");
        }
        return None;
    };
    let map = names.as_object()?;
    let name = |key: &str| text_of(map, key);
    let (plural, kind) = (name("plural"), name("kind"));
    let (singular, list_kind) = (name("singular"), name("listKind"));
    let short_names = several(map, "shortNames");
    let categories = several(map, "categories");
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

fn several(map: &Map<String, Value>, key: &str) -> Vec<String> {
    map.get(key).map_or_else(Vec::new, texts)
}
