//! Finds the CRDs of a document: the document itself, or the items of a list.
use super::reader::{At, CrdReader};
use super::{Crd, definition, legacy};
use crate::base::diag::{Code, Diagnostics, Place, pointer};
use crate::base::source::{Source, SourceId};
use crate::input::yaml::{Document, Lines};
use serde_json::{Map, Value};

/// API group and kind of a CRD.
const GROUP: &str = "apiextensions.k8s.io/";
const KIND: &str = "CustomResourceDefinition";

/// A CRD as its author wrote it, valid or not, in the form of `apiextensions.k8s.io/v1`.
pub(crate) struct Definition {
    /// The manifest.
    pub(crate) manifest: Value,
    /// Where it is.
    pub(crate) place: Place,
    /// What moved, if it was v1beta1.
    legacy: Option<legacy::Moved>,
}

impl Definition {
    /// Whether it was v1beta1.
    #[cfg(feature = "cli")]
    pub(crate) fn is_legacy(&self) -> bool {
        self.legacy.is_some()
    }

    fn read(self, diagnostics: &mut Diagnostics) -> Option<Crd> {
        let mut reader = CrdReader::new(self.place, diagnostics);
        reader.is_legacy = self.legacy.is_some();
        reader.moved = self.legacy.unwrap_or_default();
        definition::read(&mut reader, self.manifest)
    }
}

/// Returns the CRDs of a document.
#[cfg(feature = "cli")]
pub(super) fn definitions(document: Document, id: SourceId) -> Vec<Definition> {
    let place = Place {
        source: Some(id),
        document: document.index,
        ..Place::default()
    };
    let (mut found, mut ignored) = (Vec::new(), Diagnostics::new());
    let root = document.root.into_value();
    manifest(
        root,
        &place,
        &mut ignored,
        &mut |value, place, diagnostics| {
            found.extend(upgraded(value, place, diagnostics));
        },
    );
    found
}

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
            let definition = upgraded(value, place, diagnostics);
            crds.extend(definition.and_then(|it| it.read(diagnostics)));
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
    let mut reader = CrdReader::new(place.clone(), diagnostics);
    let Some(map) = value.as_object() else {
        return reader.wrong_type(&value, &At::default(), "a map");
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
            let mut reader = CrdReader::new(place.clone(), diagnostics);
            reader.wrong_type(&other, &root.key("items"), "a list");
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

/// Brings a CRD of any version of the API to the form of v1.
fn upgraded(value: Value, place: &Place, diagnostics: &mut Diagnostics) -> Option<Definition> {
    let name = value.pointer("/metadata/name").and_then(Value::as_str);
    let place = Place {
        crd: name.map(str::to_owned),
        ..place.clone()
    };
    let mut reader = CrdReader::new(place.clone(), diagnostics);
    let (root, field) = (At::default(), "apiVersion");
    let at = root.key(field);
    let Some(api_version) = value.get(field).and_then(Value::as_str) else {
        reader.missing(&at, "`apiVersion`");
        return None;
    };
    let (manifest, legacy) = match api_version.strip_prefix(GROUP) {
        Some("v1") => (value, None),
        Some("v1beta1") => {
            reader
                .report(
                    Code::LegacyApi,
                    &at,
                    "apiextensions.k8s.io/v1beta1 is read as v1",
                )
                .hint("API servers since Kubernetes 1.22 reject it; convert the manifest to v1");
            let (manifest, moved) = legacy::upgrade(value);
            (manifest, Some(moved))
        }
        _ => {
            let message = format!("unsupported CRD version {api_version:?}");
            reader
                .report(Code::UnsupportedApi, &at, message)
                .hint("use apiextensions.k8s.io/v1");
            return None;
        }
    };
    Some(Definition {
        manifest,
        place,
        legacy,
    })
}

fn text<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    map.get(key).and_then(Value::as_str)
}
