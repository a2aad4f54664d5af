//! Controllers and work queues, with the names of controller-runtime.
use std::fmt;

use super::encoder::{Encoder, Labels, of_cluster};
use crate::{
    controller::{ControllerMetrics, MetricsHandle},
    exemplars::Exemplars,
    queue::QueueMetrics,
};

/// A work queue that belongs to no controller.
pub(super) struct QueueSource {
    pub(super) name: String,
    read: Box<dyn Fn() -> QueueMetrics + Send + Sync>,
}

impl QueueSource {
    pub(super) fn new(
        name: String,
        read: impl Fn() -> QueueMetrics + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            read: Box::new(read),
        }
    }
}

pub(super) fn encode(
    controllers: &[MetricsHandle],
    queues: &[QueueSource],
    out: &mut Encoder<'_>,
) -> fmt::Result {
    let controllers: Vec<_> = controllers
        .iter()
        .map(|handle| {
            let labels = vec![("controller", handle.name())];
            (
                of_cluster(labels, handle.cluster().as_deref()),
                handle.get(),
                handle.exemplars(),
            )
        })
        .collect();
    encode_controllers(&controllers, out)?;
    let queues: Vec<_> = controllers
        .into_iter()
        .map(|(mut labels, metrics, _)| {
            // controller-runtime gives both labels the same value.
            labels.insert(0, ("name", labels[0].1.clone()));
            (labels, metrics.queue)
        })
        .chain(queues.iter().map(|queue| {
            let labels = vec![("name", queue.name.clone()), ("controller", String::new())];
            (labels, (queue.read)())
        }))
        .collect();
    encode_queues(&queues, out)
}

/// A controller: its labels, its counters, and the traces of its reconciles.
type Source = (Labels, ControllerMetrics, Option<Exemplars>);

fn encode_controllers(all: &[Source], out: &mut Encoder<'_>) -> fmt::Result {
    let results: Vec<_> = all
        .iter()
        .flat_map(|(labels, c, _)| {
            let errors = c.errors + c.panics + c.timeouts;
            [
                ("success", c.reconciles.saturating_sub(errors + c.requeues)),
                ("error", errors),
                ("requeue", 0),
                ("requeue_after", c.requeues),
            ]
            .map(|(result, count)| {
                let mut labels = labels.clone();
                labels.push(("result", result.to_owned()));
                (labels, count)
            })
        })
        .collect();
    out.counter(
        "controller_runtime_reconcile_total",
        "Reconciles per controller and result",
        results.iter().map(|(labels, count)| (labels, *count)),
    )?;
    let mut counter = |name, help, read: fn(&ControllerMetrics) -> u64| {
        out.counter(
            name,
            help,
            all.iter().map(|(labels, c, _)| (labels, read(c))),
        )
    };
    counter(
        "controller_runtime_reconcile_errors_total",
        "Reconciles that failed, panicked or timed out",
        |c| c.errors + c.panics + c.timeouts,
    )?;
    counter(
        "controller_runtime_terminal_reconcile_errors_total",
        "Failed reconciles that are not retried",
        |c| c.dropped,
    )?;
    counter(
        "controller_runtime_reconcile_panics_total",
        "Reconciles that panicked",
        |c| c.panics,
    )?;
    counter(
        "controller_runtime_reconcile_timeouts_total",
        "Reconciles that exceeded the reconcile timeout",
        |c| c.timeouts,
    )?;
    out.durations(
        "controller_runtime_reconcile_time_seconds",
        "Duration of a reconcile",
        all.iter()
            .map(|(labels, c, exemplars)| (labels, &c.reconcile_time, exemplars)),
    )?;
    out.gauge(
        "controller_runtime_max_concurrent_reconciles",
        "Most reconciles at a time",
        all.iter().map(|(labels, c, _)| (labels, c.workers)),
    )?;
    out.gauge(
        "controller_runtime_active_workers",
        "Running reconciles",
        all.iter().map(|(labels, c, _)| (labels, c.active)),
    )
}

fn encode_queues(all: &[(Labels, QueueMetrics)], out: &mut Encoder<'_>) -> fmt::Result {
    let depths: Vec<_> = all.iter().flat_map(depths).collect();
    out.gauge(
        "workqueue_depth",
        "Items that wait for a worker",
        depths.iter().map(|(labels, depth)| (labels, *depth)),
    )?;
    out.gauge(
        "workqueue_oldest_item_age_seconds",
        "Time since the oldest item that waits for a worker was added",
        all.iter()
            .map(|(labels, q)| (labels, q.oldest.as_secs_f64())),
    )?;
    out.counter(
        "workqueue_adds_total",
        "Added items",
        all.iter().map(|(labels, q)| (labels, q.adds)),
    )?;
    out.histogram(
        "workqueue_queue_duration_seconds",
        "Time that an item waits for a worker",
        all.iter().map(|(labels, q)| (labels, &q.queue_duration)),
    )?;
    out.histogram(
        "workqueue_work_duration_seconds",
        "Time that the processing of an item takes",
        all.iter().map(|(labels, q)| (labels, &q.work_duration)),
    )?;
    out.gauge(
        "workqueue_unfinished_work_seconds",
        "Sum of the processing times of the items that are being processed",
        all.iter()
            .map(|(labels, q)| (labels, q.unfinished_work.as_secs_f64())),
    )?;
    out.gauge(
        "workqueue_longest_running_processor_seconds",
        "Longest processing time of the items that are being processed",
        all.iter()
            .map(|(labels, q)| (labels, q.longest_running.as_secs_f64())),
    )?;
    out.counter(
        "workqueue_retries_total",
        "Items added with a delay",
        all.iter().map(|(labels, q)| (labels, q.retries)),
    )
}

/// Most values of the label `priority` of one queue (controller-runtime's limit).
const PRIORITIES: usize = 25;

/// Returns the depth of each priority, and the sum of those above the limit.
fn depths((labels, queue): &(Labels, QueueMetrics)) -> Vec<(Labels, usize)> {
    let with = |priority: String| {
        let mut labels = labels.clone();
        labels.push(("priority", priority));
        labels
    };
    let mut depths = queue.depths.clone();
    depths.entry(0).or_default();
    let mut all = depths.into_iter();
    let mut series: Vec<_> = all
        .by_ref()
        .take(PRIORITIES)
        .map(|(priority, depth)| (with(priority.to_string()), depth))
        .collect();
    let rest: Vec<_> = all.map(|(_, depth)| depth).collect();
    if !rest.is_empty() {
        series.push((with("exceeded_cardinality_limit".into()), rest.iter().sum()));
    }
    series
}
