//! The admission plugin `PodSecurity`: the labels of a namespace choose a level of the Pod Security Standards, for Pods that are rejected
//! (`enforce`) and for warnings (`warn`). What `audit` finds goes to a log that this server does not have.
//!
//! The standards are at <https://kubernetes.io/docs/concepts/security/pod-security-standards/>; each check knows the minor versions of a
//! policy in which it applies.

mod baseline;
mod restricted;
mod subject;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use self::subject::{Subject, Violation};
use crate::{
    kinds::{
        builtin,
        kind::Kind,
        status::{forbidden, invalid},
        store::Store,
    },
    request::{Notes, Request},
    values::{
        object::{self, at, list, text},
        status::{Answer, cause},
    },
};

const LABEL: &str = "pod-security.kubernetes.io/";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Privileged,
    Baseline,
    Restricted,
}

impl Level {
    fn named(name: &str) -> Option<Self> {
        match name {
            "privileged" => Some(Self::Privileged),
            "baseline" => Some(Self::Baseline),
            "restricted" => Some(Self::Restricted),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Privileged => "privileged",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        }
    }
}

/// A level at the minor version of a policy; `None` is the latest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Policy {
    level: Level,
    version: Option<u32>,
}

impl Policy {
    fn name(self) -> String {
        let level = self.level.name();
        match self.version {
            Some(minor) => format!("{level}:v1.{minor}"),
            None => format!("{level}:latest"),
        }
    }

    fn check(self, metadata: &Value, spec: &Value) -> Vec<Violation> {
        let newest = builtin::RELEASE.1.parse().unwrap_or(u32::MAX);
        let subject = Subject {
            metadata,
            spec,
            version: self.version.unwrap_or(newest).min(newest),
        };
        let is_restricted = self.level == Level::Restricted;
        let mut found = match self.level {
            Level::Privileged => Vec::new(),
            _ => baseline::check(&subject, is_restricted),
        };
        if is_restricted {
            found.extend(restricted::check(&subject));
        }
        found
    }
}

