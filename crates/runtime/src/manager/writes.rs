//! Query parameters that a client adds to its writes.
use form_urlencoded::{Serializer, parse};
use http::{Method, Request, Uri, header::UPGRADE, uri::PathAndQuery};
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use serde_json::{Map, json};
use tower::{BoxError, service_fn};

/// How the API server treats unknown and duplicate fields in an object. These are the three values of the API; see the [API
/// conventions](https://kubernetes.io/docs/reference/using-api/api-concepts/#setting-the-field-validation-level).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// Drops the fields.
    Ignore,
    /// Drops the fields, and warns in a response header.
    Warn,
    /// Rejects the request.
    Strict,
}

/// What all writes of a client have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteOptions {
    pub(super) field_manager: Option<String>,
    pub(super) field_validation: Option<FieldValidation>,
    pub(super) is_dry_run: bool,
}

impl WriteOptions {
    /// Returns a client that adds the parameters to each write without them.
    pub(super) fn apply(self, client: Client) -> Client {
        if self.field_manager.is_none() && self.field_validation.is_none() && !self.is_dry_run {
            return client;
        }
        let (namespace, until) = (client.default_namespace().to_owned(), *client.valid_until());
        let service = service_fn(move |mut request: Request<Body>| {
            let client = client.clone();
            let uri = self.uri(&request);
            let is_dry_delete = self.is_dry_run && *request.method() == Method::DELETE;
            async move {
                *request.uri_mut() = uri?;
                if is_dry_delete {
                    request = dry_delete(request).await?;
                }
                client.send(request).await.map_err(BoxError::from)
            }
        });
        Client::new(service, namespace).with_valid_until(until)
    }

    /// Returns the URI of a request, with the parameters if it is a write of an object.
    fn uri(&self, request: &Request<Body>) -> Result<Uri, http::Error> {
        let uri = request.uri();
        let is_write = [Method::POST, Method::PUT, Method::PATCH].contains(request.method());
        if !is_write || request.headers().contains_key(UPGRADE) || is_proxied(uri.path()) {
            return Ok(uri.clone());
        }
        let validation = self.field_validation.map(|validation| match validation {
            FieldValidation::Ignore => "Ignore",
            FieldValidation::Warn => "Warn",
            FieldValidation::Strict => "Strict",
        });
        let query = uri.query().unwrap_or_default();
        let mut new = Serializer::new(query.to_owned());
        for (key, value) in [
            ("dryRun", self.is_dry_run.then_some("All")),
            ("fieldManager", self.field_manager.as_deref()),
            ("fieldValidation", validation),
        ] {
            let is_set = parse(query.as_bytes()).any(|(name, _)| name == key);
            if let Some(value) = value.filter(|_| !is_set) {
                new.append_pair(key, value);
            }
        }
        let path = format!("{}?{}", uri.path(), new.finish());
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::try_from(path)?);
        Ok(Uri::from_parts(parts)?)
    }
}

/// Whether the API server hands a request on to a Pod, a Service or a kubelet, which would get the parameters.
fn is_proxied(path: &str) -> bool {
    let mut segments = path.trim_start_matches('/').split('/');
    let mut next = || segments.next().unwrap_or_default();
    if (next(), next()) != ("api", "v1") {
        return false;
    }
    match next() {
        "namespaces" => {
            let _namespace = next();
            let is_target = ["pods", "services"].contains(&next());
            let _name = next();
            is_target && next() == "proxy"
        }
        "nodes" => {
            let _name = next();
            next() == "proxy"
        }
        _ => false,
    }
}

/// Makes a deletion a dry run. Its body has the options: with a body, the API server ignores those of the query.
async fn dry_delete(request: Request<Body>) -> Result<Request<Body>, BoxError> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let mut options = if body.is_empty() {
        Map::new()
    } else {
        serde_json::from_slice(&body)?
    };
    options.insert("dryRun".to_owned(), json!(["All"]));
    let body = Body::from(serde_json::to_vec(&options)?);
    Ok(Request::from_parts(parts, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_for_the_api_server_alone() {
        let options = WriteOptions {
            field_manager: Some("operator".to_owned()),
            ..WriteOptions::default()
        };
        let query = |method: &str, path: &str| {
            let request = Request::builder().method(method).uri(path);
            let uri = options.uri(&request.body(Body::empty()).unwrap()).unwrap();
            uri.query().unwrap_or_default().to_owned()
        };
        for (method, path, expected) in [
            (
                "PUT",
                "/api/v1/namespaces/a/services/proxy",
                "fieldManager=operator",
            ),
            (
                "PUT",
                "/apis/example.com/v1/nodes/one/proxy",
                "fieldManager=operator",
            ),
            (
                "POST",
                "/api/v1/namespaces/a/pods?dryRun=All",
                "dryRun=All&fieldManager=operator",
            ),
            (
                "POST",
                "/api/v1/namespaces/a/pods?fieldManager=b",
                "fieldManager=b",
            ),
            ("GET", "/api/v1/namespaces/a/pods", ""),
            (
                "PUT",
                "/api/v1/namespaces/a/services/web/proxy/reload?now=1",
                "now=1",
            ),
            ("POST", "/api/v1/namespaces/a/pods/web/proxy", ""),
            ("POST", "/api/v1/nodes/one/proxy/run", ""),
        ] {
            assert_eq!(query(method, path), expected, "{path}");
        }
    }
}
