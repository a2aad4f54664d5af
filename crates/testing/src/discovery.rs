//! Serves the discovery documents: `/api`, `/apis`, `/version` and below, each group on its own or all at once
//! ([aggregated discovery](https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery)).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::kind::{Kind, Kinds, Version};

const VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

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
        "verbs": VERBS,
    })];
    let verbs = json!(["get", "patch", "update"]);
    if version.status {
        entries.push(json!({"name": format!("{}/status", kind.plural), "singularName": "", "namespaced": kind.namespaced, "kind": kind.kind, "verbs": verbs}));
    }
    if version.scale.is_some() {
        let name = format!("{}/scale", kind.plural);
        entries.push(json!({"name": name, "singularName": "", "namespaced": kind.namespaced, "group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": verbs}));
    }
    let is_core = |name: &str| kind.group.is_empty() && kind.kind == name;
    let more: &[(&str, &str, &str, &str)] = match () {
        () if is_core("Namespace") => &[("finalize", "", "Namespace", "update")],
        () if is_core("Pod") => &[
            ("binding", "", "Binding", "create"),
            ("eviction", "policy", "Eviction", "create"),
        ],
        () if is_core("ServiceAccount") => {
            &[("token", "authentication.k8s.io", "TokenRequest", "create")]
        }
        () => &[],
    };
    for (name, group, of, verb) in more {
        let name = format!("{}/{name}", kind.plural);
        let mut entry = json!({"name": name, "singularName": "", "namespaced": kind.namespaced, "kind": of, "verbs": [verb]});
        if !group.is_empty() {
            entry["group"] = (*group).into();
            entry["version"] = "v1".into();
        }
        entries.push(entry);
    }
    entries
}

/// The content type of aggregated discovery.
pub(crate) const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Returns all groups with their resources at `/api` or `/apis`, if a client accepts that.
pub(crate) fn aggregated(path: &str, accept: &str, kinds: &Kinds) -> Option<Value> {
    let accepts = |part: &str| {
        let part = part.replace(' ', "");
        part.contains("as=APIGroupDiscoveryList") && part.contains("v=v2;")
    };
    if !accept.split(',').any(|part| accepts(&format!("{part};"))) {
        return None;
    }
    let groups: Vec<(&str, Vec<&str>)> = match path.trim_end_matches('/') {
        "/api" => vec![("", vec!["v1"])],
        "/apis" => groups(kinds).collect(),
        _ => return None,
    };
    let items = groups.into_iter().map(|(group, versions)| {
        let versions = versions.into_iter().map(|version| {
            let resources = kinds.iter().filter(|kind| kind.group == group);
            let resources: Vec<Value> = resources
                .filter_map(|kind| Some(resource(kind, kind.version(version)?)))
                .collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        });
        let versions: Vec<Value> = versions.collect();
        json!({"metadata": {"name": group, "creationTimestamp": null}, "versions": versions})
    });
    let items: Vec<Value> = items.collect();
    Some(
        json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}),
    )
}

/// Returns a resource with its subresources.
fn resource(kind: &Kind, version: &Version) -> Value {
    let kind_of = |name: &str| json!({"group": kind.group, "version": version.name, "kind": name});
    let verbs = ["get", "patch", "update"];
    let mut subresources = Vec::new();
    if version.scale.is_some() {
        let scale = json!({"group": "autoscaling", "version": "v1", "kind": "Scale"});
        subresources.push(json!({"subresource": "scale", "responseKind": scale, "verbs": verbs}));
    }
    if version.status {
        let whole = kind_of(&kind.kind);
        subresources.push(json!({"subresource": "status", "responseKind": whole, "verbs": verbs}));
    }
    let mut resource = json!({
        "resource": kind.plural,
        "responseKind": kind_of(&kind.kind),
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": kind.singular,
        "verbs": VERBS,
    });
    for (name, values) in [
        ("shortNames", &kind.short_names),
        ("categories", &kind.categories),
    ] {
        if !values.is_empty() {
            resource[name] = json!(values);
        }
    }
    if !subresources.is_empty() {
        resource["subresources"] = subresources.into();
    }
    resource
}
