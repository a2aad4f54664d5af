//! The way by which the API server reaches webhooks.
use http::Uri;
use k8s_openapi::api::admissionregistration::v1 as api;

/// The port of a Service for webhooks.
const PORT: i32 = 443;

/// How the API server reaches the webhooks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ClientConfig(Reach);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Service {
        namespace: String,
        name: String,
        port: i32,
    },
    Url(String),
}

impl ClientConfig {
    /// Uses a Service, on port 443.
    pub fn service(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self(Reach::Service {
            namespace: namespace.into(),
            name: name.into(),
            port: PORT,
        })
    }

    /// Uses a URL without a path, such as `https://127.0.0.1:9443`, for a program outside the cluster.
    pub fn url(url: impl Into<String>) -> Self {
        Self(Reach::Url(url.into().trim_end_matches('/').to_owned()))
    }

    /// Sets the port of the Service.
    pub fn port(mut self, number: u16) -> Self {
        if let Reach::Service { port, .. } = &mut self.0 {
            *port = number.into();
        }
        self
    }

    /// Returns the names that the certificate needs.
    pub(super) fn names(&self) -> Vec<String> {
        match &self.0 {
            Reach::Service {
                namespace, name, ..
            } => vec![
                format!("{name}.{namespace}.svc"),
                format!("{name}.{namespace}.svc.cluster.local"),
                format!("{name}.{namespace}"),
                name.clone(),
            ],
            Reach::Url(url) => {
                let url = url.parse::<Uri>().ok();
                let host = url.as_ref().and_then(Uri::host).unwrap_or("localhost");
                vec![host.trim_matches(['[', ']']).to_owned()]
            }
        }
    }

    pub(super) fn reach(&self) -> &Reach {
        &self.0
    }

    pub(super) fn namespace(&self) -> Option<&str> {
        match &self.0 {
            Reach::Service { namespace, .. } => Some(namespace),
            Reach::Url(_) => None,
        }
    }

    pub(super) fn at(&self, path: &str) -> api::WebhookClientConfig {
        match self.0.clone() {
            Reach::Service {
                namespace,
                name,
                port,
            } => api::WebhookClientConfig {
                service: Some(api::ServiceReference {
                    name,
                    namespace,
                    path: Some(path.to_owned()),
                    port: Some(port),
                }),
                ..api::WebhookClientConfig::default()
            },
            Reach::Url(url) => api::WebhookClientConfig {
                url: Some(url + path),
                ..api::WebhookClientConfig::default()
            },
        }
    }
}
