//! Keeps users from giving away permissions that they do not have
//! (<https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping>).
//!
//! As `k8s.io/component-helpers/auth/rbac/validation` does it, the rules that are granted are broken down into single permissions, one
//! group, resource, verb and name each, and each of them has to be covered by one rule of the user. Those that are not are put together again
//! for the message.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Attributes, GROUP, allowed, grants, list_of, role_rules};
use crate::{
    kinds::{
        status::{forbidden, not_found},
        store::Store,
    },
    request::{MASTERS, Request},
    values::{
        object::{self, at, list, strings, text},
        status::Answer,
    },
};

const API_GROUP: &str = "rbac.authorization.k8s.io";

/// Rejects a role with more permissions than the user has, and a binding to such a role.
pub(crate) fn check(
    store: &Store,
    request: &Request,
    old: Option<&Value>,
    new: &Value,
) -> Answer<()> {
    let (kind, user) = (&request.target.kind, &request.user);
    let is_master = user.groups.iter().any(|group| group == MASTERS);
    if !store.authorization || kind.group != API_GROUP || is_master {
        return Ok(());
    }
    // The garbage collector has no permissions to give.
    if old.is_some_and(|old| is_collected(old, new)) {
        return Ok(());
    }
    let namespace = object::namespace(new);
    let may = |verb, resource, name| {
        let attributes = Attributes {
            verb,
            group: API_GROUP,
            resource,
            subresource: "",
            namespace,
            name,
            path: "",
        };
        allowed(store, user, &attributes).is_ok()
    };
    let granted = match kind.kind.as_str() {
        "Role" | "ClusterRole" => {
            if may("escalate", &kind.plural, &request.target.name) {
                return Ok(());
            }
            let mut granted = list(new, "/rules").to_vec();
            if !at(new, "/aggregationRule").is_null() {
                granted.extend(everything());
            }
            granted
        }
        "RoleBinding" | "ClusterRoleBinding" => {
            let role = text(new, "/roleRef/name");
            let role_kind = text(new, "/roleRef/kind");
            let known = store.kinds.named(GROUP, role_kind);
            if known.is_some_and(|known| may("bind", &known.plural, role)) {
                return Ok(());
            }
            let rules = role_rules(store, role_kind, role, namespace);
            rules.ok_or_else(|| not_found(kind, role))?
        }
        _ => return Ok(()),
    };
    let mut problems = Vec::new();
    let own = grants(store, user, namespace, &mut problems).into_iter();
    let own: Vec<Value> = own.flat_map(|granted| granted.rules).collect();
    let single = granted.iter().flat_map(broken_down);
    let missing: Vec<Single> = single
        .filter(|single| !own.iter().any(|rule| covers(rule, single)))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let groups: Vec<String> = user.groups.iter().map(|it| format!("{it:?}")).collect();
    let mut why = format!(
        "user {:?} (groups=[{}]) is attempting to grant RBAC permissions not currently held:\n{}",
        user.name,
        groups.join(" "),
        shown(missing).join("\n")
    );
    if !problems.is_empty() {
        why = format!("{why}; resolution errors: {}", list_of(&problems));
    }
    Err(forbidden(kind, object::name(new), &why))
}

/// What a role that collects others may come to grant.
fn everything() -> [Value; 2] {
    [
        json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}),
        json!({"verbs": ["*"], "nonResourceURLs": ["*"]}),
    ]
}

/// Returns whether only what the garbage collector writes has changed.
fn is_collected(old: &Value, new: &Value) -> bool {
    let rest = |object: &Value| {
        let mut rest = object.clone();
        let metadata = object::section(&mut rest, "metadata");
        for field in [
            "ownerReferences",
            "finalizers",
            "managedFields",
            "resourceVersion",
        ] {
            metadata.remove(field);
        }
        rest
    };
    rest(old) == rest(new)
}

/// One permission: of a path, or of a resource, perhaps of one name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Single {
    place: Place,
    verb: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Resource {
        group: String,
        resource: String,
        name: Option<String>,
    },
    Path(String),
}

fn broken_down(rule: &Value) -> Vec<Single> {
    let names = strings(rule, "/resourceNames").into_iter().map(Some);
    let mut names: Vec<Option<String>> = names.collect();
    if names.is_empty() {
        names.push(None);
    }
    let mut places = Vec::new();
    for group in strings(rule, "/apiGroups") {
        for resource in strings(rule, "/resources") {
            places.extend(names.iter().map(|name| Place::Resource {
                group: group.clone(),
                resource: resource.clone(),
                name: name.clone(),
            }));
        }
    }
    let paths = strings(rule, "/nonResourceURLs").into_iter();
    places.extend(paths.map(Place::Path));
    let verbs = strings(rule, "/verbs");
    let singles = places.into_iter().flat_map(|place| {
        verbs.iter().map(move |verb| Single {
            place: place.clone(),
            verb: verb.clone(),
        })
    });
    singles.collect()
}

fn covers(rule: &Value, single: &Single) -> bool {
    let has = |pointer: &str, wanted: &str| {
        let mut found = strings(rule, pointer).into_iter();
        found.any(|found| found == "*" || found == wanted)
    };
    let place = match &single.place {
        Place::Path(path) => strings(rule, "/nonResourceURLs")
            .iter()
            .any(|url| url == path || url.strip_suffix('*').is_some_and(|it| path.starts_with(it))),
        Place::Resource {
            group,
            resource,
            name,
        } => {
            let of_all = resource.split_once('/').map(|(_, it)| format!("*/{it}"));
            let names = strings(rule, "/resourceNames");
            let is_named = names.is_empty() || name.as_ref().is_some_and(|it| names.contains(it));
            let is_resource =
                has("/resources", resource) || of_all.is_some_and(|it| has("/resources", &it));
            has("/apiGroups", group) && is_resource && is_named
        }
    };
    place && has("/verbs", &single.verb)
}

/// Puts permissions together by their place, and formats them as Go does.
fn shown(missing: Vec<Single>) -> Vec<String> {
    let mut places: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    for Single { place, verb } in missing {
        places.entry(place).or_default().push(verb);
    }
    let quoted = |values: &[String]| {
        let values: Vec<String> = values.iter().map(|it| format!("{it:?}")).collect();
        values.join(" ")
    };
    let shown = places.into_iter().map(|(place, verbs)| {
        let verbs = quoted(&verbs);
        match place {
            Place::Path(path) => format!("{{NonResourceURLs:[{path:?}], Verbs:[{verbs}]}}"),
            Place::Resource {
                group,
                resource,
                name,
            } => {
                let names = name.map(|it| format!(", ResourceNames:[{it:?}]"));
                format!(
                    "{{APIGroups:[{group:?}], Resources:[{resource:?}]{}, Verbs:[{verbs}]}}",
                    names.unwrap_or_default()
                )
            }
        }
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort_unstable();
    shown
}
