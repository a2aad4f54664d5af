//! Measures how unlikely it is that two fields have one schema by coincidence.
//!
//! Each name below a field counts once, and so does each bound, pattern, enum or default; a description of several words counts twice. Names
//! that many APIs have count nothing: those of Kubernetes' own types, and everyday ones. So `affinity` and `resources` are no evidence, whatever
//! they contain, nor is a plain `enabled` or `port`.
use serde_json::{Map, Value};

use super::shape::properties;

/// What outweighs coincidence.
pub(super) const ENOUGH: usize = 2;

/// Keywords that few fields share.
const TELLING: [&str; 15] = [
    "default",
    "enum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
];

/// Keywords that do not restrict values.
const DESCRIPTIONS: [&str; 4] = ["description", "title", "example", "externalDocs"];

/// How many words a description has at least if it is not an accident.
const WORDS: usize = 4;

/// Names in Kubernetes' own types that operators embed, and names that many objects have, in lower case.
const EVERYDAY: &[&str] = &[
    "accessmodes",
    "action",
    "active",
    "address",
    "addresses",
    "affinity",
    "allowprivilegeescalation",
    "annotations",
    "apigroup",
    "apiversion",
    "args",
    "automountserviceaccounttoken",
    "backoff",
    "capabilities",
    "certificate",
    "class",
    "claims",
    "clustername",
    "command",
    "condition",
    "conditions",
    "config",
    "configmap",
    "configmapkeyref",
    "configmapref",
    "configuration",
    "containerport",
    "containers",
    "count",
    "cpu",
    "credentials",
    "data",
    "database",
    "datasource",
    "debug",
    "defaultmode",
    "description",
    "disabled",
    "dnsconfig",
    "dnspolicy",
    "duration",
    "effect",
    "emptydir",
    "enable",
    "enabled",
    "endpoint",
    "endpoints",
    "env",
    "envfrom",
    "expression",
    "exec",
    "externaltrafficpolicy",
    "failurethreshold",
    "fieldpath",
    "fieldref",
    "format",
    "fsgroup",
    "group",
    "headers",
    "host",
    "hostaliases",
    "hostname",
    "hostnetwork",
    "hostport",
    "hosts",
    "httpget",
    "id",
    "image",
    "imagepullpolicy",
    "imagepullsecrets",
    "ingress",
    "initcontainers",
    "initialdelayseconds",
    "interval",
    "ip",
    "issuerref",
    "items",
    "key",
    "keys",
    "kind",
    "labels",
    "labelselector",
    "level",
    "lifecycle",
    "limits",
    "livenessprobe",
    "loadbalancerip",
    "log",
    "loglevel",
    "logging",
    "matchexpressions",
    "matchfields",
    "matchlabels",
    "maxskew",
    "memory",
    "message",
    "metadata",
    "metrics",
    "mode",
    "mountpath",
    "name",
    "names",
    "namespace",
    "namespaces",
    "namespaceselector",
    "network",
    "nodeaffinity",
    "nodename",
    "nodeport",
    "nodeselector",
    "nodeselectorterms",
    "operator",
    "optional",
    "options",
    "parameters",
    "password",
    "path",
    "periodseconds",
    "persistentvolumeclaim",
    "phase",
    "podaffinity",
    "podaffinityterm",
    "podantiaffinity",
    "podlabels",
    "policy",
    "port",
    "ports",
    "preference",
    "preferredduringschedulingignoredduringexecution",
    "priority",
    "priorityclassname",
    "privileged",
    "probe",
    "protocol",
    "provider",
    "query",
    "readinessprobe",
    "readonly",
    "readonlyrootfilesystem",
    "reason",
    "ref",
    "region",
    "replicas",
    "requests",
    "requiredduringschedulingignoredduringexecution",
    "resources",
    "retries",
    "role",
    "runasgroup",
    "runasnonroot",
    "runasuser",
    "schedule",
    "scheme",
    "seccompprofile",
    "secret",
    "secretkeyref",
    "secretname",
    "secretref",
    "securitycontext",
    "selector",
    "selinuxoptions",
    "server",
    "service",
    "serviceaccount",
    "serviceaccountname",
    "size",
    "sizelimit",
    "source",
    "spec",
    "state",
    "status",
    "storage",
    "storageclassname",
    "subpath",
    "successthreshold",
    "suspend",
    "target",
    "template",
    "timeout",
    "timeoutseconds",
    "tls",
    "tolerations",
    "tolerationseconds",
];

/// Returns how much evidence it is that a field of this name has both schemas, which are the same but for descriptions.
pub(super) fn of(name: &str, old: &Value, new: &Value) -> usize {
    let mut all = usize::from(!name.is_empty() && !is_everyday(name));
    all += TELLING.iter().filter(|it| old.get(it).is_some()).count();
    let text = |schema: &Value| schema["description"].as_str().map(str::to_owned);
    match (text(old), text(new)) {
        (Some(a), Some(b)) if a == b && a.split_whitespace().count() >= WORDS => all += 2,
        // What is described in other words is another thing, as far as nothing else says the opposite.
        (Some(a), Some(b)) if a != b => all = all.saturating_sub(2),
        _ => {}
    }
    for (name, inner) in properties(old).into_iter().flatten() {
        all += of(name, inner, &new["properties"][name]);
    }
    for keyword in ["items", "additionalProperties"] {
        if old[keyword].is_object() {
            all += of("", &old[keyword], &new[keyword]);
        }
    }
    all
}

fn is_everyday(name: &str) -> bool {
    let name = name.to_lowercase();
    EVERYDAY.contains(&name.as_str())
}

/// Returns whether two schemas are the same but for what does not restrict values.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    let (Value::Object(old), Value::Object(new)) = (a, b) else {
        return a == b;
    };
    let is_kept = |keyword: &String| !DESCRIPTIONS.contains(&keyword.as_str());
    let count = |fields: &Map<String, Value>| fields.keys().filter(|it| is_kept(it)).count();
    count(old) == count(new)
        && old
            .iter()
            .filter(|(keyword, _)| is_kept(keyword))
            .all(|(keyword, value)| {
                let Some(other) = new.get(keyword) else {
                    return false;
                };
                match (keyword.as_str(), value, other) {
                    ("properties", Value::Object(old), Value::Object(new)) => {
                        let mut fields = old.iter();
                        old.len() == new.len()
                            && fields
                                .all(|(name, it)| new.get(name).is_some_and(|new| is_same(it, new)))
                    }
                    ("items" | "additionalProperties", value, other) => is_same(value, other),
                    (_, value, other) => value == other,
                }
            })
}

/// Counts the fields with this name, in any case, and this schema.
pub(super) fn occurrences(root: &Value, name: &str, schema: &Value) -> usize {
    let mut count = 0;
    for (field, inner) in properties(root).into_iter().flatten() {
        let is_one = field.eq_ignore_ascii_case(name) && is_same(inner, schema);
        count += usize::from(is_one) + occurrences(inner, name, schema);
    }
    for keyword in ["items", "additionalProperties"] {
        if root[keyword].is_object() {
            count += occurrences(&root[keyword], name, schema);
        }
    }
    count
}
