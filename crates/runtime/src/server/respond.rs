//! Answers requests by their path.
#[cfg(feature = "cli")]
use std::time::Duration;

#[cfg(feature = "webhook")]
use futures::future::BoxFuture;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
#[cfg(feature = "cli")]
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Bytes, Incoming};

use serde::Serialize;

use super::{Access, Checks, connections::Work};
use crate::{
    informer::InformerStatus,
    metrics::{Format, Metrics},
};

/// Answers a request.
#[cfg(feature = "webhook")]
pub(crate) type Responder =
    Box<dyn Fn(Request<Incoming>, Work) -> BoxFuture<'static, Response<Full<Bytes>>> + Send + Sync>;

/// The status and the message of a response to a request that no handler answers.
#[cfg(feature = "webhook")]
pub(crate) type HttpError = (StatusCode, String);

/// A 400 with this message.
#[cfg(feature = "webhook")]
pub(crate) fn bad_request(message: &str) -> HttpError {
    (StatusCode::BAD_REQUEST, message.to_owned())
}

/// What the server serves.
#[derive(Default)]
pub(super) struct Routes {
    pub(super) healthz: Checks,
    pub(super) readyz: Checks,
    pub(super) metrics: Option<Metrics>,
    pub(super) informers: Option<Box<dyn Fn() -> Vec<InformerStatus> + Send + Sync>>,
    /// Who may read what is not a health check.
    pub(super) access: Option<Access>,
    /// Answers all requests, in place of the paths of the server.
    #[cfg(feature = "webhook")]
    pub(super) webhooks: Option<Responder>,
}

/// Most items of each kind in the answer for a queue.
const QUEUED: usize = 100;
const TEXT: &str = "text/plain; charset=utf-8";

impl Routes {
    pub(super) async fn respond(
        &self,
        request: Request<Incoming>,
        work: Work,
    ) -> Response<Full<Bytes>> {
        #[cfg(feature = "webhook")]
        if let Some(webhooks) = &self.webhooks {
            return webhooks(request, work).await;
        }
        // These requests have no body, apart from a small one that has a time limit of its own.
        work.begin();
        self.answer(request).await
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (method, uri) = (request.method(), request.uri());
        // Only those may change it whom the API server knows.
        let sets_log = cfg!(feature = "cli")
            && self.access.is_some()
            && method == Method::PUT
            && uri.path() == "/debug/log";
        if method != Method::GET && method != Method::HEAD && !sets_log {
            return text(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed\n");
        }
        let query = uri.query().unwrap_or_default();
        for (name, checks) in [("healthz", &self.healthz), ("readyz", &self.readyz)] {
            let Some(check) = uri
                .path()
                .strip_prefix('/')
                .and_then(|path| path.strip_prefix(name))
            else {
                continue;
            };
            if check.is_empty() || check == "/" {
                let (status, answer) = checks.answer(name, query).await;
                return text(status, answer);
            }
            let one = match check.strip_prefix('/') {
                Some(check) => checks.answer_one(check).await,
                None => None,
            };
            return one.map_or_else(not_found, |(status, answer)| text(status, answer));
        }
        if let Some(access) = &self.access
            && let Err((status, reason)) = access.check(&request).await
        {
            return text(status, reason);
        }
        #[cfg(feature = "cli")]
        if request.uri().path() == "/debug/log" && self.metrics.is_some() {
            return log(request).await;
        }
        match (uri.path(), &self.metrics, &self.informers) {
            ("/metrics", Some(metrics), _) => self::metrics(metrics, &request),
            ("/debug/queues", Some(metrics), _) => json(&metrics.queues(QUEUED)),
            ("/debug/informers", _, Some(informers)) => json(&informers()),
            _ => not_found(),
        }
    }
}

/// Answers in the format that the client accepts.
fn metrics(metrics: &Metrics, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let accepts_open_metrics = request
        .headers()
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("application/openmetrics-text"));
    let (format, type_) = if accepts_open_metrics {
        let type_ = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        (Format::OpenMetrics, type_)
    } else {
        (Format::Text, "text/plain; version=0.0.4; charset=utf-8")
    };
    match metrics.encode(format) {
        Ok(encoded) => response(StatusCode::OK, type_, encoded),
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "a collector failed\n"),
    }
}

/// Answers with what is logged, after a change if the request is one.
#[cfg(feature = "cli")]
async fn log(request: Request<Incoming>) -> Response<Full<Bytes>> {
    const LONGEST: usize = 4096;
    const ARRIVES: Duration = Duration::from_secs(30);
    let changes = request.method() == Method::PUT;
    let body = Limited::new(request.into_body(), LONGEST).collect();
    let Ok(body) = tokio::time::timeout(ARRIVES, body).await else {
        return text(StatusCode::REQUEST_TIMEOUT, "the body did not arrive\n");
    };
    let body = body.map(http_body_util::Collected::to_bytes);
    let Some(directives) = body.ok().and_then(|it| String::from_utf8(it.to_vec()).ok()) else {
        return text(StatusCode::BAD_REQUEST, "expected a level, or directives\n");
    };
    match crate::logs::level(changes.then(|| directives.trim())) {
        Some(Ok(now)) => text(StatusCode::OK, now + "\n"),
        Some(Err(problem)) => text(StatusCode::BAD_REQUEST, problem + "\n"),
        None => not_found(),
    }
}

fn json(value: &impl Serialize) -> Response<Full<Bytes>> {
    match serde_json::to_string_pretty(value) {
        Ok(json) => response(StatusCode::OK, "application/json", json + "\n"),
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

pub(crate) fn not_found() -> Response<Full<Bytes>> {
    text(StatusCode::NOT_FOUND, "404 page not found\n")
}

pub(crate) fn text(status: StatusCode, body: impl Into<String>) -> Response<Full<Bytes>> {
    response(status, TEXT, body.into())
}

pub(crate) fn response(
    status: StatusCode,
    type_: &'static str,
    body: impl Into<Bytes>,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static(type_),
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        header::HeaderValue::from_static("nosniff"),
    );
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(
            header::WWW_AUTHENTICATE,
            header::HeaderValue::from_static("Bearer"),
        );
    }
    response
}
