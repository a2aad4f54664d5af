//! Answers the requests of the API server to the webhooks.
use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::FutureExt as _;
use http::{Method, Request as HttpRequest, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use kube::core::conversion::ConversionReview;
use serde::{Deserialize, Serialize};
use tokio::{
    runtime::Handle,
    sync::Semaphore,
    task::JoinError,
    time::{timeout, timeout_at},
};
use tokio_util::task::AbortOnDropHandle;
use tracing::{Instrument as _, Span, error, field::Empty, trace_span, warn};

use super::{
    TIMEOUT, WebhookError, Webhooks,
    conversion::{self, Converters, Failure},
    handler::Handler,
    memory::{Memory, Share},
    review::{self, Review, unexpected},
};
use crate::{
    metrics::{Metrics, WebhookMetrics},
    panics,
    server::{
        connections::Work,
        respond::{HttpError, Responder, bad_request, response, text},
    },
};

/// Longest time for a request: the API server waits at most this long, for conversions always.
const LONGEST: Duration = Duration::from_secs(30);
/// How many conversions, and how many large admission reviews, run at once. Each has a thread.
const THREADS: usize = 16;
/// An admission review with more bytes than this has a thread: to decode, compare and encode a long list takes long enough to delay other tasks.
const LARGE: usize = 256 << 10;
/// How much earlier than the API server's timeout a slow handler is answered for.
const MARGIN: Duration = Duration::from_millis(500);

/// What serves the webhooks, by path. A clone is a handle on the same.
#[derive(Clone)]
pub(super) struct Dispatch {
    admission: Arc<BTreeMap<String, Handler>>,
    converters: Arc<Converters>,
    metrics: WebhookMetrics,
    admission_memory: Memory,
    /// Large conversions do not delay admission.
    conversion_memory: Memory,
    admission_threads: Arc<Semaphore>,
    conversion_threads: Arc<Semaphore>,
}

type HttpResponse = Response<Full<Bytes>>;

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
            admission_memory: Memory::admission(),
            conversion_memory: Memory::conversion(),
            admission_threads: Arc::new(Semaphore::new(THREADS)),
            conversion_threads: Arc::new(Semaphore::new(THREADS)),
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
        Box::new(move |request, work| {
            let own = self.clone();
            async move { own.respond(request, work).await }.boxed()
        })
    }

    async fn respond(&self, request: HttpRequest<Incoming>, work: Work) -> HttpResponse {
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
        let answer = self.answer(&head, &mut body, &work);
        let answer = answer.instrument(span.clone()).await;
        let answer = answer.unwrap_or_else(|(status, reason)| {
            warn!(webhook = %path, %status, "{reason}");
            text(status, reason + "\n")
        });
        // A client sends its whole request before it reads the answer, and gets none if the connection is closed earlier.
        let waits = head.uri.query().and_then(timeout_of).unwrap_or(TIMEOUT);
        let rest = waits.saturating_sub(started.elapsed());
        drop(work);
        _ = timeout(rest, async {
            while let Some(Ok(_)) = body.frame().await {}
        })
        .await;
        measured.code = Some(answer.status().as_u16());
        span.record("http.response.status_code", answer.status().as_u16());
        answer
    }

    async fn answer(
        &self,
        head: &Parts,
        body: &mut Incoming,
        work: &Work,
    ) -> Result<HttpResponse, HttpError> {
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
        let (memory, usual) = match handler {
            Some(_) => (&self.admission_memory, TIMEOUT),
            None => (&self.conversion_memory, LONGEST),
        };
        let limit = Limit::new(within(waits.unwrap_or(usual)));
        let (body, share) = limit.body(memory.read(body)).await?;
        work.begin();
        match handler {
            Some(handler) => self.admit(Arc::clone(handler), body, share, limit).await,
            None => self.convert(body, share, limit).await,
        }
    }

    /// Parses the review, lets the handler answer it and encodes the answer in a task of its own: a handler that blocks its thread does not delay
    /// the timeout. A large review has a thread. The task keeps the request's share of the memory until it ends, which may be after the timeout.
    async fn admit(
        &self,
        handler: Handler,
        body: Vec<u8>,
        share: Share,
        limit: Limit,
    ) -> Result<HttpResponse, HttpError> {
        let is_large = body.len() > LARGE;
        let (own, span) = (self.clone(), Span::current());
        let work = async move {
            let answer = own.admitted(handler, body, limit, &span).await;
            drop(share);
            answer
        };
        let running = if is_large {
            let turn = Arc::clone(&self.admission_threads).acquire_owned();
            let (turn, runtime) = (limit.work(turn).await?, Handle::current());
            tokio::task::spawn_blocking(move || {
                let _turn = turn;
                runtime.block_on(work)
            })
        } else {
            tokio::spawn(work)
        };
        let running = AbortOnDropHandle::new(running);
        limit.work(running).await?.map_err(|error| ended(&error))?
    }

    async fn admitted(
        &self,
        handler: Handler,
        body: Vec<u8>,
        limit: Limit,
        span: &Span,
    ) -> Result<HttpResponse, HttpError> {
        let review: Review = parse(&body, "an AdmissionReview")?;
        drop(body);
        let request = review.open().map_err(|reason| bad_request(&reason))?;
        let uid = request.uid.clone();
        let what = format!("{} {}", request.operation, request.resource.resource);
        let handling = AssertUnwindSafe(async { handler(request).await }).catch_unwind();
        let result = limit.work(handling).await?.map_err(|panic| {
            self.metrics.admission_panicked();
            let message = panics::message(panic);
            span.in_scope(|| error!("the webhook of {what} panicked: {message}"));
            let message = format!("the webhook panicked: {message}");
            (StatusCode::INTERNAL_SERVER_ERROR, message)
        })?;
        reply(&review::answer(uid, result))
    }

    /// Parses, converts and encodes a list on a thread of its own: it may be long, and other requests should not wait for it. Only a request
    /// with a turn parses its list, so that few lists are in memory in parsed form. Nothing ends a thread: after a timeout it goes on, and keeps
    /// its turn and its share of the memory until it is done.
    async fn convert(
        &self,
        body: Vec<u8>,
        share: Share,
        limit: Limit,
    ) -> Result<HttpResponse, HttpError> {
        let turn = Arc::clone(&self.conversion_threads).acquire_owned();
        let turn = limit.work(turn).await?;
        let (own, span) = (self.clone(), Span::current());
        let converting = tokio::task::spawn_blocking(move || {
            let _kept = (turn, share);
            span.in_scope(|| own.converted(body))
        });
        limit
            .work(converting)
            .await?
            .map_err(|error| ended(&error))?
    }

    fn converted(&self, body: Vec<u8>) -> Result<HttpResponse, HttpError> {
        let review: ConversionReview = parse(&body, "a ConversionReview")?;
        drop(body);
        let (version, kind) = (conversion::API_VERSION, conversion::KIND);
        if (&*review.types.api_version, &*review.types.kind) != (version, kind) {
            let found = &review.types;
            let reason = unexpected(kind, version, &found.kind, &found.api_version);
            return Err(bad_request(&reason));
        }
        let request = review
            .request
            .ok_or_else(|| bad_request("the ConversionReview has no request"))?;
        let (objects, wanted) = (request.objects, request.desired_api_version);
        let result = match self.converters.convert(objects, &wanted) {
            Ok(objects) => Ok(objects),
            Err(Failure::Rejected(message)) => {
                warn!("{message}");
                Err(message)
            }
            Err(Failure::Panic(message)) => {
                self.metrics.conversion_panicked();
                error!("{message}");
                Err(message)
            }
        };
        reply(&conversion::answer(request.uid, result))
    }
}

