//! Authentication by tokens and impersonation, and authorization by the stored RBAC objects.

pub(crate) mod rbac;
pub(crate) mod review;
pub(crate) mod token;

use http::{HeaderMap, header, request::Parts};
use kube::core::response::{Status, reason};
use serde_json::{Value, json};

use crate::{
    handlers::internal,
    server::shared::{Shared, lock},
    storage::store::Store,
    values::status::Answer,
};
use rbac::Attributes;
use token::Tokens;

const MASTERS: &str = "system:masters";
const AUTHENTICATED: &str = "system:authenticated";

/// Who sends a request.
///
/// ```
/// # use kube_codegen_testing::{ApiServer, User};
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let server = ApiServer::builder().authorization().build();
/// let jane = server.client_as(User::new("jane").group("developers"));
/// let maps: kube::Api<ConfigMap> = kube::Api::namespaced(jane, "default");
/// let Err(kube::Error::Api(status)) = maps.get("a").await else { panic!() };
/// assert_eq!(
///     status.message,
///     r#"configmaps "a" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "default""#
/// );
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct User {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) groups: Vec<String>,
}

impl User {
    /// Returns an authenticated user.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            uid: String::new(),
            groups: vec![AUTHENTICATED.to_owned()],
        }
    }

    /// Returns the user of a service account.
    pub fn account(namespace: &str, name: &str) -> Self {
        let mut user = Self::new(format!("system:serviceaccount:{namespace}:{name}"));
        let groups = [
            "system:serviceaccounts".to_owned(),
            format!("system:serviceaccounts:{namespace}"),
        ];
        user.groups.splice(0..0, groups);
        user
    }

    /// Adds a group.
    pub fn group(mut self, name: impl Into<String>) -> Self {
        self.groups.insert(0, name.into());
        self
    }

    /// Returns the user that may do everything.
    pub(crate) fn admin() -> Self {
        Self::new("kubernetes-admin").group(MASTERS)
    }

    fn anonymous() -> Self {
        Self {
            name: "system:anonymous".to_owned(),
            uid: String::new(),
            groups: vec!["system:unauthenticated".to_owned()],
        }
    }

    /// Returns the user as in the status of a review.
    pub(crate) fn info(&self) -> Value {
        let mut info = json!({"username": self.name, "groups": self.groups});
        if !self.uid.is_empty() {
            info["uid"] = self.uid.clone().into();
        }
        info
    }
}

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
    let own_rights = json!([
        {"verbs": ["create"], "apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]},
        {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
    ]);
    let discovery = json!([{"verbs": ["get"], "nonResourceURLs": [
        "/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/",
    ]}]);
    let public = json!([{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"]}]);
    for (name, rules, group) in [
        ("cluster-admin", everything, MASTERS),
        ("system:basic-user", own_rights, AUTHENTICATED),
        ("system:discovery", discovery, AUTHENTICATED),
        (
            "system:public-info-viewer",
            public,
            "system:unauthenticated",
        ),
    ] {
        internal::create(store, "kube-apiserver", &role(name, rules)).ok();
        internal::create(store, "kube-apiserver", &binding(name, group)).ok();
    }
}

/// Returns the user of a request; `user` is that of an in-process client.
pub(crate) fn authenticate(shared: &Shared, parts: &Parts, user: Option<User>) -> Answer<User> {
    let auth = lock(&shared.auth);
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
    impersonated(shared, &parts.headers, user)
}

/// Returns the user that the headers `Impersonate-*` name, if the sender may act as that user.
fn impersonated(shared: &Shared, headers: &HeaderMap, user: User) -> Answer<User> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(name) = text("impersonate-user") else {
        return Ok(user);
    };
    let groups: Vec<&str> = headers
        .get_all("impersonate-group")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    let store = lock(&shared.store);
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

fn unauthorized() -> Box<Status> {
    Status::failure("Unauthorized", reason::UNAUTHORIZED)
        .with_code(401)
        .boxed()
}
