//! Answers the requests of the API server to the webhooks.
use std::{
    collections::BTreeMap,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::FutureExt as _;
use http::{Method, Request as HttpRequest, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use kube::core::conversion::ConversionReview;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;
use tracing::{Instrument as _, error, field::Empty, trace_span, warn};

use super::{
    TIMEOUT, WebhookError, Webhooks,
    conversion::{self, Converters, Failure},
    handler::Handler,
    review::{self, Review, unexpected},
};
use crate::{
    metrics::{Metrics, WebhookMetrics},
    panics,
    server::respond::{Responder, response, text},
};

/// Most bytes of an admission review, as in controller-runtime: two objects of the size that etcd stores, and more.
const MAX_ADMISSION: usize = 7 << 20;
/// Most bytes of all admission reviews at once.
const ALL_ADMISSION: usize = 64 << 20;
/// Most bytes of a conversion review, which has all objects of a list; and of all conversion reviews at once.
const MAX_CONVERSION: usize = 256 << 20;
/// The memory for bodies is given in units of this many bytes.
const UNIT: usize = 64 << 10;
/// How long the API server waits for conversions.
const CONVERSION_TIMEOUT: Duration = Duration::from_secs(30);
/// How much earlier than the API server's timeout a slow handler is answered for.
const MARGIN: Duration = Duration::from_millis(500);

/// What serves the webhooks, by path. A clone is a handle on the same.
#[derive(Clone)]
pub(super) struct Dispatch {
    admission: Arc<BTreeMap<String, Handler>>,
    converters: Arc<Converters>,
    metrics: WebhookMetrics,
    /// The memory for bodies, which a request has until it is answered.
    memory: Memory,
}

/// Units of memory for the bodies of admission and conversion reviews. Reviews wait for memory, and large conversions do not delay admission.
#[derive(Clone)]
struct Memory {
    admission: Arc<Semaphore>,
    conversion: Arc<Semaphore>,
}

impl Memory {
    fn new() -> Self {
        Self {
            admission: Arc::new(Semaphore::new(ALL_ADMISSION / UNIT)),
            conversion: Arc::new(Semaphore::new(MAX_CONVERSION / UNIT)),
        }
    }
}

type HttpResponse = Response<Full<Bytes>>;
/// An answer without a review: an HTTP status and a sentence.
type HttpError = (StatusCode, String);

impl Dispatch {
    pub(super) fn new(webhooks: &Webhooks, metrics: &Metrics) -> Result<Self, WebhookError> {
        let mut admission = BTreeMap::new();
        for webhook in &webhooks.admission {
            let handler = Arc::clone(&webhook.handler);
            if admission.insert(webhook.path.clone(), handler).is_some() {
                return Err(WebhookError::PathTaken(webhook.path.clone()));
            }
        }
        Ok(Self {
            admission: Arc::new(admission),
            converters: Arc::new(webhooks.converters.clone()),
            metrics: metrics.webhooks(),
            memory: Memory::new(),
        })
    }

    /// Adds the series of all paths.
    pub(super) fn measure(webhooks: &Webhooks, metrics: &Metrics) {
        let metrics = metrics.webhooks();
        for webhook in &webhooks.admission {
            metrics.add(&webhook.path);
        }
        if !webhooks.converters.is_empty() {
            metrics.add(conversion::PATH);
        }
    }

    /// Returns the function that a server answers with.
    pub(super) fn responder(self) -> Responder {
        Box::new(move |request| {
            let own = self.clone();
            async move { own.respond(request).await }.boxed()
        })
    }

    async fn respond(&self, request: HttpRequest<Incoming>) -> HttpResponse {
        let started = Instant::now();
        let (head, mut body) = request.into_parts();
        let path = head.uri.path();
        let mut measured = Measured::new(&self.metrics, path);
        let span = trace_span!(
            "webhook",
            otel.kind = "server",
            http.request.method = %head.method,
            http.route = path,
            http.response.status_code = Empty,
        );
        let answer = self.answer(&head, &mut body).instrument(span.clone()).await;
        let answer = answer.unwrap_or_else(|(status, reason)| {
            warn!(webhook = %path, %status, "{reason}");
            text(status, reason + "\n")
        });
        // A client sends its whole request before it reads the answer, and gets none if the connection is closed earlier.
        let waits = head.uri.query().and_then(timeout_of).unwrap_or(TIMEOUT);
        let rest = waits.saturating_sub(started.elapsed());
        _ = timeout(rest, async {
            while let Some(Ok(_)) = body.frame().await {}
        })
        .await;
        measured.code = Some(answer.status().as_u16());
        span.record("http.response.status_code", answer.status().as_u16());
        answer
    }

    async fn answer(&self, head: &Parts, body: &mut Incoming) -> Result<HttpResponse, HttpError> {
        let path = head.uri.path();
        let handler = self.admission.get(path);
        let converts = path == conversion::PATH && !self.converters.is_empty();
        if handler.is_none() && !converts {
            let message = format!("there is no webhook at {path}");
            return Err((StatusCode::NOT_FOUND, message));
        }
        if head.method != Method::POST {
            let message = "a webhook answers POST requests only".to_owned();
            return Err((StatusCode::METHOD_NOT_ALLOWED, message));
        }
        let content = head.headers.get(header::CONTENT_TYPE);
        let content = content.and_then(|value| value.to_str().ok());
        if content.is_none_or(|value| !value.starts_with("application/json")) {
            let message = "the content type must be application/json".to_owned();
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let waits = head.uri.query().and_then(timeout_of);
        if let Some(handler) = handler {
            let limit = within(waits.unwrap_or(TIMEOUT));
            let read = read(body, MAX_ADMISSION, &self.memory.admission);
            let (body, _memory) = in_time(limit, read).await?;
            return self.admit(Arc::clone(handler), &body, limit).await;
        }
        let limit = within(waits.unwrap_or(CONVERSION_TIMEOUT));
        let read = read(body, MAX_CONVERSION, &self.memory.conversion);
        let (body, _memory) = in_time(limit, read).await?;
        self.convert(&body, limit).await
    }

    async fn admit(
        &self,
        handler: Handler,
        body: &[u8],
        limit: Duration,
    ) -> Result<HttpResponse, HttpError> {
        let review: Review = parse(body, "an AdmissionReview")?;
        let request = review.open().map_err(|reason| bad_request(&reason))?;
        let uid = request.uid.clone();
        let what = format!("{} {}", request.operation, request.resource.resource);
        // A task of its own: its panic ends nothing else, and a handler that blocks its thread does not delay the timeout.
        let running = AbortOnDropHandle::new(tokio::spawn(handler(request)));
        let result = match timeout(limit, running).await {
            Ok(Ok(result)) => result,
            Ok(Err(ended)) => {
                self.metrics.admission_panicked();
                let message = match ended.try_into_panic() {
                    Ok(panic) => panics::message(panic),
                    Err(ended) => ended.to_string(),
                };
                error!("the webhook of {what} panicked: {message}");
                let message = format!("the webhook panicked: {message}");
                return Err((StatusCode::INTERNAL_SERVER_ERROR, message));
            }
            Err(_) => return Err(too_slow(limit)),
        };
        json(&review::answer(uid, result))
    }

    async fn convert(&self, body: &[u8], limit: Duration) -> Result<HttpResponse, HttpError> {
        let review: ConversionReview = parse(body, "a ConversionReview")?;
        let (version, kind) = (conversion::API_VERSION, conversion::KIND);
        if (&*review.types.api_version, &*review.types.kind) != (version, kind) {
            let found = &review.types;
            let reason = unexpected(kind, version, &found.kind, &found.api_version);
            return Err(bad_request(&reason));
        }
        let request = review
            .request
            .ok_or_else(|| bad_request("the ConversionReview has no request"))?;
        let converters = Arc::clone(&self.converters);
        let (objects, wanted) = (request.objects, request.desired_api_version);
        // A list may have many objects, and other requests should not wait for them.
        let converting = tokio::task::spawn_blocking(move || converters.convert(objects, &wanted));
        let result = match timeout(limit, converting).await {
            Ok(Ok(Ok(objects))) => Ok(objects),
            Ok(Ok(Err(Failure::Refused(message)))) => Err(message),
            Ok(Ok(Err(Failure::Panic(message)))) => {
                self.metrics.conversion_panicked();
                error!("{message}");
                Err(message)
            }
            Ok(Err(ended)) => Err(ended.to_string()),
            Err(_) => return Err(too_slow(limit)),
        };
        if let Err(message) = &result {
            warn!("{message}");
        }
        json(&conversion::answer(request.uid, result))
    }
}

fn json(value: &impl Serialize) -> Result<HttpResponse, HttpError> {
    let json = serde_json::to_vec(value)
        .map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(response(StatusCode::OK, "application/json", json))
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8], what: &str) -> Result<T, HttpError> {
    serde_json::from_slice(body)
        .map_err(|error| bad_request(&format!("the body is not {what}: {error}")))
}

fn bad_request(message: &str) -> HttpError {
    (StatusCode::BAD_REQUEST, message.to_owned())
}

fn too_slow(limit: Duration) -> HttpError {
    let message = format!("the webhook took longer than {limit:?}");
    // For 504, the API server would report a sentence of its own instead of this one.
    (StatusCode::INTERNAL_SERVER_ERROR, message)
}

/// Waits for memory for the body, and reads it.
async fn read<'m>(
    body: &mut Incoming,
    limit: usize,
    memory: &'m Semaphore,
) -> Result<(Bytes, SemaphorePermit<'m>), HttpError> {
    // Of a body without a length, nothing but the limit is known.
    let length = body.size_hint().upper();
    let length = length.map_or(Ok(limit), usize::try_from);
    let length = length.ok().filter(|length| *length <= limit);
    let length = length.ok_or_else(|| too_large(limit))?;
    let unavailable =
        |error: &dyn fmt::Display| (StatusCode::SERVICE_UNAVAILABLE, error.to_string());
    let units = u32::try_from(length.div_ceil(UNIT)).map_err(|error| unavailable(&error))?;
    let permit = memory.acquire_many(units).await;
    let permit = permit.map_err(|error| unavailable(&error))?;
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok((body.to_bytes(), permit)),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large(limit)),
        Err(error) => Err(bad_request(&format!("the body cannot be read: {error}"))),
    }
}

