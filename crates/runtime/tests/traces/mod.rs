//! Traces: from the watch event to the last write of a reconcile.
#![allow(clippy::unwrap_used)]
#[cfg(all(feature = "otlp", unix))]
mod program;

use std::{collections::BTreeMap, sync::Arc};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{Client, client::ClientBuilder};
use kube_codegen_runtime::{
    client::{TraceLayer, TypedClient},
    controller::{Action, Controller, MetricsHandle, OnError},
    informer::InformerFactory,
};
use kube_codegen_testing::ApiServer;
use opentelemetry::trace::{SpanId, SpanKind, Status, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use serde_json::json;
use tokio::sync::mpsc;
use tracing_subscriber::layer::SubscriberExt as _;

/// A client whose requests are in traces.
fn traced(server: &ApiServer) -> Client {
    ClientBuilder::new(server.service(), "default")
        .with_layer(&TraceLayer)
        .build()
}

/// Collects the spans of this thread, until the guard is dropped.
fn collect() -> (
    InMemorySpanExporter,
    SdkTracerProvider,
    tracing::subscriber::DefaultGuard,
) {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let subscriber = tracing_subscriber::registry()
        .with(tracing_subscriber::EnvFilter::new(
            "kube_codegen_runtime=trace",
        ))
        .with(layer);
    (exporter, provider, crate::log::subscribe(subscriber))
}

fn attribute(span: &SpanData, name: &str) -> String {
    let found = span.attributes.iter().find(|it| it.key.as_str() == name);
    found.map(|it| it.value.to_string()).unwrap_or_default()
}

type Context = (
    TypedClient<ConfigMap>,
    TypedClient<Secret>,
    mpsc::Sender<()>,
);

/// Writes twice; the second write fails the first time.
async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> kube::Result<Action> {
    let (maps, secrets, done) = &*context;
    let mut secret = Secret::default();
    secret.metadata.name.clone_from(&map.metadata.name);
    secrets.create(&secret).await?;
    let seen = kube::api::Patch::Merge(json!({"data": {"seen": "yes"}}));
    maps.patch("a", &seen).await?;
    done.send(()).await.ok();
    Ok(Action::await_change())
}

/// Runs a controller until it has reconciled an object, and returns the spans.
async fn reconciled(observe: impl FnOnce(&MetricsHandle)) -> Vec<SpanData> {
    let server = ApiServer::new();
    let client = traced(&server);
    let (exporter, provider, _guard) = collect();
    let maps = TypedClient::<ConfigMap>::namespaced(client.clone(), "default");
    let secrets = TypedClient::<Secret>::namespaced(client.clone(), "default");
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".into());

    let factory = InformerFactory::new(client);
    let (done, mut finished) = mpsc::channel(1);
    let mut after = mpsc::channel::<()>(1);
    let controller = Controller::for_informer(&factory.informer::<ConfigMap>());
    observe(&controller.metrics());
    let run = controller
        .graceful_shutdown_on(async move {
            after.1.recv().await;
        })
        .run(
            reconcile,
            |_, _, _| OnError::Drop,
            Arc::new((maps.clone(), secrets, done)),
        );
    let act = async {
        maps.create(&map).await.unwrap();
        finished.recv().await.unwrap();
        after.0.send(()).await.unwrap();
    };
    let (result, ()) = tokio::join!(run, act);
    result.unwrap();
    factory.shutdown().await;
    provider.force_flush().unwrap();
    exporter.get_finished_spans().unwrap()
}

#[cfg(feature = "metrics")]
#[tokio::test]
async fn the_duration_of_a_reconcile_has_its_trace() {
    use kube_codegen_runtime::metrics::{Format, Metrics};
    use opentelemetry::trace::TraceContextExt as _;
    use tracing_opentelemetry::OpenTelemetrySpanExt as _;

    let metrics = Metrics::new();
    metrics.set_trace_ids(|| {
        let context = tracing::Span::current().context();
        let span = context.span().span_context().clone();
        span.is_sampled().then(|| span.trace_id().to_string())
    });
    let spans = reconciled(|it| metrics.controller(it).unwrap()).await;
    let encoded = metrics.encode(Format::OpenMetrics).unwrap();
    let exemplars: Vec<&str> = encoded
        .lines()
        .filter(|it| it.starts_with("controller_runtime_reconcile_time_seconds_bucket"))
        .filter_map(|it| it.split_once(" # {trace_id=\"")?.1.split('"').next())
        .collect();
    assert!(!exemplars.is_empty(), "{encoded}");
    for id in exemplars {
        let mut reconciles = spans.iter().filter(|it| it.name == "reconcile");
        assert!(reconciles.any(|it| it.span_context.trace_id().to_string() == id));
    }
    let text = metrics.encode(Format::Text).unwrap();
    assert!(!text.contains("trace_id"), "{text}");
}

#[tokio::test]
async fn a_trace_leads_from_the_watch_event_to_the_last_write() {
    let spans = reconciled(|_| {}).await;
    let by_id: BTreeMap<_, _> = spans
        .iter()
        .map(|it| (it.span_context.span_id().to_bytes(), it))
        .collect();
    let last = spans
        .iter()
        .find(|it| attribute(it, "http.request.method") == "PATCH")
        .expect("the last write");
    assert_eq!(attribute(last, "http.response.status_code"), "200");
    assert_eq!(
        attribute(last, "url.path"),
        "/api/v1/namespaces/default/configmaps/a"
    );
    assert_eq!(last.span_kind, SpanKind::Client);
    let reconcile = by_id[&last.parent_span_id.to_bytes()];
    assert_eq!(reconcile.name, "reconcile");
    assert_eq!(attribute(reconcile, "object"), "default/a");
    let event = by_id[&reconcile.parent_span_id.to_bytes()];
    assert_eq!(
        (&*event.name, event.parent_span_id),
        ("watch event", SpanId::INVALID)
    );
    assert_eq!(event.span_kind, SpanKind::Consumer);
    // The trace has no other requests than those of the reconcile.
    let trace = event.span_context.trace_id();
    let mut inside: Vec<_> = spans
        .iter()
        .filter(|it| it.span_context.trace_id() == trace)
        .map(|it| &*it.name)
        .collect();
    inside.sort_unstable();
    assert_eq!(inside, ["create", "patch", "reconcile", "watch event"]);
    assert!(spans.iter().any(|it| it.name == "watch"), "the informer's");

    // The second reconcile, for the event of the own write, fails: the Secret exists.
    let failed = spans
        .iter()
        .find(|it| it.name == "reconcile" && attribute(it, "error.type") == "error");
    if let Some(failed) = failed {
        assert!(matches!(failed.status, Status::Error { .. }));
    }
}

#[tokio::test]
async fn a_request_without_a_verb_is_named_after_its_method() {
    let server = ApiServer::new();
    let client = traced(&server);
    let (exporter, provider, _guard) = collect();
    let request = http::Request::get("/version").body(Vec::new()).unwrap();
    client.request_text(request).await.unwrap();
    provider.force_flush().unwrap();
    let spans = exporter.get_finished_spans().unwrap();
    assert_eq!(spans[0].name, "get");
}

#[tokio::test]
async fn a_request_that_is_rejected_is_an_error() {
    let server = ApiServer::new();
    let client = traced(&server);
    let (exporter, provider, _guard) = collect();
    let maps = TypedClient::<ConfigMap>::namespaced(client, "default");
    assert!(maps.get("absent").await.is_err());
    provider.force_flush().unwrap();
    let spans = exporter.get_finished_spans().unwrap();
    let [span] = &spans[..] else {
        panic!("{spans:?}")
    };
    assert_eq!(attribute(span, "error.type"), "404");
    assert!(
        matches!(span.status, Status::Error { .. }),
        "{:?}",
        span.status
    );
}
