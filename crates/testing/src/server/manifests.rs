//! Applies manifests in YAML, as `kubectl apply --server-side` does.

use serde::Deserialize;
use serde_json::Value;

use super::{ApiServer, StateError};
use crate::{
    storage::lock,
    values::object::{name, namespace},
};

/// The field manager of applied objects.
const MANAGER: &str = "kubectl";

/// The reason why a manifest was not applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The text is not YAML.
    #[error("invalid YAML")]
    Yaml(#[from] serde_yaml::Error),
    /// The server does not serve the kind.
    #[error(transparent)]
    Kind(#[from] StateError),
    /// The server rejected the object.
    #[error("the server rejected {object}")]
    Rejected {
        /// Kind and name of the object.
        object: String,
        /// The error from the server.
        source: Box<kube::Error>,
    },
}

impl ApiServer {
    /// Applies the documents of a YAML string in order, as the administrator, with defaulting, validation and webhooks.
    ///
    /// ```
    /// # use kube_codegen_testing::ApiServer;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = ApiServer::new();
    /// server.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await?;
    /// assert!(server.get::<ConfigMap>("default", "a").is_some());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the text is not YAML, or the server rejects an object. Objects before it have already been applied.
    pub async fn apply(&self, manifests: &str) -> Result<(), ApplyError> {
        let client = self.client();
        for document in serde_yaml::Deserializer::from_str(manifests) {
            let object = Value::deserialize(document)?;
            if object.is_null() {
                continue;
            }
            let path = self.path_of(&object)?;
            let rejected = |source| ApplyError::Rejected {
                object: format!("{} {}", text(&object, "kind"), name(&object)),
                source: Box::new(source),
            };
            let request = http::Request::patch(format!("{path}?fieldManager={MANAGER}&force=true"))
                .header(http::header::CONTENT_TYPE, "application/apply-patch+yaml")
                .body(object.to_string().into_bytes())
                .map_err(|error| rejected(kube::Error::HttpError(error)))?;
            client.request::<Value>(request).await.map_err(rejected)?;
        }
        Ok(())
    }

    /// Returns the path of an object; without a namespace, in the namespace `default`.
    fn path_of(&self, object: &Value) -> Result<String, StateError> {
        let (api_version, kind) = (text(object, "apiVersion"), text(object, "kind"));
        let store = lock(&self.0.backend.store);
        let found = store.kinds.named(api_version, kind);
        let kind = found.ok_or_else(|| StateError::UnknownKind {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
        })?;
        let root = if api_version.contains('/') {
            "apis"
        } else {
            "api"
        };
        let namespace = match namespace(object) {
            _ if !kind.namespaced => String::new(),
            "" => "/namespaces/default".to_owned(),
            name => format!("/namespaces/{name}"),
        };
        let (plural, name) = (&kind.plural, name(object));
        Ok(format!("/{root}/{api_version}{namespace}/{plural}/{name}"))
    }
}

fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or_default()
}
