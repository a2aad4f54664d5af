//! The watch events that enqueued the keys of a queue, as spans: the trace of a reconcile begins with what caused it.
use std::{collections::HashMap, fmt};

use parking_lot::Mutex;
use tracing::{Span, trace_span};

use crate::cache::ObjectKey;

/// The first event for each key since its last reconcile.
#[derive(Debug, Default)]
pub(super) struct Causes(Mutex<HashMap<ObjectKey, Span>>);

impl Causes {
    /// Remembers an event, if anyone collects spans. The span lasts until the key is reconciled, so it shows how long the key waited.
    pub(super) fn add(&self, key: &ObjectKey, kind: &impl fmt::Display, object: &ObjectKey) {
        let span = trace_span!(
            parent: None,
            "watch event",
            otel.kind = "consumer",
            kind = %kind,
            object = %object,
        );
        if !span.is_disabled() {
            self.0.lock().entry(key.clone()).or_insert(span);
        }
    }

    /// Returns the event that a reconcile answers.
    pub(super) fn take(&self, key: &ObjectKey) -> Option<Span> {
        self.0.lock().remove(key)
    }
}
