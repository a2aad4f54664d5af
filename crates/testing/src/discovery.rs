//! Serves the discovery documents: `/api`, `/apis`, `/version` and below.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::kind::{Kind, Kinds, Version};

/// Returns the document at a path, if there is one.
pub(crate) fn document(path: &str, kinds: &Kinds) -> Option<Value> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["version"] => Some(
            json!({"major": "1", "minor": "33", "gitVersion": "v1.33.0", "platform": "testing"}),
        ),
        ["healthz" | "livez" | "readyz"] => Some(json!("ok")),
        ["api"] => Some(
            json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}),
        ),
        ["apis"] => Some(
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups(kinds).map(|(name, versions)| group(name, &versions)).collect::<Vec<_>>()}),
        ),
        ["apis", name] => {
            let (name, versions) = groups(kinds).find(|(group, _)| group == name)?;
            let mut document = group(name, &versions);
            document["kind"] = "APIGroup".into();
            document["apiVersion"] = "v1".into();
            Some(document)
        }
        ["api", version] => resources("", version, kinds),
        ["apis", group, version] => resources(group, version, kinds),
        _ => None,
    }
}

fn groups(kinds: &Kinds) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for kind in kinds.iter().filter(|kind| !kind.group.is_empty()) {
        let versions = groups.entry(&kind.group).or_default();
        for version in &kind.versions {
            if !versions.contains(&version.name.as_str()) {
                versions.push(&version.name);
            }
        }
    }
    groups
        .into_iter()
        .filter(|(_, versions)| !versions.is_empty())
}

fn group(name: &str, versions: &[&str]) -> Value {
    let versions: Vec<_> = versions
        .iter()
        .map(|version| json!({"groupVersion": format!("{name}/{version}"), "version": version}))
        .collect();
    json!({"name": name, "preferredVersion": versions.first(), "versions": versions})
}

fn resources(group: &str, version: &str, kinds: &Kinds) -> Option<Value> {
    let served = kinds
        .iter()
        .filter(|kind| kind.group == group)
        .filter_map(|kind| Some((kind, kind.version(version)?)));
    let resources: Vec<_> = served
        .flat_map(|(kind, version)| entries(kind, version))
        .collect();
    let group_version = if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    };
    (!resources.is_empty()).then(|| json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources}))
}

fn entries(kind: &Kind, version: &Version) -> Vec<Value> {
    let mut entries = vec![json!({
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "shortNames": kind.short_names,
        "categories": kind.categories,
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    })];
    let verbs = json!(["get", "patch", "update"]);
    if version.status {
        entries.push(json!({"name": format!("{}/status", kind.plural), "singularName": "", "namespaced": kind.namespaced, "kind": kind.kind, "verbs": verbs}));
    }
    if version.scale.is_some() {
        let name = format!("{}/scale", kind.plural);
        entries.push(json!({"name": name, "singularName": "", "namespaced": kind.namespaced, "group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": verbs}));
    }
    entries
}
