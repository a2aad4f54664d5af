//! The queries of kubebuilder's two Grafana dashboards find their series.
use kube_codegen_runtime::{metrics::Format, server::Server};

use crate::server::{
    exposition::{Sample, parse},
    http::{get, start},
    program::Program,
    promql::{evaluate, label_values},
};

/// Panels with their queries, the labels in their legends, and whether the result is above zero after some reconciles. From kubebuilder's
/// `grafana/controller-runtime-metrics.json` and `grafana/controller-resources-metrics.json`.
#[rustfmt::skip]
const QUERIES: &[(&str, &str, &[&str], bool)] = &[
    ("Number of workers in use", r#"controller_runtime_active_workers{job="$job", namespace="$namespace"}"#, &["controller", "instance"], false),
    ("Total Reconciliation Count Per Controller", r#"sum(rate(controller_runtime_reconcile_total{job="$job", namespace="$namespace"}[5m])) by (instance, pod)"#, &["instance", "pod"], true),
    ("Reconciliation Error Count Per Controller", r#"sum(rate(controller_runtime_reconcile_errors_total{job="$job", namespace="$namespace"}[5m])) by (instance, pod)"#, &["instance", "pod"], true),
    ("WorkQueue Depth", r#"workqueue_depth{job="$job", namespace="$namespace"}"#, &[], false),
    ("Seconds For Items Stay In Queue, P50", r#"histogram_quantile(0.50, sum(rate(workqueue_queue_duration_seconds_bucket{job="$job", namespace="$namespace"}[5m])) by (instance, name, le))"#, &["name", "instance"], true),
    ("Seconds For Items Stay In Queue, P90", r#"histogram_quantile(0.90, sum(rate(workqueue_queue_duration_seconds_bucket{job="$job", namespace="$namespace"}[5m])) by (instance, name, le))"#, &["name", "instance"], true),
    ("Seconds For Items Stay In Queue, P99", r#"histogram_quantile(0.99, sum(rate(workqueue_queue_duration_seconds_bucket{job="$job", namespace="$namespace"}[5m])) by (instance, name, le))"#, &["name", "instance"], true),
    ("Work Queue Add Rate", r#"sum(rate(workqueue_adds_total{job="$job", namespace="$namespace"}[5m])) by (instance, name)"#, &["name", "instance"], true),
    ("Unfinished Seconds", r#"rate(workqueue_unfinished_work_seconds{job="$job", namespace="$namespace"}[5m])"#, &[], false),
    ("Seconds Processing Items From WorkQueue, P50", r#"histogram_quantile(0.50, sum(rate(workqueue_work_duration_seconds_bucket{job="$job", namespace="$namespace"}[5m])) by (instance, name, le))"#, &["name", "instance"], true),
    ("Seconds Processing Items From WorkQueue, P90", r#"histogram_quantile(0.90, sum(rate(workqueue_work_duration_seconds_bucket{job="$job", namespace="$namespace"}[5m])) by (instance, name, le))"#, &["name", "instance"], true),
    ("Seconds Processing Items From WorkQueue, P99", r#"histogram_quantile(0.99, sum(rate(workqueue_work_duration_seconds_bucket{job="$job", namespace="$namespace"}[5m])) by (instance, name, le))"#, &["name", "instance"], true),
    ("Work Queue Retries Rate", r#"sum(rate(workqueue_retries_total{job="$job", namespace="$namespace"}[5m])) by (instance, name)"#, &["name", "instance"], true),
    ("Controller CPU Usage", r#"rate(process_cpu_seconds_total{job="$job", namespace="$namespace", pod="$pod"}[5m]) * 100"#, &["pod"], false),
    ("Controller Memory Usage", r#"process_resident_memory_bytes{job="$job", namespace="$namespace", pod="$pod"}"#, &["pod"], true),
];

/// The variables of both dashboards.
const VARIABLES: [(&str, &str); 3] = [
    (
        "namespace",
        "label_values(controller_runtime_reconcile_total, namespace)",
    ),
    (
        "job",
        r#"label_values(controller_runtime_reconcile_total{namespace=~"$namespace"}, job)"#,
    ),
    (
        "pod",
        r#"label_values(controller_runtime_reconcile_total{namespace=~"$namespace", job=~"$job"}, pod)"#,
    ),
];

/// Labels that Prometheus adds to every series of a target, and that all queries select by.
const TARGET: [(&str, &str); 4] = [
    ("job", "controller-manager-metrics-service"),
    ("namespace", "system"),
    ("pod", "controller-manager-0"),
    ("instance", "10.0.0.7:8443"),
];

/// Returns the series of a scrape, as Prometheus stores them. A label of the target replaces one of the program.
fn scraped(text: &str) -> Vec<Sample> {
    let (mut samples, _) = parse(text);
    for sample in &mut samples {
        for (name, value) in TARGET {
            let own = sample.labels.insert(name.into(), value.into());
            if let Some(own) = own {
                sample.labels.insert(format!("exported_{name}"), own);
            }
        }
    }
    samples
}

#[tokio::test]
async fn kubebuilders_dashboards_find_their_series() {
    let mut program = Program::start().await;
    let server = start(Server::plain("127.0.0.1:0").metrics(&program.metrics)).await;
    let scrape = async || {
        let answer = get(server.address, "/metrics").await;
        assert_eq!(answer.status, 200);
        scraped(&answer.body)
    };
    let before = scrape().await;
    // One failure, and each patch is a change that is reconciled again.
    program.reconcile(&["good", "bad", "later"], 6).await;
    let after = scrape().await;

    // The user chooses the values of the variables from lists, one after the other.
    let mut chosen: Vec<(String, String)> = Vec::new();
    let with_values = |query: &str, chosen: &[(String, String)]| {
        let replace = |query: String, (name, value): &(String, String)| query.replace(name, value);
        chosen.iter().fold(query.to_owned(), replace)
    };
    for (name, query) in VARIABLES {
        let values = label_values(&with_values(query, &chosen), &after);
        let expected = TARGET.iter().find(|(label, _)| *label == name).unwrap().1;
        assert_eq!(values, [expected], "{name}");
        chosen.push((format!("${name}"), expected.to_owned()));
    }
    for (panel, query, legend, is_positive) in QUERIES {
        let result = evaluate(&with_values(query, &chosen), &before, &after);
        assert!(!result.is_empty(), "{panel}: no series");
        for one in &result {
            assert!(
                one.value.is_finite() && one.value >= 0.0,
                "{panel}: {one:?}"
            );
            for label in *legend {
                assert_ne!(one.label(label), "", "{panel}: {one:?} has no {label}");
            }
        }
        let total: f64 = result.iter().map(|one| one.value).sum();
        assert!(total > 0.0 || !is_positive, "{panel}: {result:?}");
    }
}

#[tokio::test]
async fn reconciles_are_counted_by_result() {
    let mut program = Program::start().await;
    let (zero, _) = parse(&program.metrics.encode(Format::Text).unwrap());
    let results = |samples: &[Sample]| -> Vec<(String, f64)> {
        let total = "controller_runtime_reconcile_total";
        let samples = samples.iter().filter(|sample| sample.name == total);
        samples
            .map(|sample| (sample.label("result").to_owned(), sample.value))
            .collect()
    };
    let names = ["success", "error", "requeue", "requeue_after"];
    assert_eq!(
        results(&zero),
        names.map(|name| (name.to_owned(), 0.0)),
        "all exist from the start"
    );

    program.reconcile(&["good", "bad", "later"], 6).await;
    let (samples, _) = parse(&program.metrics.encode(Format::Text).unwrap());
    let results = results(&samples);
    let value = |name: &str| results.iter().find(|(result, _)| result == name).unwrap().1;
    assert!((value("error") - 1.0).abs() < 1e-9, "{results:?}");
    assert!(
        value("success") >= 2.0 && value("requeue_after") >= 1.0,
        "{results:?}"
    );
    let of = |name: &str| {
        samples
            .iter()
            .find(|sample| sample.name == name)
            .unwrap()
            .value
    };
    let all: f64 = results.iter().map(|(_, value)| value).sum();
    assert!((of("controller_runtime_reconcile_time_seconds_count") - all).abs() < 1e-9);
    assert!((of("controller_runtime_max_concurrent_reconciles") - 2.0).abs() < 1e-9);
    assert!(
        of("workqueue_retries_total") >= 2.0,
        "a back-off and a requeue"
    );
}
