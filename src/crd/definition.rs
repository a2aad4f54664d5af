//! Reads a manifest of `apiextensions.k8s.io/v1`, with the checks of the API server.
use super::reader::{At, Reader, entry};
use super::{Crd, check, decode, names, version};
use crate::diag::Code;
use crate::ir::Scope;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// The fields of `spec`.
const SPEC: &[&str] = &[
    "conversion",
    "group",
    "names",
    "preserveUnknownFields",
    "scope",
    "versions",
];

/// Reads a CRD; none if a required part of it is missing or invalid.
pub(super) fn read(reader: &mut Reader<'_>, mut manifest: Value) -> Option<Crd> {
    let failures = decode::decode(&mut manifest);
    let crd = definition(reader, manifest);
    for failure in failures {
        failure.report(reader);
    }
    crd
}

fn definition(reader: &mut Reader<'_>, mut manifest: Value) -> Option<Crd> {
    let root = At::default();
    let map = reader.object(&manifest, &root)?;
    let name = metadata_name(reader, map, &root);
    let at = root.key("spec");
    let Some(spec) = entry(map, "spec") else {
        reader.missing(&at, "`spec`");
        return None;
    };
    let spec = reader.object(spec, &at)?;
    reader.unknown_fields(spec, SPEC, &at);
    let group = group(reader, spec, &at);
    let names = names::read(reader, spec, &at);
    if let (Some(name), Some(group), Some(names)) = (&name, &group, &names) {
        let wanted = format!("{}.{group}", names.plural);
        if *name != wanted {
            let metadata = root.key("metadata");
            reader
                .report(
                    Code::NameMismatch,
                    &metadata.key("name"),
                    format!("the CRD is named {name:?}; its plural and group require {wanted:?}"),
                )
                .hint("metadata.name must be <spec.names.plural>.<spec.group>");
        }
    }
    let scope = scope(reader, spec, &at);
    let preserved = entry(spec, "preserveUnknownFields")
        .is_some_and(|value| reader.flag(value, &at.key("preserveUnknownFields")));
    if preserved && !reader.is_legacy {
        reader
            .report_key(
                Code::PreservedFields,
                &at.key("preserveUnknownFields"),
                "apiextensions.k8s.io/v1 does not allow `preserveUnknownFields: true`",
            )
            .hint("remove it, and set `x-kubernetes-preserve-unknown-fields: true` in the schemas where fields are unknown");
    }
    if !reader.is_legacy {
        check::metadata(reader, map, group.as_deref(), &root);
        check::conversion(reader, spec, &at);
    }
    // The schemas are moved out of the manifest below.
    let text = text(&manifest);
    let mut versions = versions(reader, manifest.get_mut("spec")?.as_object_mut()?, &at);
    if preserved {
        let schemas = versions
            .iter_mut()
            .flatten()
            .filter_map(|it| it.schema.as_mut());
        schemas.for_each(|schema| schema.preserve());
    }
    let place = reader.place(&root);
    Some(Crd {
        name: name?,
        group: group?,
        names: names?,
        scope: scope?,
        versions: versions?,
        place,
        manifest: text,
    })
}

fn text(manifest: &Value) -> Arc<str> {
    // Cannot fail: all keys of a `Value` are strings.
    let mut text = serde_json::to_string_pretty(manifest).unwrap_or_default();
    text.push('\n');
    text.into()
}

fn metadata_name(
    reader: &mut Reader<'_>,
    map: &Map<String, Value>,
    root: &At<'_>,
) -> Option<String> {
    let at = root.key("metadata");
    let name = match entry(map, "metadata") {
        Some(metadata) => entry(reader.object(metadata, &at)?, "name"),
        None => None,
    };
    let at = at.key("name");
    let Some(name) = name else {
        reader.missing(&at, "`metadata.name`");
        return None;
    };
    let name = reader.text(name, &at)?;
    names::subdomain(reader, "metadata.name", name, &at).then(|| name.to_owned())
}

fn group(reader: &mut Reader<'_>, spec: &Map<String, Value>, at: &At<'_>) -> Option<String> {
    let at = at.key("group");
    let Some(group) = entry(spec, "group") else {
        reader.missing(&at, "`spec.group`");
        return None;
    };
    let group = reader.text(group, &at)?;
    if !names::subdomain(reader, "group", group, &at) {
        return None;
    }
    if !group.contains('.') {
        reader
            .report(
                Code::InvalidName,
                &at,
                format!("group {group:?} must be a domain with at least one dot"),
            )
            .hint("use a domain such as example.com; groups without a dot are reserved for Kubernetes");
        return None;
    }
    Some(group.to_owned())
}

fn scope(reader: &mut Reader<'_>, spec: &Map<String, Value>, at: &At<'_>) -> Option<Scope> {
    let at = at.key("scope");
    let Some(scope) = entry(spec, "scope") else {
        reader
            .missing(&at, "`spec.scope`")
            .hint("use `Namespaced` or `Cluster`");
        return None;
    };
    match reader.text(scope, &at)? {
        "Namespaced" => Some(Scope::Namespaced),
        "Cluster" => Some(Scope::Cluster),
        other => {
            reader
                .report(Code::InvalidScope, &at, format!("unknown scope {other:?}"))
                .hint("use `Namespaced` or `Cluster`");
            None
        }
    }
}

/// Reads the versions; their schemas are moved out of `spec`.
fn versions(
    reader: &mut Reader<'_>,
    spec: &mut Map<String, Value>,
    at: &At<'_>,
) -> Option<Vec<super::Version>> {
    let at = at.key("versions");
    let Some(list) = spec.get_mut("versions").filter(|list| !list.is_null()) else {
        reader.missing(&at, "`spec.versions`");
        return None;
    };
    reader.typed(list, &at, "a list", Value::as_array)?;
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
            Some((index, read?))
        })
        .collect();
    let mut seen = HashSet::new();
    for (index, version) in &versions {
        if !seen.insert(version.name.as_str()) {
            let item = at.index(*index);
            reader.base.version = Some(version.name.clone());
            reader
                .report(
                    Code::DuplicateVersion,
                    &item.key("name"),
                    format!("version {:?} is declared twice", version.name),
                )
                .label("second declaration")
                .hint("version names must be unique in a CRD");
            reader.base.version = None;
        }
    }
    if versions.len() == list.len() {
        one_storage(reader, &versions, &at);
        if versions.iter().all(|(_, version)| !version.served) {
            reader
                .report(
                    Code::NotServed,
                    &at,
                    "no version is served, so nothing is generated",
                )
                .hint("set `served: true` on the versions that clients use");
        }
    }
    Some(versions.into_iter().map(|(_, version)| version).collect())
}

fn one_storage(reader: &mut Reader<'_>, versions: &[(usize, super::Version)], at: &At<'_>) {
    let mut storing = versions.iter().filter(|(_, version)| version.storage);
    let first = storing.next();
    let hint = "set `storage: true` on exactly one version, the one stored in etcd";
    if first.is_none() {
        reader
            .report(
                Code::StorageVersion,
                at,
                "no version is the storage version",
            )
            .hint(hint);
    }
    for (index, version) in storing {
        let item = at.index(*index);
        reader
            .report(
                Code::StorageVersion,
                &item.key("storage"),
                format!("version {:?} is a second storage version", version.name),
            )
            .hint(hint);
    }
}
