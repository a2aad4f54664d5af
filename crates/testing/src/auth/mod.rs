//! Authentication by tokens and impersonation, reviews, and the roles that every cluster has.

pub(crate) mod review;
pub(crate) mod token;

use std::sync::Mutex;

use http::{HeaderMap, HeaderName, header, request::Parts};
use kube::core::response::{Status, reason};
use serde_json::{Value, json};

use crate::{
    handlers::client::{Client, check},
    kinds::store::{Backend, Store},
    rbac::{self, Attributes},
    request::{AUTHENTICATED, MASTERS, User},
    storage::lock,
    values::status::{Answer, bad_request},
};
pub(crate) use token::SERVER as ISSUER;
use token::Tokens;

/// What the server knows about users.
#[derive(Debug)]
pub(crate) struct Auth {
    /// Whether users are distinguished. If not, everyone may do everything.
    pub(crate) enabled: bool,
    pub(crate) tokens: Tokens,
    /// The token of the kubeconfig.
    pub(crate) administrator: String,
}

impl Default for Auth {
    /// Without authorization, each token is one of the administrator; kubectl needs one over TLS.
    fn default() -> Self {
        let administrator = token::random();
        let mut tokens = Tokens::default();
        tokens.add(administrator.clone(), User::admin());
        Self {
            enabled: false,
            tokens,
            administrator,
        }
    }
}

/// Switches authorization on, and creates the roles that every cluster has.
pub(crate) fn start(store: &mut Store) {
    let role = |name: &str, rules: Value| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": name, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}},
            "rules": rules,
        })
    };
    let binding = |name: &str, group: &str| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
        })
    };
    let everything = json!([
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
        {"verbs": ["*"], "nonResourceURLs": ["*"]},
    ]);
    let own = json!([
        {"verbs": ["create"], "apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]},
        {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
    ]);
    let discovery = json!([{"verbs": ["get"], "nonResourceURLs": [
        "/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/",
    ]}]);
    let public = json!([{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"]}]);
    for (name, rules, group) in [
        ("cluster-admin", everything, MASTERS),
        ("system:basic-user", own, AUTHENTICATED),
        ("system:discovery", discovery, AUTHENTICATED),
        (
            "system:public-info-viewer",
            public,
            "system:unauthenticated",
        ),
    ] {
        for object in [role(name, rules), binding(name, group)] {
            check(Client::new(store).create("kube-apiserver", &object));
        }
    }
    let roles: Vec<Value> = serde_json::from_str(ROLES).unwrap_or_default();
    for role in roles {
        check(Client::new(store).create("kube-apiserver", &role));
    }
}

/// The roles that people bind, with the rules of kube-apiserver 1.37.
const ROLES: &str = include_str!("roles.json");

/// Returns the user who sends a request; `user` is that of an in-process client.
pub(crate) fn authenticate(
    auth: &Mutex<Auth>,
    backend: &Backend,
    parts: &Parts,
    user: Option<User>,
) -> Answer<User> {
    let auth = lock(auth);
    if !auth.enabled {
        return Ok(user.unwrap_or_else(User::admin));
    }
    let header = parts
        .headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let user = match (header, user) {
        (_, Some(user)) => user,
        (None, None) => User::anonymous(),
        (Some(value), None) => value
            .strip_prefix("Bearer ")
            .and_then(|token| auth.tokens.user(token.trim()))
            .ok_or_else(unauthorized)?,
    };
    drop(auth);
    if token::check(&lock(&backend.store), &user).is_err() {
        return Err(unauthorized());
    }
    Ok(user)
}

/// Returns the user that the headers `Impersonate-*` name, if the sender may act as that user.
pub(crate) fn impersonate(
    auth: &Mutex<Auth>,
    backend: &Backend,
    headers: &HeaderMap,
    user: User,
) -> Answer<User> {
    if !lock(auth).enabled {
        return Ok(user);
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(name) = text("impersonate-user") else {
        return match nobody(headers) {
            Some(asked) => Err(bad_request(&format!(
                "requested {asked} without impersonating a user name"
            ))),
            None => Ok(user),
        };
    };
    let groups: Vec<&str> = headers
        .get_all("impersonate-group")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    let store = lock(&backend.store);
    let account = name
        .strip_prefix("system:serviceaccount:")
        .and_then(|rest| rest.split_once(':'));
    let (resource, namespace, plain) = match account {
        Some((namespace, name)) => ("serviceaccounts", namespace, name),
        None => ("users", "", name),
    };
    let mut wanted = vec![(resource, namespace, plain)];
    wanted.extend(groups.iter().map(|group| ("groups", "", *group)));
    for (resource, namespace, name) in wanted {
        let attributes = Attributes {
            verb: "impersonate",
            group: "",
            resource,
            subresource: "",
            namespace,
            name,
            path: "",
        };
        rbac::authorize(&store, &user, &attributes)?;
    }
    let mut acting = match account {
        Some((namespace, name)) => User::account(namespace, name),
        None if name == User::anonymous().name => User::anonymous(),
        None => User::new(name),
    };
    acting
        .groups
        .splice(0..0, groups.iter().map(ToString::to_string));
    text("impersonate-uid")
        .unwrap_or_default()
        .clone_into(&mut acting.uid);
    Ok(acting)
}

/// Returns what the headers ask to be without a name, as Go shows it; none if they ask nothing.
fn nobody(headers: &HeaderMap) -> Option<String> {
    let values = |name: &HeaderName| {
        let values = headers.get_all(name).into_iter();
        let values = values.filter_map(|it| it.to_str().ok());
        let values: Vec<String> = values.map(|it| format!("{it:?}")).collect();
        values
    };
    let slice = |values: &[String]| match values {
        [] => "[]string(nil)".to_owned(),
        values => format!("[]string{{{}}}", values.join(", ")),
    };
    let groups = values(&HeaderName::from_static("impersonate-group"));
    let uid = values(&HeaderName::from_static("impersonate-uid"));
    let extra = headers.keys().filter_map(|header| {
        let name = header.as_str().strip_prefix("impersonate-extra-")?;
        Some(format!("{name:?}:{}", slice(&values(header))))
    });
    let mut extra: Vec<String> = extra.collect();
    extra.sort();
    if groups.is_empty() && uid.is_empty() && extra.is_empty() {
        return None;
    }
    let extra = match extra.as_slice() {
        [] => "map[string][]string(nil)".to_owned(),
        extra => format!("map[string][]string{{{}}}", extra.join(", ")),
    };
    let uid = uid.first().map_or("\"\"", String::as_str);
    let groups = slice(&groups);
    Some(format!(
        "&user.DefaultInfo{{Name:\"\", UID:{uid}, Groups:{groups}, Extra:{extra}}}"
    ))
}

fn unauthorized() -> Box<Status> {
    Status::failure("Unauthorized", reason::UNAUTHORIZED)
        .with_code(401)
        .boxed()
}
