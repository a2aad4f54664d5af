//! Measures how unlikely it is that two fields have one schema by coincidence.
//!
//! Each name below a field counts once, and so does each bound, pattern, enum or default; a description of several words counts twice. Names
//! that many APIs have count nothing: those of Kubernetes' own types, and everyday ones. So `affinity` and `resources` are no evidence, whatever
//! they contain, nor is a plain `enabled` or `port`.
use crate::input::crd::{Additional, Items, Schema};

/// What outweighs coincidence.
pub(super) const ENOUGH: usize = 2;

/// Bounds that many fields share.
const COMMON: [&str; 3] = ["exclusiveMinimum", "exclusiveMaximum", "uniqueItems"];

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
pub(super) fn of(name: &str, old: &Schema, new: &Schema) -> usize {
    let bounds = old.constraints.all.iter();
    let mut all = bounds.filter(|(it, _)| !COMMON.contains(it)).count();
    for is_telling in [
        !name.is_empty() && !is_everyday(name),
        old.default.is_some(),
        old.enum_.is_some(),
        old.kubernetes.embedded_resource,
        !old.kubernetes.list_map_keys.is_empty(),
        !old.kubernetes.validations.is_empty(),
    ] {
        all += usize::from(is_telling);
    }
    match (&old.description, &new.description) {
        (Some(a), Some(b)) if a == b && a.split_whitespace().count() >= WORDS => all += 2,
        // What is described in other words is another thing, as far as nothing else says the opposite.
        (Some(a), Some(b)) if a != b => all = all.saturating_sub(2),
        _ => {}
    }
    for (name, inner) in old.fields() {
        all += new.field(name).map_or(0, |new| of(name, inner, new));
    }
    for (old, new) in [(old.items(), new.items()), (old.values(), new.values())] {
        all += old.zip(new).map_or(0, |(old, new)| of("", old, new));
    }
    all
}

fn is_everyday(name: &str) -> bool {
    let name = name.to_lowercase();
    EVERYDAY.contains(&name.as_str())
}

/// Returns whether two schemas are the same but for what does not restrict values.
pub(super) fn is_same(a: &Schema, b: &Schema) -> bool {
    (&a.type_, &a.format, &a.required, &a.constraints)
        == (&b.type_, &b.format, &b.required, &b.constraints)
        && (a.nullable, &a.default, &a.enum_) == (b.nullable, &b.default, &b.enum_)
        && (&a.kubernetes, &a.logic, &a.unknown) == (&b.kubernetes, &b.logic, &b.unknown)
        && match (&a.properties, &b.properties) {
            (Some(old), Some(new)) => {
                let mut both = old.iter().zip(new);
                old.len() == new.len() && both.all(|(a, b)| a.0 == b.0 && is_same(a.1, b.1))
            }
            (old, new) => old.is_none() && new.is_none(),
        }
        && match (&a.items, &b.items) {
            (Some(Items::Schema(a)), Some(Items::Schema(b))) => is_same(a, b),
            (a, b) => a == b,
        }
        && match (&a.additional, &b.additional) {
            (Some(Additional::Schema(a)), Some(Additional::Schema(b))) => is_same(a, b),
            (a, b) => a == b,
        }
}

/// Counts the fields with this name, in any case, and this schema.
pub(super) fn occurrences(root: &Schema, name: &str, schema: &Schema) -> usize {
    let mut count = 0;
    for (field, inner) in root.fields() {
        let is_one = field.eq_ignore_ascii_case(name) && is_same(inner, schema);
        count += usize::from(is_one) + occurrences(inner, name, schema);
    }
    let inner = root.items().into_iter().chain(root.values());
    count + inner.map(|it| occurrences(it, name, schema)).sum::<usize>()
}
