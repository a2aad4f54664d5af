//! An API server with canned responses that records its requests.
use http::{Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

/// A recorded request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recorded {
    /// Method, path and query.
    pub(crate) line: String,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Value,
}

#[derive(Clone, Default)]
pub(crate) struct Server {
    requests: Arc<Mutex<Vec<Recorded>>>,
    responses: Arc<Mutex<VecDeque<(u16, Value)>>>,
}

impl Server {
    /// Sends these responses in order, and repeats the last one.
    pub(crate) fn with(responses: impl IntoIterator<Item = (u16, Value)>) -> Self {
        Self {
            responses: Arc::new(Mutex::new(responses.into_iter().collect())),
            ..Self::default()
        }
    }

    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.respond(request).await) }
        });
        Client::new(service, "default")
    }

    /// Returns the requests since the last call.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// Returns method, path and query of the requests since the last call.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|request| request.line)
            .collect()
    }

    async fn respond(&self, request: Request<Body>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let bytes = body.collect_bytes().await.unwrap();
        self.requests.lock().unwrap().push(Recorded {
            line: format!("{} {}", head.method, head.uri.path_and_query().unwrap()),
            content_type: head
                .headers
                .get("content-type")
                .map(|value| value.to_str().unwrap().to_owned()),
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        });
        let mut responses = self.responses.lock().unwrap();
        let (code, body) = if responses.len() > 1 {
            responses.pop_front().unwrap()
        } else {
            responses[0].clone()
        };
        let mut response = Response::new(Body::from(body.to_string().into_bytes()));
        *response.status_mut() = StatusCode::from_u16(code).unwrap();
        response
    }
}

/// Returns an error status.
pub(crate) fn status(code: u16, reason: &str) -> (u16, Value) {
    (
        code,
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no", "reason": reason, "code": code}),
    )
}
