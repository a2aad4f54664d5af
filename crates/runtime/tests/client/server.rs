//! An API server of canned answers that remembers what it was asked.
use http::{Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

/// A request as the server saw it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    /// Method, path and query.
    pub(crate) line: String,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Value,
}

#[derive(Clone, Default)]
pub(crate) struct Server {
    asked: Arc<Mutex<Vec<Asked>>>,
    answers: Arc<Mutex<VecDeque<(u16, Value)>>>,
}

impl Server {
    /// Will answer in this order, and to all further requests as the last time.
    pub(crate) fn answering(answers: impl IntoIterator<Item = (u16, Value)>) -> Self {
        Self {
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            ..Self::default()
        }
    }

    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        Client::new(service, "default")
    }

    /// What was asked since the last time.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// Method, path and query of what was asked since the last time.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.line).collect()
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let bytes = body.collect_bytes().await.unwrap();
        self.asked.lock().unwrap().push(Asked {
            line: format!("{} {}", head.method, head.uri.path_and_query().unwrap()),
            content_type: head
                .headers
                .get("content-type")
                .map(|value| value.to_str().unwrap().to_owned()),
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        });
        let mut answers = self.answers.lock().unwrap();
        let (code, body) = if answers.len() > 1 {
            answers.pop_front().unwrap()
        } else {
            answers[0].clone()
        };
        let mut response = Response::new(Body::from(body.to_string().into_bytes()));
        *response.status_mut() = StatusCode::from_u16(code).unwrap();
        response
    }
}

/// The status of a refused request.
pub(crate) fn status(code: u16, reason: &str) -> (u16, Value) {
    (
        code,
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no", "reason": reason, "code": code}),
    )
}
