//! Finds the CRDs of a document: the document itself, or the items of a list.
use super::reader::{At, Reader};
use super::{Crd, definition, legacy};
use crate::base::diag::{Code, Diagnostics, Place, pointer};
use crate::base::source::{Source, SourceId};
use crate::input::yaml::{Document, Lines};
use serde_json::{Map, Value};

/// API group and kind of a CRD.
const GROUP: &str = "apiextensions.k8s.io/";
const KIND: &str = "CustomResourceDefinition";

pub(super) fn read(
    document: Document,
    id: SourceId,
    source: &Source,
    diagnostics: &mut Diagnostics,
) -> Vec<Crd> {
    let mut place = Place {
        source: Some(id),
        document: document.index,
        ..Place::default()
    };
    let mut crds = Vec::new();
    let mut found = false;
    manifest(
        document.root.into_value(),
        &place,
        diagnostics,
        &mut |value, place, diagnostics| {
            found = true;
            crds.extend(definition(value, place, diagnostics));
        },
    );
    if let [crd] = crds.as_slice() {
        place.crd = Some(crd.name.clone());
    }
    if found && !document.spellings.is_empty() {
        let lines = Lines::new(&source.text);
        for spelling in document.spellings {
            spelling.report(&lines, &place, diagnostics);
        }
    }
    crds
}

/// Calls `visit` with every CRD.
fn manifest(
    value: Value,
    place: &Place,
    diagnostics: &mut Diagnostics,
    visit: &mut dyn FnMut(Value, &Place, &mut Diagnostics),
) {
    let mut reader = Reader::new(place.clone(), diagnostics);
    let Some(map) = reader.object(&value, &At::default()) else {
        return;
    };
    let (api_version, kind) = (text(map, "apiVersion"), text(map, "kind"));
    match kind {
        Some(KIND) => visit(value, place, diagnostics),
        Some("List" | "CustomResourceDefinitionList") => {
            let inherited = (kind != Some("List")).then(|| api_version.map(str::to_owned));
            list(
                value,
                inherited.flatten().as_deref(),
                place,
                diagnostics,
                visit,
            );
        }
        _ => {
            let what = match kind {
                Some(kind) => format!("not a CRD but a {}:", kind.escape_debug()),
                None => "a document without `kind` is".to_owned(),
            };
            reader
                .report(Code::OtherKind, &At::default(), format!("{what} skipped"))
                .place
                .pointer
                .push_str("/kind");
        }
    }
}

/// Visits the items of a list; those of a typed list may omit their version and kind.
fn list(
    value: Value,
    inherited: Option<&str>,
    place: &Place,
    diagnostics: &mut Diagnostics,
    visit: &mut dyn FnMut(Value, &Place, &mut Diagnostics),
) {
    let Value::Object(mut map) = value else {
        return;
    };
    let items = map.remove("items").unwrap_or_default();
    let items = match items {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => {
            let root = At::default();
            Reader::new(place.clone(), diagnostics).list(&other, &root.key("items"));
            Vec::new()
        }
    };
    for (index, mut item) in items.into_iter().enumerate() {
        if let (Some(api_version), Some(map)) = (inherited, item.as_object_mut()) {
            map.entry("apiVersion")
                .or_insert_with(|| api_version.into());
            map.entry("kind").or_insert_with(|| KIND.into());
        }
        let mut place = place.clone();
        pointer::push(&mut place.pointer, "items");
        pointer::push_index(&mut place.pointer, index);
        manifest(item, &place, diagnostics, visit);
    }
}

/// Reads a CRD of any version of the API.
fn definition(value: Value, place: &Place, diagnostics: &mut Diagnostics) -> Option<Crd> {
    let name = value.pointer("/metadata/name").and_then(Value::as_str);
    let mut reader = Reader::new(
        Place {
            crd: name.map(str::to_owned),
            ..place.clone()
        },
        diagnostics,
    );
    let api_version = value.get("apiVersion").and_then(Value::as_str);
    let (root, field) = (At::default(), "apiVersion");
    let at = root.key(field);
    match api_version.map(|version| version.strip_prefix(GROUP)) {
        Some(Some("v1")) => definition::read(&mut reader, value),
        Some(Some("v1beta1")) => {
            reader
                .report(
                    Code::LegacyApi,
                    &at,
                    "apiextensions.k8s.io/v1beta1 is read as v1",
                )
                .hint("API servers since Kubernetes 1.22 reject it; convert the manifest to v1");
            let (value, moved) = legacy::upgrade(value);
            reader.moved = moved;
            reader.is_legacy = true;
            definition::read(&mut reader, value)
        }
        None => {
            reader.missing(&at, "`apiVersion`");
            None
        }
        Some(_) => {
            let message = format!(
                "unsupported CRD version {:?}",
                api_version.unwrap_or_default()
            );
            reader
                .report(Code::UnsupportedApi, &at, message)
                .hint("use apiextensions.k8s.io/v1");
            None
        }
    }
}

fn text<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    map.get(key).and_then(Value::as_str)
}
