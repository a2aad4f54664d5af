//! Who sends a request.

use serde_json::{Value, json};

/// The group whose users may do everything.
pub(crate) const MASTERS: &str = "system:masters";
/// The group of all users but the anonymous one.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";

/// The user who sends a request.
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
    /// Creates an authenticated user.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            uid: String::new(),
            groups: vec![AUTHENTICATED.to_owned()],
        }
    }

    /// Creates the user of a service account.
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

    /// Returns the user of a request without a token.
    pub(crate) fn anonymous() -> Self {
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
