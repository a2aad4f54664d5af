//! Webhooks, with the names of controller-runtime.
use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use parking_lot::Mutex;

use super::encoder::{Encoder, Labels};
use crate::histogram::Histogram;

/// Upper bounds of latencies in seconds, as in controller-runtime.
const LATENCIES: &[f64] = &[
    1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3,
];

/// The requests of webhooks, by path. A clone is a handle on the same values.
#[derive(Clone, Debug, Default)]
pub(crate) struct WebhookMetrics(Arc<Mutex<Values>>);

#[derive(Debug, Default)]
struct Values {
    paths: BTreeMap<String, Path>,
    admission_panics: u64,
    conversion_panics: u64,
}

#[derive(Debug)]
struct Path {
    codes: BTreeMap<u16, u64>,
    in_flight: u64,
    latency: Histogram,
}

impl WebhookMetrics {
    /// Adds the series of a path.
    pub(crate) fn add(&self, path: &str) {
        let path_metrics = Path {
            codes: BTreeMap::from([(200, 0), (500, 0)]),
            in_flight: 0,
            latency: Histogram::new(LATENCIES),
        };
        let mut values = self.0.lock();
        values.paths.entry(path.to_owned()).or_insert(path_metrics);
    }

    /// Counts a request that starts, unless nothing serves its path.
    pub(crate) fn started(&self, path: &str) {
        if let Some(path) = self.0.lock().paths.get_mut(path) {
            path.in_flight += 1;
        }
    }

    /// Counts a request that ended; without an HTTP status if its client has gone.
    pub(crate) fn ended(&self, path: &str, code: Option<u16>, latency: Duration) {
        if let Some(path) = self.0.lock().paths.get_mut(path) {
            path.in_flight = path.in_flight.saturating_sub(1);
            path.latency.observe_duration(latency);
            if let Some(code) = code {
                *path.codes.entry(code).or_default() += 1;
            }
        }
    }

    /// Counts a panic of a handler of admission requests.
    pub(crate) fn admission_panicked(&self) {
        self.0.lock().admission_panics += 1;
    }

    /// Counts a panic of a converter.
    pub(crate) fn conversion_panicked(&self) {
        self.0.lock().conversion_panics += 1;
    }
}

pub(super) fn encode(metrics: &WebhookMetrics, out: &mut Encoder<'_>) -> fmt::Result {
    let values = metrics.0.lock();
    if values.paths.is_empty() {
        return Ok(());
    }
    let paths: Vec<(Labels, &Path)> = values
        .paths
        .iter()
        .map(|(path, metrics)| (vec![("webhook", path.clone())], metrics))
        .collect();
    let codes: Vec<_> = paths
        .iter()
        .flat_map(|(labels, path)| {
            path.codes.iter().map(|(code, count)| {
                let mut labels = labels.clone();
                labels.push(("code", code.to_string()));
                (labels, *count)
            })
        })
        .collect();
    out.counter(
        "controller_runtime_webhook_requests_total",
        "Requests of webhooks by HTTP status",
        codes.iter().map(|(labels, count)| (labels, *count)),
    )?;
    out.histogram(
        "controller_runtime_webhook_latency_seconds",
        "Time that a webhook takes to answer",
        paths.iter().map(|(labels, path)| (labels, &path.latency)),
    )?;
    out.gauge(
        "controller_runtime_webhook_requests_in_flight",
        "Requests that a webhook is answering",
        paths.iter().map(|(labels, path)| (labels, path.in_flight)),
    )?;
    let none = Labels::new();
    out.counter(
        "controller_runtime_webhook_panics_total",
        "Panics of admission webhooks",
        [(&none, values.admission_panics)],
    )?;
    out.counter(
        "controller_runtime_conversion_webhook_panics_total",
        "Panics of conversion webhooks",
        [(&none, values.conversion_panics)],
    )
}
