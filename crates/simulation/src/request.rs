//! What a request of the operator addresses, and requests of other clients.

use std::{cell::RefCell, ops::Deref};

use bytes::Bytes;
use http::{Method, Request, request::Parts};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube_codegen_testing::{ApiServer, ApiService, RecordedRequest};
use serde_json::Value;
use tower::{BoxError, Service as _};

use crate::{
    point::{Point, PointKind, Verb},
    state::text,
};

/// The content type of a merge patch.
pub(crate) const MERGE: &str = "application/merge-patch+json";

/// A request of the operator. The name of a create is that in the body, or its prefix and `*`.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    request: RecordedRequest,
    bytes: Bytes,
    /// Whether an object is deleted that the operator may delete at any time.
    pub(crate) free: bool,
    /// The objects before a write; only with details.
    pub(crate) before: Vec<Value>,
}

impl Deref for Seen {
    type Target = RecordedRequest;

    fn deref(&self) -> &RecordedRequest {
        &self.request
    }
}

impl Seen {
    /// Returns `None` for discovery and other requests without a resource.
    pub(crate) fn read(server: &ApiServer, parts: &Parts, bytes: &Bytes) -> Option<Self> {
        let request = server.describe(parts)?;
        let bytes = bytes.clone();
        let mut seen = Self {
            request,
            bytes,
            free: false,
            before: Vec::new(),
        };
        if seen.verb == "create" && seen.name.is_empty() {
            let body = seen.sent();
            seen.request.name = match text(&body, "/metadata/name") {
                "" => format!("{}*", text(&body, "/metadata/generateName")),
                name => name.to_owned(),
            };
        }
        Some(seen)
    }

