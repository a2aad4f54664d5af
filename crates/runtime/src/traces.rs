//! Traces that go to a collector, over OTLP with HTTP.
//!
//! The variables of the environment are those of the OpenTelemetry specification
//! (<https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/>): a program that sets none of them exports nothing.
use std::{env, fmt, time::Duration};

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::{
    client::legacy::{Client, connect::Connect},
    rt::TokioExecutor,
};
use kube::{Config, client::ConfigExt as _};
use opentelemetry::{
    Key,
    trace::{TraceContextExt as _, TracerProvider as _},
};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{
    OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, SpanExporter,
    WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tokio::{runtime::Handle, task::spawn_blocking, time::timeout};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer as _;

use crate::logs::Spans;

/// How long a collector may take for a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How many bytes of an answer are read.
const MAX_ANSWER: usize = 1 << 20;

/// The exporter of a program.
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts the exporter if the environment asks for one. `name` is that of the service, unless the environment has another.
    ///
    /// # Errors
    /// If a variable cannot be read.
    pub(crate) fn from_env(name: &str) -> Result<Option<Self>, HttpError> {
        let is = |variable: &str, value: &str| {
            env::var(variable).is_ok_and(|it| it.eq_ignore_ascii_case(value))
        };
        let is_given = |variable: &str| env::var(variable).is_ok_and(|it| !it.is_empty());
        let is_off = is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none");
        let is_wanted = is("OTEL_TRACES_EXPORTER", "otlp")
            || is_given(OTEL_EXPORTER_OTLP_ENDPOINT)
            || is_given(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
        if is_off || !is_wanted {
            return Ok(None);
        }
        Self::start(name, None).map(Some)
    }

    fn start(name: &str, endpoint: Option<String>) -> Result<Self, HttpError> {
        // The connector of kube has the certificates of the platform; the address is not used.
        let connector = Config::new(Uri::default()).rustls_https_connector()?;
        let client = Client::builder(TokioExecutor::new()).build(connector);
        let handle = Handle::current();
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Sender { client, handle });
        let exporter = match endpoint {
            Some(endpoint) => exporter.with_endpoint(endpoint),
            None => exporter,
        };
        let mut resource = Resource::builder().build();
        let service = Key::from_static_str("service.name");
        let given = resource.get(&service);
        if given.is_none_or(|it| it.as_str().starts_with("unknown_service")) {
            resource = Resource::builder()
                .with_service_name(name.to_owned())
                .build();
        }
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_batch_exporter(exporter.build()?);
        Ok(Self(provider.build()))
    }

    /// Returns the layer that gets the spans.
    pub(crate) fn layer(&self) -> Spans {
        let tracer = self.0.tracer(env!("CARGO_PKG_NAME"));
        tracing_opentelemetry::layer().with_tracer(tracer).boxed()
    }

    /// Exports what is left, and ends.
    pub(crate) async fn end(self) {
        // It waits for its thread, which waits for tasks of this runtime.
        let ended = spawn_blocking(move || self.0.shutdown()).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(%error, "traces are incomplete");
        }
    }
}

/// Returns the id of the current trace, if it is exported.
pub(crate) fn trace_id() -> Option<String> {
    let context = tracing::Span::current().context();
    let span = context.span().span_context().clone();
    span.is_sampled().then(|| span.trace_id().to_string())
}

/// Sends requests by the runtime of the program: the exporter has a thread of its own, which is not in it.
struct Sender<C> {
    client: Client<C, Full<Bytes>>,
    handle: Handle,
}

impl<C> fmt::Debug for Sender<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

#[async_trait::async_trait]
impl<C: Connect + Clone + Send + Sync + 'static> HttpClient for Sender<C> {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = self.client.request(request.map(Full::new));
        let answer = async {
            let (parts, body) = request.await?.into_parts();
            let body = Limited::new(body, MAX_ANSWER).collect().await?;
            Ok(Response::from_parts(parts, body.to_bytes()))
        };
        // A time-out is made within the runtime.
        let bounded = async move { timeout(TIMEOUT, answer).await };
        self.handle.spawn(bounded).await??
    }
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, sync::Arc, sync::Mutex};

    use http_body_util::Empty;
    use hyper::{body::Incoming, server::conn::http1, service::service_fn};
    use hyper_util::rt::TokioIo;
    use tokio::net::TcpListener;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    type Received = Arc<Mutex<Vec<(String, Bytes)>>>;

    /// Starts a collector that keeps the paths and bodies of requests.
    async fn collector() -> (String, Received) {
        let received = Received::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        let kept = Arc::clone(&received);
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let service = service_fn(|request: Request<Incoming>| {
                let kept = Arc::clone(&kept);
                async move {
                    let path = request.uri().path().to_owned();
                    let body = request.into_body().collect().await.unwrap().to_bytes();
                    kept.lock().unwrap().push((path, body));
                    Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
                }
            });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            connection.await.unwrap();
        });
        (address, received)
    }

    // One thread: the exporter must not wait for a runtime that waits for it.
    #[tokio::test]
    async fn spans_arrive_at_the_collector() {
        let (address, received) = collector().await;
        let traces = Traces::start("my-operator", Some(address)).unwrap();
        let subscriber = tracing_subscriber::registry().with(traces.layer());
        let id = tracing::subscriber::with_default(subscriber, || {
            assert_eq!(trace_id(), None);
            tracing::info_span!("reconcile", object = "default/sample").in_scope(trace_id)
        });
        traces.end().await;
        assert_eq!(id.unwrap().len(), 32);
        let received = received.lock().unwrap();
        let [(path, body)] = &received[..] else {
            panic!("{received:?}");
        };
        assert_eq!(path, "/v1/traces");
        // Texts are in protobuf as they are.
        let body = String::from_utf8_lossy(body);
        for expected in ["my-operator", "reconcile", "default/sample"] {
            assert!(body.contains(expected), "{expected}: {body}");
        }
    }

    #[tokio::test]
    async fn nothing_is_exported_unless_the_environment_asks_for_it() {
        assert!(Traces::from_env("my-operator").unwrap().is_none());
    }

    #[tokio::test]
    async fn an_invalid_address_is_an_error() {
        let error = Traces::start("my-operator", Some("not an address".to_owned())).err();
        assert!(error.unwrap().to_string().contains("not an address"));
    }
}
