//! What a request of the operator addresses, and requests of other clients.

use http::{Method, Request, request::Parts};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube_codegen_testing::ApiService;
use serde_json::Value;
use tower::{BoxError, Service as _};

use crate::{schedule::PointKind, state::text};

/// A request of the operator, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) verb: &'static str,
    pub(crate) group: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) namespace: String,
    /// Empty for a collection; of a create, the name in the body, or its prefix and `*`.
    pub(crate) name: String,
    pub(crate) query: String,
    /// Path of the collection.
    collection: String,
    /// The body of a create or delete; null otherwise.
    pub(crate) body: Value,
}

impl Seen {
    /// Returns `None` for discovery and other requests without a resource.
    pub(crate) fn read(parts: &Parts, bytes: &[u8]) -> Option<Self> {
        let path: Vec<&str> = parts
            .uri
            .path()
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let (group, skip) = match path.as_slice() {
            ["api", _, _, ..] => ("", 2),
            ["apis", group, _, _, ..] => (*group, 3),
            _ => return None,
        };
        let (namespace, skip) = match &path[skip..] {
            ["namespaces", _, "status" | "finalize"] if group.is_empty() => ("", skip),
            ["namespaces", namespace, _, ..] => (*namespace, skip + 2),
            _ => ("", skip),
        };
        let rest = &path[skip..];
        let resource = *rest.first()?;
        let mut name = rest.get(1).copied().unwrap_or_default().to_owned();
        let subresource = rest.get(2).copied().unwrap_or_default();
        let query = parts.uri.query().unwrap_or_default();
        let watches = query
            .split('&')
            .any(|part| matches!(part, "watch=true" | "watch=1" | "watch"));
        let verb = match (&parts.method, name.is_empty()) {
            (&Method::GET, true) if watches => "watch",
            (&Method::GET, true) => "list",
            (&Method::GET, false) => "get",
            (&Method::POST, _) => "create",
            (&Method::PUT, _) => "update",
            (&Method::PATCH, _) => "patch",
            (&Method::DELETE, true) => "deletecollection",
            (&Method::DELETE, false) => "delete",
            _ => return None,
        };
        let body = match verb {
            "create" | "delete" => serde_json::from_slice(bytes).unwrap_or_default(),
            _ => Value::Null,
        };
        if verb == "create" && name.is_empty() {
            name = match text(&body, "/metadata/name") {
                "" => format!("{}*", text(&body, "/metadata/generateName")),
                name => name.to_owned(),
            };
        }
        Some(Self {
            verb,
            group: group.to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            namespace: namespace.to_owned(),
            name,
            query: query.to_owned(),
            collection: format!("/{}", path[..=skip].join("/")),
            body,
        })
    }

    pub(crate) fn kind(&self) -> PointKind {
        match self.verb {
            "get" | "list" | "watch" => PointKind::Read,
            _ => PointKind::Write,
        }
    }

    /// Such as `patch widgets/status default/a`.
    pub(crate) fn what(&self) -> String {
        let slash = if self.subresource.is_empty() { "" } else { "/" };
        let mut what = format!("{} {}{slash}{}", self.verb, self.resource, self.subresource);
        let place = self.place();
        if !place.is_empty() {
            what.push(' ');
            what.push_str(&place);
        }
        what
    }

    /// Namespace and name.
    pub(crate) fn place(&self) -> String {
        let slash = if self.namespace.is_empty() || self.name.is_empty() {
            ""
        } else {
            "/"
        };
        format!("{}{slash}{}", self.namespace, self.name)
    }

    /// Returns the path of the object; `None` for collections and generated names.
    pub(crate) fn object_path(&self) -> Option<String> {
        let known = !self.name.is_empty() && !self.name.ends_with('*');
        known.then(|| format!("{}/{}", self.collection, self.name))
    }

    /// Whether events, leases and other reports are written, which no oracle compares.
    pub(crate) fn is_report(&self) -> bool {
        matches!(
            self.resource.as_str(),
            "events" | "leases" | "leasecandidates"
        )
    }

    /// Whether the request may be answered from a view that is behind: `resourceVersion=0`, or a watch that continues.
    pub(crate) fn may_be_stale(&self, newest: u64) -> bool {
        if !matches!(self.verb, "list" | "watch") {
            return false;
        }
        let parameter = |name: &str| {
            self.query.split('&').find_map(|part| {
                part.strip_prefix(name)
                    .and_then(|rest| rest.strip_prefix('='))
            })
        };
        let version: Option<u64> = parameter("resourceVersion").and_then(|text| text.parse().ok());
        let initial = parameter("sendInitialEvents") == Some("true");
        match version {
            Some(0) => true,
            Some(version) => self.verb == "watch" && !initial && version <= newest,
            None => false,
        }
    }
}

/// Sends a request as another client than the operator. Returns the HTTP status and the JSON of the answer.
pub(crate) async fn send(
    mut service: ApiService,
    method: Method,
    path: &str,
    content_type: &str,
    body: &Value,
) -> Result<(u16, Value), BoxError> {
    let body = if body.is_null() {
        Vec::new()
    } else {
        body.to_string().into_bytes()
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(http::header::CONTENT_TYPE, content_type)
        .header(http::header::USER_AGENT, "user")
        .body(Body::from(body))?;
    let response = service.call(request).await?;
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await?.to_bytes();
    Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(method: Method, path: &str, body: &Value) -> Seen {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .body(())
            .unwrap();
        Seen::read(&request.into_parts().0, body.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn requests_are_named_by_verb_resource_and_object() {
        let what = |method, path, body: Value| seen(method, path, &body).what();
        let named = json!({"metadata": {"name": "a"}});
        let generated = json!({"metadata": {"generateName": "a-"}});
        let maps = "/api/v1/namespaces/default/configmaps";
        assert_eq!(
            what(Method::POST, maps, named),
            "create configmaps default/a"
        );
        assert_eq!(
            what(Method::POST, maps, generated),
            "create configmaps default/a-*"
        );
        assert_eq!(
            what(Method::PATCH, "/apis/a.b/v1/things/x/status", Value::Null),
            "patch things/status x"
        );
        assert_eq!(
            what(Method::GET, "/api/v1/namespaces?watch=true", Value::Null),
            "watch namespaces"
        );
        assert_eq!(
            what(Method::GET, "/api/v1/namespaces/a", Value::Null),
            "get namespaces a"
        );
    }

    #[test]
    fn only_reads_that_allow_it_are_answered_from_an_old_view() {
        let stale = |query: &str| {
            let path = format!("/api/v1/pods?{query}");
            seen(Method::GET, &path, &Value::Null).may_be_stale(5)
        };
        assert!(stale("resourceVersion=0"));
        assert!(stale("watch=true&resourceVersion=5"));
        assert!(!stale("watch=true&resourceVersion=6"));
        assert!(!stale("watch=true&sendInitialEvents=true"));
        assert!(!stale(""));
    }
}
