//! Evaluates Roles and bindings (`k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac`).
//!
//! It may use `request`, `kinds` and `values`.

mod escalation;

use std::collections::BTreeSet;

use http::Method;
use kube::core::response::{Status, StatusDetails, reason};
use serde_json::{Value, json};

use crate::{
    kinds::store::Store,
    request::{MASTERS, Request, User, Verb},
    values::{
        object::{self, at, list, strings, text},
        status::{Answer, no_details},
    },
};

pub(crate) use escalation::check as check_escalation;

const GROUP: &str = "rbac.authorization.k8s.io/v1";

/// What a request asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes<'a> {
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) subresource: &'a str,
    /// Empty at the cluster scope.
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    /// The path of a request without a resource.
    pub(crate) path: &'a str,
}

impl<'a> Attributes<'a> {
    /// Returns what a request for a resource asks for.
    pub(crate) fn of(request: &'a Request) -> Self {
        let target = &request.target;
        // The subresources of a Namespace are in it.
        let namespace = match target.namespace.as_str() {
            "" if target.kind.is_namespace() => &target.name,
            namespace => namespace,
        };
        let name = match request.verb {
            Verb::List | Verb::Watch => selected(request.query.get("fieldSelector")),
            _ => &target.name,
        };
        Self {
            verb: request.verb.as_str(),
            group: &target.kind.group,
            resource: &target.kind.plural,
            subresource: &target.subresource,
            namespace,
            name,
            path: "",
        }
    }

    /// Returns what a request for a document asks for.
    pub(crate) fn of_path(method: &Method, path: &'a str) -> Self {
        let verb = if method == Method::GET { "get" } else { "post" };
        Self {
            verb,
            group: "",
            resource: "",
            subresource: "",
            namespace: "",
            name: "",
            path,
        }
    }

    fn resource(&self) -> String {
        if self.subresource.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}/{}", self.resource, self.subresource)
        }
    }
}

/// Returns the name that a field selector demands.
fn selected(selector: Option<&str>) -> &str {
    let terms = selector.unwrap_or_default().split(',');
    let mut names = terms.filter_map(|term| {
        let name = term.trim().strip_prefix("metadata.name=")?;
        Some(name.strip_prefix('=').unwrap_or(name))
    });
    names.next().unwrap_or_default()
}

/// Rejects a request that no rule of the user allows, with the message of kube-apiserver.
pub(crate) fn authorize(store: &Store, user: &User, attributes: &Attributes<'_>) -> Answer<()> {
    match allowed(store, user, attributes) {
        Ok(_) => Ok(()),
        Err(problems) => Err(rejection(user, attributes, &problems)),
    }
}

/// Returns which binding allows a request, or the problems of bindings that do not apply.
pub(crate) fn allowed(
    store: &Store,
    user: &User,
    attributes: &Attributes<'_>,
) -> Result<String, Vec<String>> {
    if user.groups.iter().any(|group| group == MASTERS) {
        return Ok(String::new());
    }
    let mut problems = Vec::new();
    for granted in grants(store, user, attributes.namespace, &mut problems) {
        if granted.rules.iter().any(|rule| matches(rule, attributes)) {
            return Ok(format!("RBAC: allowed by {}", granted.reason));
        }
    }
    Err(problems)
}

/// Returns the rules of a user in a namespace, as in a `SelfSubjectRulesReview`.
pub(crate) fn rules(store: &Store, user: &User, namespace: &str) -> Value {
    let masters = user.groups.iter().any(|group| group == MASTERS);
    let mut problems = Vec::new();
    let mut rules: Vec<Value> = grants(store, user, namespace, &mut problems)
        .into_iter()
        .flat_map(|granted| granted.rules)
        .collect();
    if masters {
        rules = vec![
            json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}),
            json!({"verbs": ["*"], "nonResourceURLs": ["*"]}),
        ];
    }
    let (urls, resources): (Vec<_>, Vec<_>) = rules
        .into_iter()
        .partition(|rule| !list(rule, "/nonResourceURLs").is_empty());
    let mut status = json!({"resourceRules": resources, "nonResourceRules": urls, "incomplete": !problems.is_empty()});
    if !problems.is_empty() {
        status["evaluationError"] = problems.join(", ").into();
    }
    status
}

struct Granted {
    rules: Vec<Value>,
    reason: String,
}

fn grants(store: &Store, user: &User, namespace: &str, problems: &mut Vec<String>) -> Vec<Granted> {
    let mut granted = Vec::new();
    let mut read = |kind: &str, scope: &str| {
        let Some(known) = store.kinds.named(GROUP, kind) else {
            return;
        };
        for binding in store.list(known, scope) {
            let Some(subject) = list(&binding, "/subjects")
                .iter()
                .find(|subject| applies(subject, user, scope))
            else {
                continue;
            };
            let role = text(&binding, "/roleRef/name");
            match role_rules(store, text(&binding, "/roleRef/kind"), role, scope) {
                Some(rules) => {
                    let place = match scope {
                        "" => object::name(&binding).to_owned(),
                        scope => format!("{}/{scope}", object::name(&binding)),
                    };
                    granted.push(Granted {
                        rules,
                        reason: format!(
                            "{kind} {place:?} of {} {role:?} to {} {:?}",
                            text(&binding, "/roleRef/kind"),
                            text(subject, "/kind"),
                            name_of(subject),
                        ),
                    });
                }
                None => problems.push(format!(
                    "{}.rbac.authorization.k8s.io {role:?} not found",
                    text(&binding, "/roleRef/kind").to_lowercase()
                )),
            }
        }
    };
    read("ClusterRoleBinding", "");
    if !namespace.is_empty() {
        read("RoleBinding", namespace);
    }
    granted
}