/// The policies of a namespace: those that reject, and those that warn.
struct Policies {
    enforce: Policy,
    warn: Policy,
    /// Labels that have no meaning, with the reason.
    wrong: Vec<(String, String, &'static str)>,
}

fn policies(namespace: &Value) -> Policies {
    let mut wrong = Vec::new();
    let labels = at(namespace, "/metadata/labels");
    let mut read = |mode: &str| {
        let label = format!("{LABEL}{mode}");
        let found = labels.get(&label).and_then(Value::as_str);
        let level = found.map(|name| Level::named(name).ok_or(name.to_owned()));
        if let Some(Err(name)) = &level {
            let why = "must be one of privileged, baseline, restricted";
            wrong.push((label.clone(), name.clone(), why));
        }
        let label = format!("{label}-version");
        let found = labels.get(&label).and_then(Value::as_str);
        let version = found.map(version);
        if let Some(Err(name)) = &version {
            wrong.push((label, name.clone(), "must be \"latest\" or \"v1.x\""));
        }
        (level, version)
    };
    let (enforce, enforced_version) = read("enforce");
    read("audit");
    let (warn, warned_version) = read("warn");
    let minor =
        |version: Option<Result<Option<u32>, String>>| version.and_then(Result::ok).flatten();
    let has_warned_version = warned_version.is_some();
    let policy = Policy {
        level: match &enforce {
            None => Level::Privileged,
            Some(level) => level.as_ref().copied().unwrap_or(Level::Restricted),
        },
        version: minor(enforced_version),
    };
    let mut warned = Policy {
        level: match &warn {
            Some(Ok(level)) => *level,
            _ => Level::Privileged,
        },
        version: minor(warned_version),
    };
    // Without a level of its own, what is enforced is warned of, too: in the templates of Pods.
    if warn.is_none() && matches!(enforce, Some(Ok(_))) && policy.level > warned.level {
        warned.level = policy.level;
        if !has_warned_version {
            warned.version = policy.version;
        }
    }
    Policies {
        enforce: policy,
        warn: warned,
        wrong,
    }
}

/// Reads a version, `None` if it is the latest one.
fn version(name: &str) -> Result<Option<u32>, String> {
    if name == "latest" {
        return Ok(None);
    }
    let minor = name.strip_prefix("v1.").unwrap_or_default();
    let is_plain = minor == "0" || !minor.starts_with('0');
    let is_number = is_plain && minor.bytes().all(|it| it.is_ascii_digit());
    let parsed = minor.parse().ok().filter(|_| is_number);
    parsed.map(Some).ok_or_else(|| name.to_owned())
}

fn detail(found: &[Violation]) -> String {
    let found = found.iter().map(|it| match it.detail.as_str() {
        "" => it.reason.clone(),
        detail => format!("{} ({detail})", it.reason),
    });
    found.collect::<Vec<_>>().join(", ")
}

/// Rejects a Pod that violates the policy of its namespace, and warns of Pods and templates.
pub(super) fn admit(
    store: &Store,
    request: &Request,
    old: Option<&Value>,
    object: &Value,
    notes: &mut Notes,
) -> Answer<()> {
    let (kind, subresource) = (&request.target.kind, request.target.subresource.as_str());
    if kind.is_namespace() && subresource.is_empty() {
        return namespace(store, kind, old, object, notes);
    }
    let is_pod = kind.is_pod();
    let is_checked = subresource.is_empty() || is_pod && subresource == "ephemeralcontainers";
    let Some(path) = builtin::strategy(kind).template.filter(|_| is_checked) else {
        return Ok(());
    };
    let Some(namespace) = store.find("v1", "Namespace", "", object::namespace(object)) else {
        return Ok(());
    };
    let policies = policies(&namespace);
    let of = |pointer: &str| at(object, &format!("{path}{pointer}"));
    let (metadata, spec) = (of("/metadata"), of("/spec"));
    if is_pod {
        if old.is_some_and(|old| !is_significant(old, object)) {
            return Ok(());
        }
        let found = policies.enforce.check(metadata, spec);
        if !found.is_empty() {
            let name = policies.enforce.name();
            let why = format!("violates PodSecurity {name:?}: {}", detail(&found));
            return Err(forbidden(kind, object::name(object), &why));
        }
    }
    let found = policies.warn.check(metadata, spec);
    if !found.is_empty() && spec.is_object() {
        let name = policies.warn.name();
        let warning = format!("would violate PodSecurity {name:?}: {}", detail(&found));
        notes.warnings.push(warning);
    }
    Ok(())
}

/// Returns whether an update changes what the policies look at: images, or which containers there are.
fn is_significant(old: &Value, pod: &Value) -> bool {
    let parts = |pod: &Value, field: &str| -> Vec<(String, String)> {
        let containers = list(pod, &format!("/spec/{field}")).iter();
        let named = |it: &Value, field: &str| text(it, field).to_owned();
        containers
            .map(|it| (named(it, "/name"), named(it, "/image")))
            .collect()
    };
    let mut fields = ["containers", "initContainers", "ephemeralContainers"].into_iter();
    fields.any(|field| parts(old, field) != parts(pod, field))
}

/// Rejects labels without a meaning, and warns of Pods that violate a stricter level.
fn namespace(
    store: &Store,
    kind: &Kind,
    old: Option<&Value>,
    object: &Value,
    notes: &mut Notes,
) -> Answer<()> {
    let new = policies(object);
    let before = old.map(policies);
    let was_wrong = before
        .as_ref()
        .is_some_and(|before| before.wrong == new.wrong);
    if !new.wrong.is_empty() && !was_wrong {
        let causes = new.wrong.iter().map(|(label, value, why)| {
            let message = format!("Invalid value: {value:?}: {why}");
            cause(
                format!("metadata.labels[{label}]"),
                "FieldValueInvalid",
                message,
            )
        });
        return Err(invalid(kind, object::name(object), causes.collect()));
    }
    let Some(before) = before else {
        return Ok(());
    };
    let (from, to) = (before.enforce, new.enforce);
    if from == to || to.version == from.version && to.level <= from.level {
        return Ok(());
    }
    notes
        .warnings
        .extend(existing(store, object::name(object), to));
    Ok(())
}

/// Returns the warnings about the Pods of a namespace that violate its new policy.
fn existing(store: &Store, namespace: &str, policy: Policy) -> Vec<String> {
    let pods = store.kinds.named("v1", "Pod");
    let pods = pods.map(|kind| store.list(kind, namespace));
    // The names of the Pods, by what is wrong with them.
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for pod in pods.into_iter().flatten() {
        let reasons = policy.check(at(&pod, "/metadata"), at(&pod, "/spec"));
        let reasons: Vec<String> = reasons.into_iter().map(|it| it.reason).collect();
        if !reasons.is_empty() {
            let names = found.entry(reasons.join(", ")).or_default();
            names.insert(object::name(&pod).to_owned());
        }
    }
    let warnings = found.into_iter().filter_map(|(reasons, names)| {
        let first = names.first()?;
        Some(match names.len() {
            1 => format!("{first}: {reasons}"),
            2 => format!("{first} (and 1 other pod): {reasons}"),
            count => format!("{first} (and {} other pods): {reasons}", count - 1),
        })
    });
    let mut warnings: Vec<String> = warnings.collect();
    warnings.sort();
    if !warnings.is_empty() {
        let name = policy.name();
        let all = format!(
            "existing pods in namespace {namespace:?} violate the new PodSecurity enforce level {name:?}"
        );
        warnings.insert(0, all);
    }
    warnings
}
