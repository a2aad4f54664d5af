//! Exemplars: the trace of a reconcile beside its duration.
use std::{fmt, sync::Arc, time::Duration};

use prometheus_client::metrics::exemplar::HistogramWithExemplars;

/// Returns the id of the current trace, if it is recorded.
pub(crate) type TraceId = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// The durations of a controller's reconciles, each bucket with the trace of its last one.
#[derive(Clone)]
pub(crate) struct Exemplars {
    trace_id: TraceId,
    pub(crate) durations: HistogramWithExemplars<[(&'static str, String); 1]>,
}

impl Exemplars {
    pub(crate) fn new(bounds: &[f64], trace_id: TraceId) -> Self {
        Self {
            trace_id,
            durations: HistogramWithExemplars::new(bounds.iter().copied()),
        }
    }

    pub(crate) fn observe(&self, took: Duration) {
        let label = (self.trace_id)().map(|id| [("trace_id", id)]);
        self.durations.observe(took.as_secs_f64(), label, None);
    }
}

impl fmt::Debug for Exemplars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exemplars").finish_non_exhaustive()
    }
}
