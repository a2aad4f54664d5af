//! Calls webhooks over HTTP and HTTPS.

use http::Request;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::{Value, json};

use crate::{
    object::{at, text},
    shared::{Shared, lock},
};

/// Sends a review to the webhook of a `clientConfig` and returns the answer; the error is the reason as Go's client gives it.
pub(crate) async fn post(
    shared: &Shared,
    config: &Value,
    review: &Value,
    seconds: u64,
) -> Result<Value, String> {
    let url = text(config, "/url");
    let (base, path, server_name) = if url.is_empty() {
        let service = at(config, "/service");
        let server_name = format!(
            "{}.{}.svc",
            text(service, "/name"),
            text(service, "/namespace")
        );
        let address = lock(&shared.settings).webhooks;
        let path = text(service, "/path");
        // A Service needs no path.
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/{path}")
        };
        (format!("https://{address}"), path, Some(server_name))
    } else {
        let uri: http::Uri = url.parse().map_err(|error| format!("{url}: {error}"))?;
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        (
            format!("{}://{authority}", uri.scheme_str().unwrap_or("https")),
            uri.path().to_owned(),
            None,
        )
    };
    let mut cluster = json!({"server": base});
    if !text(config, "/caBundle").is_empty() {
        cluster["certificate-authority-data"] = at(config, "/caBundle").clone();
    }
    if let Some(name) = server_name {
        cluster["tls-server-name"] = name.into();
    }
    let kubeconfig = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "webhook", "cluster": cluster}],
        "users": [{"name": "webhook", "user": {}}],
        "contexts": [{"name": "webhook", "context": {"cluster": "webhook", "user": "webhook"}}],
        "current-context": "webhook",
    });
    let failed = |error: &dyn std::fmt::Display| {
        format!("Post \"{base}{path}?timeout={seconds}s\": {error}")
    };
    let kubeconfig: Kubeconfig =
        serde_json::from_value(kubeconfig).map_err(|error| failed(&error))?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(|error| failed(&error))?;
    config.default_retry = false;
    let client = Client::try_from(config).map_err(|error| failed(&error))?;
    let request = Request::post(format!("{path}?timeout={seconds}s"))
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(review.to_string().into_bytes())
        .map_err(|error| failed(&error))?;
    client
        .request(request)
        .await
        .map_err(|error| failed(&error))
}