fn too_large(limit: usize) -> HttpError {
    let message = format!("the body is larger than {limit} bytes");
    (StatusCode::PAYLOAD_TOO_LARGE, message)
}

/// Reads a body, unless other bodies take all memory or the client sends it too slowly.
async fn in_time<T>(
    limit: Duration,
    read: impl Future<Output = Result<T, HttpError>>,
) -> Result<T, HttpError> {
    timeout(limit, read).await.unwrap_or_else(|_| {
        let message =
            format!("other bodies used all memory, or the body did not arrive, for {limit:?}");
        Err((StatusCode::SERVICE_UNAVAILABLE, message))
    })
}

/// Returns the value of `timeout` in a query, such as `10s`.
fn timeout_of(query: &str) -> Option<Duration> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (_, value) = pairs.find(|(key, _)| key == "timeout")?;
    let (unit, digits) = [("ms", 1), ("s", 1000), ("m", 60_000)]
        .into_iter()
        .find_map(|(unit, millis)| Some((millis, value.strip_suffix(unit)?)))?;
    let number: u64 = digits.parse().ok()?;
    Some(Duration::from_millis(number.checked_mul(unit)?))
}

/// Returns how long a handler may take, if the API server waits for `waits`.
fn within(waits: Duration) -> Duration {
    waits.saturating_sub(MARGIN.min(waits / 10))
}

/// One request. It ends when this is dropped.
struct Measured<'a> {
    metrics: &'a WebhookMetrics,
    path: &'a str,
    started: Instant,
    code: Option<u16>,
}

impl<'a> Measured<'a> {
    fn new(metrics: &'a WebhookMetrics, path: &'a str) -> Self {
        metrics.started(path);
        Self {
            metrics,
            path,
            started: Instant::now(),
            code: None,
        }
    }
}

impl Drop for Measured<'_> {
    fn drop(&mut self) {
        self.metrics
            .ended(self.path, self.code, self.started.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_has_less_time_than_the_api_server_waits() {
        let limit = |query| within(timeout_of(query).unwrap());
        assert_eq!(limit("timeout=10s"), Duration::from_millis(9500));
        assert_eq!(limit("timeout=1s"), Duration::from_millis(900));
        assert_eq!(limit("a=b&timeout=500ms"), Duration::from_millis(450));
        assert_eq!(timeout_of("timeout=soon"), None);
        assert_eq!(timeout_of("timeout=99999999999999999999s"), None);
    }
}
