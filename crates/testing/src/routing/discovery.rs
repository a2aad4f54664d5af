//! Serves the discovery documents: `/api`, `/apis`, `/version` and below, each group on its own or all at once
//! ([aggregated discovery](https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery)).

use std::{cmp::Reverse, collections::BTreeMap};

use kube::core::Version;
use serde_json::{Value, json};

use crate::{
    auth::ISSUER,
    kinds::{
        builtin,
        kind::{self, Kind, Kinds},
        transient::{self, Transient},
    },
};

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
/// The verbs of subresources.
const CHANGED: &[&str] = &["get", "patch", "update"];
const CREATED: &[&str] = &["create"];
const REPLACED: &[&str] = &["update"];

/// The groups of Kubernetes, in the order in which kube-apiserver prefers them; those of CRDs follow.
const GROUPS: &[&str] = &[
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "resource.k8s.io",
    "storagemigration.k8s.io",
];

/// The checks of health that have a path of their own.
const CHECKS: &[&str] = &["etcd", "log", "ping"];

/// Returns whether a group is one of Kubernetes.
pub(super) fn is_builtin(group: &str) -> bool {
    GROUPS.contains(&group)
}

/// Returns the version, complete: clients decode all its fields.
fn version() -> Value {
    let (major, minor) = builtin::RELEASE;
    json!({
        "major": major,
        "minor": minor,
        "gitVersion": format!("v{major}.{minor}.0"),
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": "linux/amd64",
    })
}

/// Returns the paths that are served, as `/` lists them.
fn paths(kinds: &Kinds) -> Vec<String> {
    let plain = [
        "/.well-known/openid-configuration",
        "/api",
        "/api/v1",
        "/apis",
        "/apis/",
        "/healthz",
        "/livez",
        "/metrics",
        "/openapi/v2",
        "/openapi/v3",
        "/openid/v1/jwks",
        "/readyz",
        "/version",
    ];
    let mut paths: Vec<String> = plain.map(str::to_owned).to_vec();
    for (group, versions) in groups(kinds) {
        let versions = versions.iter();
        paths.extend(versions.map(|version| format!("/apis/{group}/{version}")));
        paths.push(format!("/apis/{group}"));
    }
    for place in ["healthz", "livez", "readyz"] {
        paths.extend(CHECKS.iter().map(|check| format!("/{place}/{check}")));
    }
    paths.sort();
    paths
}

/// Returns the document at a path, if there is one.
pub(crate) fn document(path: &str, kinds: &Kinds) -> Option<Value> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => Some(json!({"paths": paths(kinds)})),
        ["version"] => Some(version()),
        ["healthz" | "livez" | "readyz"] => Some(json!("ok")),
        ["healthz" | "livez" | "readyz", check] => CHECKS.contains(check).then(|| json!("ok")),
        [".well-known", "openid-configuration"] => Some(json!({
            "issuer": ISSUER,
            "jwks_uri": format!("{ISSUER}/openid/v1/jwks"),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        })),
        // The tokens of this server are not signed.
        ["openid", "v1", "jwks"] => Some(json!({"keys": []})),
        ["api"] => Some(
            json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}),
        ),
        ["apis"] => Some(
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups(kinds).iter().map(|(name, versions)| group(name, versions)).collect::<Vec<_>>()}),
        ),
        ["apis", name] => {
            let mut groups = groups(kinds).into_iter();
            let (name, versions) = groups.find(|(group, _)| group == name)?;
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

/// Returns the groups besides the core group with their versions, both in the order of preference.
fn groups(kinds: &Kinds) -> Vec<(&str, Vec<&str>)> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let stored = kinds.iter().flat_map(|kind| {
        let versions = kind.versions.iter();
        versions.map(|version| (kind.group.as_str(), version.name.as_str()))
    });
    for (group, version) in stored.chain(transient::ALL.iter().map(|it| (it.group, "v1"))) {
        let versions = groups.entry(group).or_default();
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    groups.remove("");
    let mut groups: Vec<_> = groups.into_iter().collect();
    for (_, versions) in &mut groups {
        versions.sort_by_cached_key(|version| Reverse(Version::parse(version).priority()));
    }
    groups.sort_by_key(|(group, _)| {
        let known = GROUPS.iter().position(|known| known == group);
        known.unwrap_or(GROUPS.len())
    });
    groups
}

fn group(name: &str, versions: &[&str]) -> Value {
    let versions: Vec<_> = versions
        .iter()
        .map(|version| json!({"groupVersion": format!("{name}/{version}"), "version": version}))
        .collect();
    json!({"name": name, "preferredVersion": versions.first(), "versions": versions})
}

/// A resource or subresource of a version, as the documents describe it.
struct Resource<'a> {
    name: &'a str,
    /// The group, the version and the kind of its objects.
    kind: (&'a str, &'a str, &'a str),
    namespaced: bool,
    verbs: &'a [&'a str],
    singular: String,
    short_names: Vec<&'a str>,
    categories: Vec<&'a str>,
    subresources: Vec<Resource<'a>>,
}

