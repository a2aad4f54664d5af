//! Reads a manifest of `apiextensions.k8s.io/v1`.
use super::decode::decode;
use super::reader::{At, CrdReader, entry, flag_of, text_of};
use super::{Crd, check, names, version};
use crate::base::diag::Code;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Whether objects live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `Namespaced`
    Namespaced,
    /// `Cluster`
    Cluster,
}

/// Reads a CRD; none if a required part of it is missing or invalid.
pub(super) fn read(reader: &mut CrdReader<'_>, mut manifest: Value) -> Option<Crd> {
    decode(reader, &mut manifest);
    let root = At::default();
    let map = manifest.as_object()?;
    let is_valid = check::definition(reader, &manifest);
    let name = metadata_name(map);
    let at = root.key("spec");
    let Some(spec) = entry(map, "spec") else {
        reader.missing(&at, "`spec`");
        return None;
    };
    let spec = spec.as_object()?;
    let group = text_of(spec, "group");
    let names = names::read(reader, spec, &at);
    let scope = scope(spec);
    let preserved = flag_of(spec, "preserveUnknownFields");
    reader.preserves = preserved;
    // The schemas are moved out of the manifest below.
    let text = indented(&manifest);
    let versions = versions(reader, manifest.get_mut("spec")?.as_object_mut()?, &at);
    let place = reader.place(&root);
    let crd = Crd {
        name: name?,
        group: group?,
        names: names?,
        scope: scope?,
        versions: versions?,
        preserves: preserved,
        place,
        manifest: text,
    };
    is_valid.then_some(crd)
}

fn indented(manifest: &Value) -> Arc<str> {
    // Cannot fail: all keys of a `Value` are strings.
    let mut text = serde_json::to_string_pretty(manifest).unwrap_or_default();
    text.push('\n');
    text.into()
}

fn metadata_name(map: &Map<String, Value>) -> Option<String> {
    text_of(map.get("metadata")?.as_object()?, "name")
}

fn scope(spec: &Map<String, Value>) -> Option<Scope> {
    match spec.get("scope")?.as_str()? {
        "Namespaced" => Some(Scope::Namespaced),
        "Cluster" => Some(Scope::Cluster),
        _ => None,
    }
}

/// Reads the versions; their schemas are moved out of `spec`.
fn versions(
    reader: &mut CrdReader<'_>,
    spec: &mut Map<String, Value>,
    at: &At<'_>,
) -> Option<Vec<super::Version>> {
    let at = at.key("versions");
    let Some(list) = spec.get_mut("versions").filter(|list| !list.is_null()) else {
        reader.missing(&at, "`spec.versions`");
        return None;
    };
    let list = list.as_array_mut()?;
    if list.is_empty() {
        reader.missing(&at, "at least one version in `spec.versions`");
        return None;
    }
    let versions: Vec<_> = list
        .iter_mut()
        .enumerate()
        .filter_map(|(index, item)| {
            let read = version::read(reader, item, &at.index(index));
            reader.base.version = None;
            read
        })
        .collect();
    if versions.len() == list.len() && versions.iter().all(|version| !version.served) {
        reader
            .report(
                Code::NotServed,
                &at,
                "no version is served, so nothing is generated",
            )
            .hint("set `served: true` on the versions that clients use");
    }
    Some(versions)
}
