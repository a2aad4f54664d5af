//! The admission plug-ins `Priority`, `RuntimeClass`, `DefaultStorageClass` and `DefaultIngressClass`: what an object takes from its class.

use std::{cmp::Reverse, sync::Arc};

use serde_json::{Value, json};

use crate::{
    kinds::{kind::Kind, status::forbidden, store::Store},
    request::Notes,
    values::{
        object::{self, at, flag, list, map, put, section, text},
        status::Answer,
    },
};

const SCHEDULING: &str = "scheduling.k8s.io/v1";
/// The classes that every cluster has.
const PRIORITIES: [(&str, i64); 2] = [
    ("system-cluster-critical", 2_000_000_000),
    ("system-node-critical", 2_000_001_000),
];

/// Sets what a new object takes from its class.
pub(super) fn apply(
    store: &Store,
    kind: &Kind,
    object: &mut Value,
    notes: &mut Notes,
) -> Answer<()> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Pod") => {
            priority(store, kind, object)?;
            runtime(store, kind, object)
        }
        ("", "PersistentVolumeClaim") => {
            if at(object, "/spec/storageClassName").is_null() {
                set_default(store, &STORAGE, object);
            }
            Ok(())
        }
        ("networking.k8s.io", "Ingress") => {
            let annotations = at(object, "/metadata/annotations");
            let has_class = annotations.get("kubernetes.io/ingress.class").is_some();
            if !at(object, "/spec/ingressClassName").is_null() {
                return Ok(());
            }
            if has_class {
                let why = r#"annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead"#;
                notes.warnings.push(why.to_owned());
            } else {
                set_default(store, &INGRESS, object);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Rejects a second default of the priority classes.
pub(crate) fn check(store: &Store, kind: &Kind, object: &Value) -> Answer<()> {
    if kind.group != "scheduling.k8s.io" || !flag(object, "/globalDefault") {
        return Ok(());
    }
    let name = object::name(object);
    match default_priority(store).filter(|other| object::name(other) != name) {
        None => Ok(()),
        Some(other) => {
            let other = object::name(&other);
            let why = format!(
                "PriorityClass {other} is already marked as default. Only one default can exist"
            );
            Err(forbidden(kind, name, &why))
        }
    }
}

fn classes(store: &Store, api_version: &str, kind: &str) -> Vec<Arc<Value>> {
    let kind = store.kinds.named(api_version, kind);
    kind.map(|kind| store.list(kind, "")).unwrap_or_default()
}

fn default_priority(store: &Store) -> Option<Arc<Value>> {
    let mut classes = classes(store, SCHEDULING, "PriorityClass").into_iter();
    classes.find(|class| flag(class, "/globalDefault"))
}

/// A kind of class whose default an annotation marks, and the field in which an object names its class.
struct Defaulted {
    api_version: &'static str,
    kind: &'static str,
    mark: &'static str,
    field: &'static str,
}

const STORAGE: Defaulted = Defaulted {
    api_version: "storage.k8s.io/v1",
    kind: "StorageClass",
    mark: "storageclass.kubernetes.io/is-default-class",
    field: "/spec/storageClassName",
};
const INGRESS: Defaulted = Defaulted {
    api_version: "networking.k8s.io/v1",
    kind: "IngressClass",
    mark: "ingressclass.kubernetes.io/is-default-class",
    field: "/spec/ingressClassName",
};

/// Sets the newest class that is marked as the default.
fn set_default(store: &Store, of: &Defaulted, object: &mut Value) {
    let classes = classes(store, of.api_version, of.kind).into_iter();
    let marked = classes.filter(|class| {
        let annotations = at(class, "/metadata/annotations");
        annotations.get(of.mark).is_some_and(|it| it == "true")
    });
    let newest = marked.min_by_key(|class| {
        let created = text(class, "/metadata/creationTimestamp").to_owned();
        (Reverse(created), object::name(class).to_owned())
    });
    if let Some(class) = newest {
        put(object, of.field, object::name(&class).into());
    }
}

fn priority(store: &Store, kind: &Kind, pod: &mut Value) -> Answer<()> {
    let name = text(pod, "/spec/priorityClassName").to_owned();
    let (value, policy) = if name.is_empty() {
        let class = default_priority(store);
        if let Some(class) = &class {
            put(pod, "/spec/priorityClassName", object::name(class).into());
        }
        let class = class.map(|class| of_class(&class));
        class.unwrap_or((0, None))
    } else {
        let found = store.find(SCHEDULING, "PriorityClass", "", &name);
        let found = found.map(|class| of_class(&class)).or_else(|| {
            let mut known = PRIORITIES.iter();
            let known = known.find(|(known, _)| *known == name);
            known.map(|(_, value)| (*value, None))
        });
        let missing = || {
            let why = format!("no PriorityClass with name {name} was found");
            forbidden(kind, object::name(pod), &why)
        };
        found.ok_or_else(missing)?
    };
    let policy = policy.unwrap_or_else(|| "PreemptLowerPriority".to_owned());
    let rejected = |what: &str, asked: &Value, computed: &str| {
        let asked = asked
            .as_str()
            .map_or_else(|| asked.to_string(), str::to_owned);
        let why = format!(
            "the {what} ({asked}) must not be provided in pod spec; priority admission controller computed {computed} from the given PriorityClass name"
        );
        Err(forbidden(kind, object::name(pod), &why))
    };
    let asked = at(pod, "/spec/priority");
    if !asked.is_null() && *asked != value {
        return rejected("integer value of priority", asked, &value.to_string());
    }
    let asked = at(pod, "/spec/preemptionPolicy");
    if !asked.is_null() && *asked != policy.as_str() {
        return rejected("string value of PreemptionPolicy", asked, &policy);
    }
    put(pod, "/spec/priority", value.into());
    put(pod, "/spec/preemptionPolicy", policy.into());
    Ok(())
}

/// Returns the priority of a class, and its policy.
fn of_class(class: &Value) -> (i64, Option<String>) {
    let policy = at(class, "/preemptionPolicy").as_str();
    let value = at(class, "/value").as_i64();
    (value.unwrap_or_default(), policy.map(str::to_owned))
}

fn runtime(store: &Store, kind: &Kind, pod: &mut Value) -> Answer<()> {
    let rejected = |pod: &Value, why: &str| Err(forbidden(kind, object::name(pod), why));
    let name = text(pod, "/spec/runtimeClassName").to_owned();
    let asked = at(pod, "/spec/overhead").clone();
    let class = if name.is_empty() {
        None
    } else {
        let found = store.find("node.k8s.io/v1", "RuntimeClass", "", &name);
        if found.is_none() {
            let why = format!("pod rejected: RuntimeClass {name:?} not found");
            return rejected(pod, &why);
        }
        found
    };
    let class = class.as_deref().unwrap_or(&Value::Null);
    let overhead = at(class, "/overhead/podFixed");
    if overhead.is_null() && !asked.is_null() {
        let why =
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
        return rejected(pod, why);
    }
    if !overhead.is_null() {
        if !asked.is_null() && asked != *overhead {
            let why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
            return rejected(pod, why);
        }
        put(pod, "/spec/overhead", overhead.clone());
    }
    let selected = at(class, "/scheduling/nodeSelector").as_object();
    for (key, value) in selected.into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        let spec = section(pod, "spec").entry("nodeSelector");
        let own = map(spec.or_insert(Value::Null)).entry(key.as_str());
        let own = own.or_insert(value.into());
        if own != value {
            let own = own.as_str().unwrap_or_default();
            let why = format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {own}"
            );
            return rejected(pod, &why);
        }
    }
    let tolerations = list(class, "/scheduling/tolerations");
    if !tolerations.is_empty() {
        let mut all = list(pod, "/spec/tolerations").to_vec();
        for toleration in tolerations {
            if !all.contains(toleration) {
                all.push(toleration.clone());
            }
        }
        put(pod, "/spec/tolerations", json!(all));
    }
    Ok(())
}