/// Returns the resources of a version.
fn of_version<'a>(group: &str, version: &str, kinds: &'a Kinds) -> Vec<Resource<'a>> {
    let stored = kinds.iter();
    let stored = stored.filter(|kind| kind.group == group && kind.is_listed());
    let stored = stored.filter_map(|kind| Some(of_kind(kind, kind.version(version)?)));
    let transient = transient::ALL.iter();
    let transient = transient.filter(|it| it.group == group && version == "v1");
    let mut resources: Vec<_> = stored.chain(transient.map(of_transient)).collect();
    resources.sort_by_key(|resource| resource.name);
    resources
}

fn of_transient(kind: &Transient) -> Resource<'_> {
    Resource {
        name: kind.plural,
        kind: (kind.group, "v1", kind.kind),
        namespaced: kind.namespaced,
        verbs: kind.verbs,
        singular: kind.kind.to_lowercase(),
        short_names: kind.short_names.to_vec(),
        categories: Vec::new(),
        subresources: Vec::new(),
    }
}

fn of_kind<'a>(kind: &'a Kind, version: &'a kind::Version) -> Resource<'a> {
    let own = (
        kind.group.as_str(),
        version.name.as_str(),
        kind.kind.as_str(),
    );
    let sub = |name: &'a str, kind_of, verbs| Resource {
        name,
        kind: kind_of,
        namespaced: kind.namespaced,
        verbs,
        singular: String::new(),
        short_names: Vec::new(),
        categories: Vec::new(),
        subresources: Vec::new(),
    };
    let mut subresources = Vec::new();
    if version.status {
        subresources.push(sub("status", own, CHANGED));
    }
    if version.scale.is_some() {
        subresources.push(sub("scale", ("autoscaling", "v1", "Scale"), CHANGED));
    }
    for name in builtin::strategy(kind).subresources {
        let (kind_of, verbs) = match *name {
            "binding" => (("", "v1", "Binding"), CREATED),
            "eviction" => (("policy", "v1", "Eviction"), CREATED),
            "token" => (("authentication.k8s.io", "v1", "TokenRequest"), CREATED),
            "finalize" => (own, REPLACED),
            _ => (own, CHANGED),
        };
        subresources.push(sub(name, kind_of, verbs));
    }
    subresources.sort_by_key(|it| it.name);
    Resource {
        name: &kind.plural,
        kind: own,
        namespaced: kind.namespaced,
        verbs: &VERBS,
        singular: kind.singular.clone(),
        short_names: kind.short_names.iter().map(String::as_str).collect(),
        categories: kind.categories.iter().map(String::as_str).collect(),
        subresources,
    }
}

fn resources(group: &str, version: &str, kinds: &Kinds) -> Option<Value> {
    let found = of_version(group, version, kinds);
    let entries = found.iter().flat_map(|resource| {
        let entry = |name: String, it: &Resource<'_>| {
            let (of_group, of_version, kind) = it.kind;
            let mut entry = json!({
                "name": name,
                "singularName": it.singular,
                "namespaced": it.namespaced,
                "kind": kind,
                "verbs": it.verbs,
            });
            if (of_group, of_version) != (group, version) {
                entry["group"] = of_group.into();
                entry["version"] = of_version.into();
            }
            add_names(&mut entry, it);
            entry
        };
        let inner = resource.subresources.iter();
        let inner = inner.map(move |it| entry(format!("{}/{}", resource.name, it.name), it));
        std::iter::once(entry(resource.name.to_owned(), resource)).chain(inner)
    });
    let entries: Vec<Value> = entries.collect();
    let group_version = if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    };
    (!entries.is_empty()).then(|| json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": entries}))
}

fn add_names(entry: &mut Value, resource: &Resource<'_>) {
    for (field, names) in [
        ("shortNames", &resource.short_names),
        ("categories", &resource.categories),
    ] {
        if !names.is_empty() {
            entry[field] = json!(names);
        }
    }
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
        "/apis" => groups(kinds),
        _ => return None,
    };
    let items = groups.into_iter().map(|(group, versions)| {
        let versions = versions.into_iter().map(|version| {
            let resources = of_version(group, version, kinds);
            let resources: Vec<Value> = resources.iter().map(entry).collect();
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

/// Returns a resource with its subresources, for aggregated discovery.
fn entry(resource: &Resource<'_>) -> Value {
    let kind_of = |it: &Resource<'_>| {
        let (group, version, kind) = it.kind;
        json!({"group": group, "version": version, "kind": kind})
    };
    let mut entry = json!({
        "resource": resource.name,
        "responseKind": kind_of(resource),
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular,
        "verbs": resource.verbs,
    });
    add_names(&mut entry, resource);
    if !resource.subresources.is_empty() {
        let inner = resource.subresources.iter();
        let inner = inner.map(
            |it| json!({"subresource": it.name, "responseKind": kind_of(it), "verbs": it.verbs}),
        );
        entry["subresources"] = inner.collect();
    }
    entry
}