/// The answer for a task that the runtime has ended, or that panicked in this module.
fn ended(error: &JoinError) -> HttpError {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

/// The time for a request, from its arrival.
#[derive(Clone, Copy)]
struct Limit {
    time: Duration,
    end: tokio::time::Instant,
}

impl Limit {
    fn new(time: Duration) -> Self {
        Self {
            time,
            end: tokio::time::Instant::now() + time,
        }
    }

    /// Reads a body, unless other bodies take all memory or the client sends it too slowly.
    async fn body<T>(
        self,
        read: impl Future<Output = Result<T, HttpError>>,
    ) -> Result<T, HttpError> {
        timeout_at(self.end, read).await.unwrap_or_else(|_| {
            let message = format!(
                "other bodies used all memory, or the body did not arrive, for {:?}",
                self.time
            );
            Err((StatusCode::SERVICE_UNAVAILABLE, message))
        })
    }

    async fn work<T>(self, work: impl Future<Output = T>) -> Result<T, HttpError> {
        let worked = timeout_at(self.end, work).await;
        worked.map_err(|_| self.too_slow())
    }

    fn too_slow(self) -> HttpError {
        let message = format!("the webhook took longer than {:?}", self.time);
        // For 504, the API server would report a sentence of its own instead of this one.
        (StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

fn reply(value: &impl Serialize) -> Result<HttpResponse, HttpError> {
    let json = serde_json::to_vec(value)
        .map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(response(StatusCode::OK, "application/json", json))
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8], what: &str) -> Result<T, HttpError> {
    serde_json::from_slice(body)
        .map_err(|error| bad_request(&format!("the body is not {what}: {error}")))
}

/// Returns the value of `timeout` in a query, such as `10s`. Anyone may send it, but the API server waits no longer than [`LONGEST`].
fn timeout_of(query: &str) -> Option<Duration> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (_, value) = pairs.find(|(key, _)| key == "timeout")?;
    let (unit, digits) = [("ms", 1), ("s", 1000), ("m", 60_000)]
        .into_iter()
        .find_map(|(unit, millis)| Some((millis, value.strip_suffix(unit)?)))?;
    let number: u64 = digits.parse().ok()?;
    Some(Duration::from_millis(number.saturating_mul(unit)).min(LONGEST))
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
    use k8s_openapi::api::core::v1::ConfigMap;
    use parking_lot::Mutex;
    use serde_json::json;

    use super::{
        super::{Rejection, Request},
        *,
    };

    #[test]
    fn a_handler_has_less_time_than_the_api_server_waits() {
        let limit = |query| within(timeout_of(query).unwrap());
        assert_eq!(limit("timeout=10s"), Duration::from_millis(9500));
        assert_eq!(limit("timeout=1s"), Duration::from_millis(900));
        assert_eq!(limit("a=b&timeout=500ms"), Duration::from_millis(450));
        assert_eq!(timeout_of("timeout=soon"), None);
        assert_eq!(timeout_of("timeout=99999999999999999999s"), None);
        for long in ["999999999s", "100000m", "18446744073709551615m", "31s"] {
            assert_eq!(timeout_of(&format!("timeout={long}")), Some(LONGEST));
        }
    }

    /// Waits until a share of the memory is free again.
    async fn all_free(memory: &Memory) {
        while !memory.is_free() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_that_goes_on_after_its_timeout_keeps_its_share_of_the_memory() {
        let (convert, converting) = std::sync::mpsc::channel::<()>();
        let (admit, admitting) = std::sync::mpsc::channel::<()>();
        let (converting, admitting) = (Mutex::new(converting), Mutex::new(admitting));
        let webhooks = Webhooks::new("operator")
            .converting::<ConfigMap, _>(move |_, _| {
                _ = converting.lock().recv();
                Err("late")
            })
            .defaulting(
                move |_: &mut ConfigMap, _: &Request| -> Result<(), Rejection> {
                    _ = admitting.lock().recv();
                    Ok(())
                },
            );
        let dispatch = Dispatch::new(&webhooks, &Metrics::new()).unwrap();
        let limit = || Limit::new(Duration::from_millis(100));
        let read = async |memory: &Memory, review: serde_json::Value| {
            let mut body = Full::new(Bytes::from(review.to_string()));
            memory.read(&mut body).await.unwrap()
        };
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});

        let memory = &dispatch.conversion_memory;
        let review = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
            "request": {"uid": "a", "desiredAPIVersion": "v2", "objects": [object]},
        });
        let (body, share) = read(memory, review).await;
        let late = dispatch.convert(body, share, limit()).await.unwrap_err();
        assert_eq!(late.0, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!memory.is_free());
        drop(convert);
        all_free(memory).await;

        let memory = &dispatch.admission_memory;
        let review = json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {
                "uid": "a", "operation": "CREATE", "userInfo": {}, "object": object,
                "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
                "resource": {"group": "", "version": "v1", "resource": "configmaps"},
            },
        });
        let (body, share) = read(memory, review).await;
        let handler = Arc::clone(dispatch.admission.values().next().unwrap());
        let late = dispatch
            .admit(handler, body, share, limit())
            .await
            .unwrap_err();
        assert_eq!(late.0, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!memory.is_free());
        drop(admit);
        all_free(memory).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_review_and_every_conversion_wait_for_a_thread_before_they_are_parsed() {
        let webhooks = Webhooks::new("operator")
            .converting::<ConfigMap, _>(|_, _| Err("unused"))
            .defaulting(|_: &mut ConfigMap, _: &Request| -> Result<(), Rejection> { Ok(()) });
        let dispatch = Dispatch::new(&webhooks, &Metrics::new()).unwrap();
        let handler = || Arc::clone(dispatch.admission.values().next().unwrap());
        let admit = async |body: Vec<u8>| {
            let limit = Limit::new(Duration::from_secs(1));
            let share = Share::default();
            let answer = dispatch.admit(handler(), body, share, limit).await;
            answer.unwrap_err().0
        };
        let convert = async |body: &str| {
            let limit = Limit::new(Duration::from_secs(1));
            let share = Share::default();
            let answer = dispatch.convert(body.into(), share, limit).await;
            answer.unwrap_err().0
        };
        assert_eq!(convert("no JSON").await, StatusCode::BAD_REQUEST);
        assert_eq!(admit(vec![b'a'; LARGE + 1]).await, StatusCode::BAD_REQUEST);
        let threads = [&dispatch.admission_threads, &dispatch.conversion_threads];
        let all = threads.map(|it| it.try_acquire_many(16).unwrap());
        let late = StatusCode::INTERNAL_SERVER_ERROR;
        assert_eq!(convert("no JSON").await, late);
        assert_eq!(admit(vec![b'a'; LARGE + 1]).await, late);
        // A small one needs no thread.
        assert_eq!(admit(vec![b'a'; LARGE]).await, StatusCode::BAD_REQUEST);
        drop(all);
        assert_eq!(convert("no JSON").await, StatusCode::BAD_REQUEST);
    }
}