fn name_of(subject: &Value) -> String {
    match text(subject, "/kind") {
        "ServiceAccount" => format!("{}/{}", text(subject, "/name"), text(subject, "/namespace")),
        _ => text(subject, "/name").to_owned(),
    }
}

fn applies(subject: &Value, user: &User, namespace: &str) -> bool {
    let name = text(subject, "/name");
    match text(subject, "/kind") {
        "User" => name == user.name,
        "Group" => user.groups.iter().any(|group| group == name),
        "ServiceAccount" => {
            let namespace = match text(subject, "/namespace") {
                "" => namespace,
                own => own,
            };
            user.name == format!("system:serviceaccount:{namespace}:{name}")
        }
        _ => false,
    }
}

/// Returns the rules of a role; those of an aggregated one are collected here, since no controller does it.
fn role_rules(store: &Store, kind: &str, name: &str, namespace: &str) -> Option<Vec<Value>> {
    let known = store.kinds.named(GROUP, kind)?;
    let scope = if kind == "Role" { namespace } else { "" };
    let role = store.get(known, scope, name)?;
    let (mut rules, mut seen) = (Vec::new(), BTreeSet::new());
    let mut next = vec![role];
    // What is collected may collect others: `admin` has what `edit` and `view` have.
    while let Some(role) = next.pop() {
        if !seen.insert(object::name(&role).to_owned()) {
            continue;
        }
        rules.extend_from_slice(list(&role, "/rules"));
        let selectors = list(&role, "/aggregationRule/clusterRoleSelectors");
        for selector in selectors {
            let wanted = at(selector, "/matchLabels").as_object();
            let others = store.list(known, "").into_iter();
            next.extend(others.filter(|other| {
                let labels = at(other, "/metadata/labels");
                let has = |(key, value): (&String, &Value)| labels.get(key) == Some(value);
                wanted.is_some_and(|wanted| wanted.iter().all(has))
            }));
        }
    }
    Some(rules)
}

fn matches(rule: &Value, attributes: &Attributes<'_>) -> bool {
    let any = |field: &str, wanted: &str| {
        strings(rule, field)
            .iter()
            .any(|found| found == "*" || found == wanted)
    };
    if !any("/verbs", attributes.verb) {
        return false;
    }
    if !attributes.path.is_empty() {
        return strings(rule, "/nonResourceURLs").iter().any(|url| {
            url.strip_suffix('*')
                .map_or(url == attributes.path, |start| {
                    attributes.path.starts_with(start)
                })
        });
    }
    let all_of_subresource = format!("*/{}", attributes.subresource);
    let resource = attributes.resource();
    let names = strings(rule, "/resourceNames");
    any("/apiGroups", attributes.group)
        && strings(rule, "/resources").iter().any(|found| {
            *found == resource
                || found == "*"
                || !attributes.subresource.is_empty() && *found == all_of_subresource
        })
        && (names.is_empty() || names.iter().any(|name| name == attributes.name))
}

fn rejection(user: &User, attributes: &Attributes<'_>, problems: &[String]) -> Box<Status> {
    let Attributes {
        verb,
        group,
        resource,
        namespace,
        name,
        path,
        ..
    } = *attributes;
    let mut why = if path.is_empty() {
        let scope = if namespace.is_empty() {
            "at the cluster scope".to_owned()
        } else {
            format!("in the namespace {namespace:?}")
        };
        let asked = attributes.resource();
        format!(
            "User {:?} cannot {verb} resource {asked:?} in API group {group:?} {scope}",
            user.name
        )
    } else {
        format!("User {:?} cannot {verb} path {path:?}", user.name)
    };
    if !problems.is_empty() {
        why = format!("{why}: RBAC: {}", list_of(problems));
    }
    let what = match (path, group, name) {
        (path, _, _) if !path.is_empty() => String::new(),
        (_, "", "") => resource.to_owned(),
        (_, "", name) => format!("{resource} {name:?}"),
        (_, group, "") => format!("{resource}.{group}"),
        (_, group, name) => format!("{resource}.{group} {name:?}"),
    };
    let message = if what.is_empty() {
        format!("forbidden: {why}")
    } else {
        format!("{what} is forbidden: {why}")
    };
    let details = StatusDetails {
        name: name.to_owned(),
        group: group.to_owned(),
        kind: resource.to_owned(),
        ..no_details()
    };
    Status::failure(&message, reason::FORBIDDEN)
        .with_code(403)
        .with_details(details)
        .boxed()
}

/// Formats errors as Go's `utilerrors.Aggregate` does.
fn list_of(problems: &[String]) -> String {
    match problems {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}
