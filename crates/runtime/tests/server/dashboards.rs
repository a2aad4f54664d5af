//! The queries of kubebuilder's two Grafana dashboards find their series.
use kube_codegen_runtime::{metrics::Format, server::Server};

use crate::{
    exposition::{Sample, parse},
    http::{get, start},
    program::Program,
};

/// What a panel computes from the series that it selects.
enum Function {
    /// The last value.
    Value,
    /// `rate(…)`, summed by these labels.
    RateBy(&'static [&'static str]),
    /// `histogram_quantile(φ, sum(rate(…)) by (these labels, le))`.
    Quantiles(&'static [&'static str]),
}
use Function::{Quantiles, RateBy, Value};

/// Panel, metric, function, and whether its result is above zero after some reconciles.
#[rustfmt::skip]
const QUERIES: &[(&str, &str, Function, bool)] = &[
    // controller-runtime-metrics
    ("Number of workers in use", "controller_runtime_active_workers", Value, false),
    ("Reconciliation count per controller", "controller_runtime_reconcile_total", RateBy(&["instance", "pod"]), true),
    ("Reconciliation error count per controller", "controller_runtime_reconcile_errors_total", RateBy(&["instance", "pod"]), true),
    ("Work queue depth", "workqueue_depth", Value, false),
    ("Seconds for items staying in queue", "workqueue_queue_duration_seconds_bucket", Quantiles(&["instance", "name"]), true),
    ("Work queue add rate", "workqueue_adds_total", RateBy(&["instance", "name"]), true),
    ("Unfinished seconds", "workqueue_unfinished_work_seconds", RateBy(&["instance", "name"]), false),
    ("Seconds processing items from work queue", "workqueue_work_duration_seconds_bucket", Quantiles(&["instance", "name"]), true),
    ("Work queue retries rate", "workqueue_retries_total", RateBy(&["instance", "name"]), true),
    // controller-resources-metrics
    ("Controller CPU usage", "process_cpu_seconds_total", RateBy(&["job", "namespace", "pod"]), false),
    ("Controller memory usage", "process_resident_memory_bytes", Value, true),
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

/// Returns the series that the selector of a query with this metric matches.
fn select<'s>(samples: &'s [Sample], metric: &str) -> Vec<&'s Sample> {
    let target = &TARGET[..2];
    samples
        .iter()
        .filter(|sample| sample.name == metric)
        .filter(|sample| {
            target
                .iter()
                .all(|(name, value)| sample.label(name) == *value)
        })
        .collect()
}

/// Returns the increase of each selected series between two scrapes.
fn increases(before: &[Sample], after: &[Sample], metric: &str) -> Vec<Sample> {
    let before = select(before, metric);
    select(after, metric)
        .into_iter()
        .map(|sample| {
            let earlier = before
                .iter()
                .find(|earlier| earlier.labels == sample.labels);
            let increase = sample.value - earlier.map_or(0.0, |earlier| earlier.value);
            Sample {
                value: increase,
                ..sample.clone()
            }
        })
        .collect()
}

/// Returns the quantile of one histogram, by linear interpolation as Prometheus does.
fn quantile(phi: f64, buckets: &[Sample]) -> f64 {
    let bound = |sample: &Sample| sample.label("le").parse::<f64>().unwrap();
    let mut buckets: Vec<_> = buckets
        .iter()
        .map(|sample| (bound(sample), sample.value))
        .collect();
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (last, total) = *buckets.last().unwrap();
    assert!(last.is_infinite(), "a histogram needs the bucket +Inf");
    assert!(
        buckets.is_sorted_by(|a, b| a.1 <= b.1),
        "buckets are cumulative: {buckets:?}"
    );
    let rank = phi * total;
    let index = buckets
        .iter()
        .position(|(_, count)| *count >= rank)
        .unwrap();
    let (start, below) = index
        .checked_sub(1)
        .map_or((0.0, 0.0), |index| buckets[index]);
    let (end, count) = buckets[index];
    start + (end - start) * (rank - below) / (count - below)
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

    for (panel, metric, function, positive) in QUERIES {
        let found = select(&after, metric);
        assert!(!found.is_empty(), "{panel}: no series {metric}");
        let value = match function {
            Value => found.iter().map(|sample| sample.value).sum(),
            RateBy(labels) => {
                let increases = increases(&before, &after, metric);
                for sample in &increases {
                    for label in *labels {
                        assert_ne!(sample.label(label), "", "{panel}: {metric} by {label}");
                    }
                    let decreased = sample.value < 0.0;
                    assert!(
                        !decreased || metric.starts_with("workqueue_unfinished"),
                        "{sample:?}"
                    );
                }
                increases.iter().map(|sample| sample.value).sum::<f64>()
            }
            Quantiles(labels) => {
                let increases = increases(&before, &after, metric);
                assert!(
                    increases
                        .iter()
                        .all(|sample| labels.iter().all(|l| !sample.label(l).is_empty()))
                );
                let quantiles = [0.5, 0.9, 0.99].map(|phi| quantile(phi, &increases));
                assert!(
                    quantiles.is_sorted() && quantiles[2].is_finite(),
                    "{panel}: {quantiles:?}"
                );
                quantiles[0]
            }
        };
        assert!(value > 0.0 || !positive, "{panel}: {metric} is {value}");
    }
    // The variables: label_values(controller_runtime_reconcile_total, namespace | job | pod), and the legends' labels.
    for sample in select(&after, "controller_runtime_reconcile_total") {
        assert_eq!(sample.label("controller"), "configmap");
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