    /// Returns the body.
    pub(crate) fn sent(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    pub(crate) fn kind(&self) -> PointKind {
        self.point(0).kind()
    }

    /// The choice point of the request, before its occurrence is known.
    pub(crate) fn point(&self, replica: usize) -> Point {
        Point {
            replica,
            // The server knows no other verbs.
            verb: Verb::read(self.verb).unwrap_or(Verb::Get),
            resource: self.resource.clone(),
            subresource: self.subresource.clone(),
            place: self.place(),
            occurrence: 0,
        }
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

    /// Whether the request would undo what another client does to the object with this path just before: an update fails then, but a patch does not.
    pub(crate) fn restores(&self, path: &str) -> bool {
        matches!(self.verb, "create" | "patch")
            && self.subresource.is_empty()
            && self.object_path().as_deref() == Some(path)
    }

    /// Returns the path of the object; `None` for collections and generated names.
    pub(crate) fn object_path(&self) -> Option<String> {
        if self.name.is_empty() || self.name.ends_with('*') {
            return None;
        }
        let (group, version) = (&self.group, &self.version);
        let mut path = match group.as_str() {
            "" => format!("/api/{version}"),
            _ => format!("/apis/{group}/{version}"),
        };
        if !self.namespace.is_empty() {
            path = format!("{path}/namespaces/{}", self.namespace);
        }
        Some(format!("{path}/{}/{}", self.resource, self.name))
    }

    /// Whether only some objects of the kind are asked for.
    pub(crate) fn is_selective(&self) -> bool {
        let query = self.path.split_once('?').map_or("", |(_, query)| query);
        let mut names = query.split('&').filter_map(|part| part.split_once('='));
        names.any(|(name, value)| {
            matches!(name, "labelSelector" | "fieldSelector") && !value.is_empty()
        })
    }

    /// Returns the path and the query of a list in pages, with pages of one object; `None` for other requests, and for a further page.
    pub(crate) fn with_small_pages(&self) -> Option<String> {
        let (path, query) = self.path.split_once('?').filter(|_| self.verb == "list")?;
        let mut parts: Vec<&str> = query.split('&').collect();
        if parts.iter().any(|part| part.starts_with("continue=")) {
            return None;
        }
        let limit = parts.iter_mut().find(|part| part.starts_with("limit="))?;
        *limit = "limit=1";
        Some(format!("{path}?{}", parts.join("&")))
    }

    /// Whether a watch begins with the objects that are there.
    pub(crate) fn is_streaming_list(&self) -> bool {
        self.verb == "watch" && self.path.contains("sendInitialEvents=true")
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
        let query = self.path.split_once('?').map_or("", |(_, query)| query);
        let parameter = |name: &str| {
            query.split('&').find_map(|part| {
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

thread_local! {
    /// The first thing of the simulation's own that the server has rejected in this run.
    static REJECTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Sends a request of the simulation itself, such as the report of a controller. `None` if the object is gone, has changed meanwhile, or has made way for
/// another one of its name (404, 409, and 422 for the uid).
///
/// The server must accept it otherwise: runs say little about a cluster whose controllers fail, so that [`take_rejected`] ends the test.
pub(crate) async fn send_own(
    server: &ApiServer,
    method: Method,
    path: &str,
    content_type: &str,
    body: &Value,
) -> Option<Value> {
    let sent = send(server.service(), method.clone(), path, content_type, body).await;
    match sent {
        Ok((200..=299, object)) => Some(object),
        Ok((404 | 409, _)) => None,
        Ok((422, answer)) if is_of_another(&answer) => None,
        Ok((status, answer)) => {
            reject(format!("{method} {path} {body} → {status}: {answer}"));
            None
        }
        Err(error) => {
            reject(format!("{method} {path} {body}: {error}"));
            None
        }
    }
}

/// Whether a patch was rejected since its uid is that of an object that was there before.
fn is_of_another(answer: &Value) -> bool {
    answer["details"]["causes"]
        .as_array()
        .is_some_and(|causes| causes.iter().any(|it| it["field"] == "metadata.uid"))
}

/// Stores an object of the simulation itself, whose kind is registered, without validation.
pub(crate) fn seed_own(server: &ApiServer, object: &Value) {
    if let Err(error) = server.seed(object) {
        reject(format!("{object}: {error}"));
    }
}

/// Notes what the server has not accepted, though the simulation does it itself.
pub(crate) fn reject(what: String) {
    REJECTED.with_borrow_mut(|first| {
        if first.is_none() {
            *first = Some(what);
        }
    });
}

/// Takes what [`reject`] has noted first in this run.
pub(crate) fn take_rejected() -> Option<String> {
    REJECTED.take()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(method: Method, path: &str, body: &Value) -> Seen {
        let server = ApiServer::new();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .body(())
            .unwrap();
        let (parts, ()) = request.into_parts();
        Seen::read(&server, &parts, &body.to_string().into()).unwrap()
    }

    #[test]
    fn requests_are_named_by_verb_resource_and_object() {
        let what = |method, path, body: Value| {
            let point = seen(method, path, &body).point(0);
            point.what().to_string()
        };
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
            what(Method::PATCH, "/api/v1/nodes/x/status", Value::Null),
            "patch nodes/status x"
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

    #[tokio::test]
    async fn a_request_of_the_simulation_that_is_rejected_is_noted() {
        let server = ApiServer::new();
        let maps = "/api/v1/namespaces/default/configmaps";
        let json = "application/json";
        let sent = |method, path: String, body: Value| {
            let server = server.clone();
            async move { send_own(&server, method, &path, json, &body).await }
        };
        let map = json!({"metadata": {"name": "a"}});
        let path = || format!("{maps}/a");
        assert!(
            sent(Method::POST, maps.to_owned(), map.clone())
                .await
                .is_some()
        );
        assert!(
            sent(Method::POST, maps.to_owned(), map.clone())
                .await
                .is_none()
        );
        assert!(
            send_own(
                &server,
                Method::PATCH,
                &path(),
                "application/merge-patch+json",
                &json!({"metadata": {"uid": "of-another"}})
            )
            .await
            .is_none()
        );
        assert!(
            sent(Method::DELETE, path(), Value::Null).await.is_some()
                && sent(Method::DELETE, path(), Value::Null).await.is_none()
        );
        assert_eq!(take_rejected(), None);
        let wrong = json!({"metadata": {"name": "A"}});
        assert!(sent(Method::POST, maps.to_owned(), wrong).await.is_none());
        let rejected = take_rejected().unwrap();
        assert!(rejected.contains("→ 422"), "{rejected}");
    }

    #[test]
    fn the_first_page_of_a_list_becomes_smaller() {
        let small = |path| seen(Method::GET, path, &Value::Null).with_small_pages();
        let expected = Some("/api/v1/pods?labelSelector=a&limit=1".to_owned());
        assert_eq!(small("/api/v1/pods?labelSelector=a&limit=500"), expected);
        assert_eq!(small("/api/v1/pods?limit=500&continue=x"), None);
        assert_eq!(small("/api/v1/pods?labelSelector=a"), None);
        assert_eq!(small("/api/v1/pods"), None);
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
