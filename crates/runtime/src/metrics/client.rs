//! The requests of clients, with the names of client-go's `rest_client_*` metrics, measured by a tower layer.
use std::{
    collections::HashMap,
    fmt,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt};
use http::{Method, Request, Response};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, combinators::MapFrame};
use parking_lot::Mutex;
use tower::{Layer, Service};

use super::encoder::{Encoder, Labels};
use crate::histogram::Histogram;

/// Upper bounds of durations in seconds, as in client-go.
const DURATIONS: &[f64] = &[
    0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0,
];
/// Upper bounds of sizes in bytes, as in client-go.
const SIZES: &[f64] = &[
    64.0,
    256.0,
    512.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
];

/// Counts and measures the requests of a client; see [`Metrics::client_layer`](super::Metrics::client_layer).
#[derive(Clone, Debug)]
pub struct ClientLayer {
    metrics: Arc<ClientMetrics>,
}

impl ClientLayer {
    pub(super) fn new(metrics: Arc<ClientMetrics>) -> Self {
        Self { metrics }
    }
}

impl<S> Layer<S> for ClientLayer {
    type Service = ClientService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let metrics = Arc::clone(&self.metrics);
        ClientService { inner, metrics }
    }
}

/// The service created by [`ClientLayer`].
#[derive(Clone, Debug)]
pub struct ClientService<S> {
    inner: S,
    metrics: Arc<ClientMetrics>,
}

/// A response body that is measured while it is read.
pub type CountedBody<B> = MapFrame<B, Box<dyn FnMut(Frame<Bytes>) -> Frame<Bytes> + Send>>;

impl<S, Sent, Received> Service<Request<Sent>> for ClientService<S>
where
    S: Service<Request<Sent>, Response = Response<Received>>,
    S::Future: Send + 'static,
    Sent: Body,
    Received: Body<Data = Bytes> + Send + 'static,
{
    type Response = Response<CountedBody<Received>>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Sent>) -> Self::Future {
        let mut measured = Measured::new(Arc::clone(&self.metrics), &request);
        let response = self.inner.call(request);
        async move {
            let response = response.await?;
            measured.answered(response.status().as_u16());
            Ok(response.map(|body| {
                let count: Box<dyn FnMut(Frame<Bytes>) -> Frame<Bytes> + Send> =
                    Box::new(move |frame| {
                        measured.receive(&frame);
                        frame
                    });
                body.map_frame(count)
            }))
        }
        .boxed()
    }
}

/// One request. It ends when this is dropped: with its response's body, or with an error.
struct Measured {
    metrics: Arc<ClientMetrics>,
    method: Method,
    started: Instant,
    sent: usize,
    received: usize,
    answered: bool,
    /// Lasts as long as the server wants, so it is counted but not measured.
    watch: bool,
}

impl Measured {
    fn new(metrics: Arc<ClientMetrics>, request: &Request<impl Body>) -> Self {
        let query = request.uri().query().unwrap_or_default();
        let sent = request.body().size_hint().exact().unwrap_or_default();
        Self {
            metrics,
            method: request.method().clone(),
            started: Instant::now(),
            sent: usize::try_from(sent).unwrap_or(usize::MAX),
            received: 0,
            answered: false,
            watch: query
                .split('&')
                .any(|pair| matches!(pair, "watch=true" | "watch=1" | "watch")),
        }
    }

    fn answered(&mut self, code: u16) {
        self.answered = true;
        self.metrics.count(&self.method, code);
    }

    fn receive(&mut self, frame: &Frame<Bytes>) {
        self.received += frame.data_ref().map_or(0, Bytes::len);
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        if !self.answered {
            self.metrics.count(&self.method, ERROR);
        }
        if self.watch {
            return;
        }
        let took = self.started.elapsed();
        let mut verbs = self.metrics.verbs.lock();
        let verb = verbs.entry(self.method.clone()).or_default();
        verb.duration.observe_duration(took);
        verb.sent.observe_items(self.sent);
        if self.answered {
            verb.received.observe_items(self.received);
        }
    }
}

/// The code of a request without a response.
const ERROR: u16 = 0;

/// The requests to one server.
#[derive(Debug)]
pub(super) struct ClientMetrics {
    host: String,
    requests: Mutex<HashMap<(Method, u16), u64>>,
    verbs: Mutex<HashMap<Method, Verb>>,
}

/// The requests of one HTTP method.
#[derive(Clone, Debug)]
struct Verb {
    duration: Histogram,
    sent: Histogram,
    received: Histogram,
}

impl Default for Verb {
    fn default() -> Self {
        Self {
            duration: Histogram::new(DURATIONS),
            sent: Histogram::new(SIZES),
            received: Histogram::new(SIZES),
        }
    }
}

impl ClientMetrics {
    pub(super) fn new(host: String) -> Self {
        Self {
            host,
            requests: Mutex::default(),
            verbs: Mutex::default(),
        }
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    fn count(&self, method: &Method, code: u16) {
        *self
            .requests
            .lock()
            .entry((method.clone(), code))
            .or_default() += 1;
    }
}

pub(super) fn encode(clients: &[Arc<ClientMetrics>], out: &mut Encoder<'_>) -> fmt::Result {
    let mut requests: Vec<(Labels, u64)> = Vec::new();
    let mut verbs: Vec<(Labels, Verb)> = Vec::new();
    for client in clients {
        let host = ("host", client.host.clone());
        requests.extend(
            client
                .requests
                .lock()
                .iter()
                .map(|((method, code), count)| {
                    let code = match *code {
                        ERROR => "<error>".to_owned(),
                        code => code.to_string(),
                    };
                    let labels = vec![
                        ("code", code),
                        ("host", host.1.clone()),
                        ("method", method.to_string()),
                    ];
                    (labels, *count)
                }),
        );
        verbs.extend(client.verbs.lock().iter().map(|(method, verb)| {
            (
                vec![host.clone(), ("verb", method.to_string())],
                verb.clone(),
            )
        }));
    }
    requests.sort();
    verbs.sort_by(|a, b| a.0.cmp(&b.0));
    out.counter(
        "rest_client_requests_total",
        "Requests per response code, method and host",
        requests.iter().map(|(labels, count)| (labels, *count)),
    )?;
    out.histogram(
        "rest_client_request_duration_seconds",
        "Duration of a request up to the end of its response, without watches",
        verbs.iter().map(|(labels, verb)| (labels, &verb.duration)),
    )?;
    out.histogram(
        "rest_client_request_size_bytes",
        "Size of the body of a request",
        verbs.iter().map(|(labels, verb)| (labels, &verb.sent)),
    )?;
    out.histogram(
        "rest_client_response_size_bytes",
        "Size of the body of a response, without watches",
        verbs.iter().map(|(labels, verb)| (labels, &verb.received)),
    )
}
