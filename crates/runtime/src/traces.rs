//! Traces that go to a collector, over OTLP with HTTP.
//!
//! The variables of the environment are those of the OpenTelemetry specification
//! (<https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/>): a program that sets none of them exports nothing.
use std::{env, fmt, time::Duration};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::{
    client::legacy::{
        Client,
        connect::{Connect, HttpConnector},
    },
    rt::TokioExecutor,
};
use kube::{Config, client::ConfigExt as _};
use opentelemetry::{
    Key,
    trace::{TraceContextExt as _, TracerProvider as _},
};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tokio::{runtime::Handle, task::spawn_blocking, time::timeout};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer as _;

use crate::logs::Spans;

/// How long a collector may take for a request, unless the environment says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long the end of a program waits for a collector: with its grace period, no longer than kubelets do.
const END: Duration = Duration::from_secs(3);

/// How many bytes of an answer are read.
const MAX_ANSWER: usize = 1 << 20;

/// What the environment says.
#[derive(Debug, PartialEq)]
struct Settings {
    /// Whether the collector is reached by TLS.
    is_secure: bool,
    timeout: Duration,
    /// The address for traces as it is. Without it, the exporter adds its path to that for all signals, or has its default.
    endpoint: Option<String>,
}

impl Settings {
    /// Reads variables; `None` if they ask for no exporter. Those for traces come before those for all signals.
    ///
    /// # Errors
    /// If the time-out cannot be read, or the protocol is another than HTTP with protobuf.
    fn new(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, HttpError> {
        let variable = |name: &str| variable(name).filter(|it| !it.is_empty());
        let of_otlp = |name: &str| {
            let of_traces = variable(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}"));
            of_traces.or_else(|| variable(&format!("OTEL_EXPORTER_OTLP_{name}")))
        };
        let is_off =
            variable("OTEL_SDK_DISABLED").is_some_and(|it| it.eq_ignore_ascii_case("true"));
        let address = of_otlp("ENDPOINT");
        let is_wanted = match variable("OTEL_TRACES_EXPORTER") {
            Some(exporter) => exporter == "otlp",
            None => address.is_some(),
        };
        if is_off || !is_wanted {
            return Ok(None);
        }
        if let Some(protocol) = of_otlp("PROTOCOL").filter(|it| it != "http/protobuf") {
            return Err(format!(
                "OTEL_EXPORTER_OTLP_PROTOCOL is {protocol:?}: only \"http/protobuf\" is possible"
            )
            .into());
        }
        let timeout = match of_otlp("TIMEOUT") {
            Some(text) => Duration::from_millis(text.parse().map_err(|_| {
                format!(
                    "OTEL_EXPORTER_OTLP_TIMEOUT is {text:?}: a number of milliseconds is expected"
                )
            })?),
            None => TIMEOUT,
        };
        Ok(Some(Self {
            is_secure: address.is_some_and(|it| it.starts_with("https:")),
            timeout,
            endpoint: variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
        }))
    }
}

/// The exporter of a program.
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts the exporter if the environment asks for one. `name` is that of the service, unless the environment has another.
    ///
    /// # Errors
    /// If a variable cannot be read.
    pub(crate) fn from_env(name: &str) -> Result<Option<Self>, HttpError> {
        let settings = Settings::new(|variable| env::var(variable).ok())?;
        settings.map(|it| Self::start(name, it)).transpose()
    }

    fn start(name: &str, settings: Settings) -> Result<Self, HttpError> {
        let handle = Handle::current();
        let builder = Client::builder(TokioExecutor::new());
        let exporter = SpanExporter::builder().with_http();
        let timeout = settings.timeout;
        // A plain connector needs no certificates of the platform, which an image may not have.
        let exporter = if settings.is_secure {
            // The connector of kube; the address is not used.
            let connector = Config::new(Uri::default()).rustls_https_connector()?;
            let client = builder.build(connector);
            exporter.with_http_client(Sender {
                client,
                handle,
                timeout,
            })
        } else {
            let client = builder.build(HttpConnector::new());
            exporter.with_http_client(Sender {
                client,
                handle,
                timeout,
            })
        };
        let exporter = match settings.endpoint {
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
    pub(crate) fn end(self) -> BoxFuture<'static, ()> {
        Box::pin(self.ended())
    }

    async fn ended(self) {
        // It waits for its thread, which waits for tasks of this runtime.
        let ended = spawn_blocking(move || self.0.shutdown_with_timeout(END)).await;
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
    timeout: Duration,
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
        let limit = self.timeout;
        let bounded = async move { timeout(limit, answer).await };
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

    fn to(endpoint: &str) -> Settings {
        Settings {
            is_secure: false,
            timeout: TIMEOUT,
            endpoint: Some(endpoint.to_owned()),
        }
    }

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
        let traces = Traces::start("my-operator", to(&address)).unwrap();
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

    #[test]
    fn the_environment_decides_what_is_exported() {
        let read = |variables: &[(&str, &str)]| {
            Settings::new(|name| {
                let mut all = variables.iter();
                let (_, value) = all.find(|(it, _)| *it == name)?;
                Some((*value).to_owned())
            })
        };
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318");
        let of_traces = (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "https://collector/v1/traces",
        );
        for nothing in [
            &[][..],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", "")],
            &[endpoint, ("OTEL_SDK_DISABLED", "true")],
            &[endpoint, ("OTEL_TRACES_EXPORTER", "none")],
            &[endpoint, ("OTEL_TRACES_EXPORTER", "zipkin")],
        ] {
            assert_eq!(read(nothing).unwrap(), None, "{nothing:?}");
        }
        let secure = |variables: &[(&str, &str)]| read(variables).unwrap().map(|it| it.is_secure);
        assert_eq!(secure(&[endpoint]), Some(false));
        assert_eq!(secure(&[endpoint, of_traces]), Some(true));
        let settings = read(&[endpoint, of_traces]).unwrap().unwrap();
        assert_eq!(settings.endpoint.as_deref(), Some(of_traces.1));
        assert_eq!(secure(&[("OTEL_TRACES_EXPORTER", "otlp")]), Some(false));
        let late = [endpoint, ("OTEL_EXPORTER_OTLP_TIMEOUT", "20000")];
        let settings = read(&late).unwrap().unwrap();
        assert_eq!(settings.timeout, Duration::from_secs(20));
        for wrong in [
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ] {
            let problem = read(&[endpoint, wrong]).unwrap_err().to_string();
            assert!(
                problem.contains(wrong.0) && problem.contains(wrong.1),
                "{problem}"
            );
        }
    }

    #[tokio::test]
    async fn an_invalid_address_is_an_error() {
        let error = Traces::start("my-operator", to("not an address")).err();
        assert!(error.unwrap().to_string().contains("not an address"));
    }
}
