//! The watch events that enqueued the keys of a queue, as spans: the trace of a reconcile begins with what caused it.
use std::{collections::HashMap, fmt, sync::Arc};

use parking_lot::Mutex;
use tracing::{Span, trace_span};

use crate::cache::ObjectKey;

/// The first event for each key since its last reconcile.
#[derive(Debug)]
pub(super) struct Causes {
    cluster: Option<Arc<str>>,
    first: Mutex<HashMap<ObjectKey, Span>>,
}

impl Causes {
    pub(super) fn new(cluster: Option<Arc<str>>) -> Self {
        Self {
            cluster,
            first: Mutex::default(),
        }
    }

    /// Remembers an event, if anyone collects spans. The span lasts until the key is reconciled, so it shows how long the key waited.
    pub(super) fn add(&self, key: &ObjectKey, kind: &impl fmt::Display, object: &ObjectKey) {
        let span = trace_span!(
            parent: None,
            "watch event",
            otel.kind = "consumer",
            kind = %kind,
            object = %object,
            cluster = self.cluster.as_deref(),
        );
        if !span.is_disabled() {
            self.first.lock().entry(key.clone()).or_insert(span);
        }
    }

    /// Returns the event that a reconcile answers.
    pub(super) fn take(&self, key: &ObjectKey) -> Option<Span> {
        self.first.lock().remove(key)
    }
}
