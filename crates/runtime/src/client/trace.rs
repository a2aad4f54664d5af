//! Spans for the requests of a client, with the names and attributes of OpenTelemetry.
use std::{
    pin::Pin,
    task::{Context, Poll},
};

use http::{Method, Request, Response};
use tower::{Layer, Service};
use tracing::{Instrument as _, field::Empty, trace_span};

/// Adds a span at the level `trace` for each request, which ends with the head of the response. A `Manager` that connects by itself adds
/// this layer to its clients.
///
/// ```no_run
/// # fn example(config: kube::Config) -> kube::Result<()> {
/// use kube::client::ClientBuilder;
/// use kube_codegen_runtime::client::TraceLayer;
///
/// let client = ClientBuilder::try_from(config)?.with_layer(&TraceLayer).build();
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceLayer;

impl<S> Layer<S> for TraceLayer {
    type Service = Traced<S>;

    fn layer(&self, inner: S) -> Traced<S> {
        Traced(inner)
    }
}

/// Returns what kube calls a request, such as `list`; a path is of no use as a name, since it has those of objects.
fn name<B>(request: &Request<B>) -> &'static str {
    let verb = request.extensions().get::<&'static str>().copied();
    verb.unwrap_or_else(|| match *request.method() {
        Method::GET => "get",
        Method::POST => "create",
        Method::PUT => "replace",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        _ => "request",
    })
}

/// The service created by [`TraceLayer`].
#[derive(Clone, Debug)]
pub struct Traced<S>(S);

type Running<R, E> = Pin<Box<dyn Future<Output = Result<R, E>> + Send>>;

impl<S, B, R> Service<Request<B>> for Traced<S>
where
    S: Service<Request<B>, Response = Response<R>, Future: Send + 'static>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Running<S::Response, S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let span = trace_span!(
            "request",
            otel.name = name(&request),
            otel.kind = "client",
            otel.status_code = Empty,
            http.request.method = %request.method(),
            url.path = request.uri().path(),
            http.response.status_code = Empty,
            error.r#type = Empty,
        );
        let running = self.0.call(request).instrument(span.clone());
        Box::pin(async move {
            let result = running.await;
            if let Ok(response) = &result {
                let status = response.status();
                span.record("http.response.status_code", status.as_u16());
                if status.is_client_error() || status.is_server_error() {
                    span.record("otel.status_code", "ERROR");
                    span.record("error.type", status.as_str());
                }
            } else {
                span.record("otel.status_code", "ERROR");
                span.record("error.type", "connection");
            }
            result
        })
    }
}
