//! Sends occurrences to the API server as Event objects within the API's limits, and retries server errors.
use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use backon::{ExponentialBuilder, Retryable};
use futures::{StreamExt, stream::FuturesUnordered};
use k8s_openapi::{
    api::{
        core::v1::ObjectReference,
        events::v1::{Event, EventSeries},
    },
    apimachinery::pkg::apis::meta::v1::MicroTime,
};
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
    core::ObjectMeta,
};
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::mpsc;
use tracing::{debug, warn};

use super::{
    Occurrence, Reporter,
    correlator::{Correlator, EventKey, Verdict, object_key},
};
use crate::{client::describe, clock};

/// Limits of `events.k8s.io/v1`, in bytes.
const MAX_NOTE: usize = 1024;
const MAX_REASON: usize = 128;
/// Longest name of any object.
const MAX_NAME: usize = 253;
/// Twelve attempts per event, as in client-go.
const BACKOFF: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(Duration::from_millis(500))
    .with_max_delay(Duration::from_secs(10))
    .with_factor(2.0)
    .with_max_times(11);

/// Number of objects whose events are sent at the same time. An event that the server cannot store yet delays only those about the same object.
const CONCURRENT: usize = 8;
/// Longest queue of events about objects of which one is being sent.
const WAITING: usize = 1000;

/// Sends events: those about one object in order, those about several concurrently.
pub(super) struct Publisher {
    client: Client,
    reporter: Reporter,
    correlator: Mutex<Correlator>,
    /// Time in the last name, so that names differ even if the clock does not advance.
    last: Mutex<i128>,
}

impl Publisher {
    pub(super) fn new(client: Client, reporter: Reporter) -> Self {
        Self {
            client,
            reporter,
            correlator: Mutex::new(Correlator::new()),
            last: Mutex::new(0),
        }
    }

    /// Sends what is received, until the channel is closed and everything is sent.
    pub(super) async fn run(self, mut received: mpsc::Receiver<Occurrence>) {
        let mut sending = FuturesUnordered::new();
        // The events that wait, by the object of which one is being sent.
        let mut waiting: HashMap<EventKey, VecDeque<Occurrence>> = HashMap::new();
        let mut open = true;
        while open || !sending.is_empty() {
            let held: usize = waiting.values().map(VecDeque::len).sum();
            tokio::select! {
                biased;
                Some(object) = sending.next() => {
                    let next = waiting.get_mut(&object).and_then(VecDeque::pop_front);
                    match next {
                        Some(next) => sending.push(self.send(object, next)),
                        None => drop(waiting.remove(&object)),
                    }
                }
                occurrence = received.recv(), if open && sending.len() < CONCURRENT && held < WAITING => {
                    let Some(occurrence) = occurrence else {
                        open = false;
                        continue;
                    };
                    let object = object_key(&occurrence.regarding);
                    if let Some(others) = waiting.get_mut(&object) {
                        others.push_back(occurrence);
                    } else {
                        waiting.insert(object.clone(), VecDeque::new());
                        sending.push(self.send(object, occurrence));
                    }
                }
            }
        }
    }

    async fn send(&self, object: EventKey, occurrence: Occurrence) -> EventKey {
        self.record(occurrence).await;
        object
    }

    /// Creates or updates the Event of one occurrence. Gives up after the last attempt.
    async fn record(&self, mut occurrence: Occurrence) {
        cut(&mut occurrence.note, MAX_NOTE);
        cut(&mut occurrence.reason, MAX_REASON);
        if occurrence.action.is_empty() {
            occurrence.action.clone_from(&occurrence.reason);
        }
        cut(&mut occurrence.action, MAX_REASON);
        let api = Api::<Event>::namespaced(self.client.clone(), namespace(&occurrence.regarding));
        let verdict = self.correlator.lock().judge(&occurrence);
        match verdict {
            (_, Verdict::Suppress) => debug!(
                reason = occurrence.reason,
                "suppressing an event: too many about one object"
            ),
            (key, Verdict::Create(note)) => {
                self.create(&api, &key, &occurrence, note, None).await;
            }
            (key, Verdict::Repeat { name, count, note }) => {
                let series = EventSeries {
                    count,
                    last_observed_time: MicroTime(clock::now()),
                };
                let patch = Patch::Merge(json!({ "series": &series }));
                let params = PatchParams::default();
                match persist(|| api.patch(&name, &params, &patch)).await {
                    Ok(_) => {}
                    // Events expire after an hour by default, possibly before their series ends.
                    Err(kube::Error::Api(status)) if status.is_not_found() => {
                        self.create(&api, &key, &occurrence, note, Some(series))
                            .await;
                    }
                    Err(error) => warn!("cannot update an event: {}", describe(&error)),
                }
            }
        }
    }

    async fn create(
        &self,
        api: &Api<Event>,
        key: &EventKey,
        occurrence: &Occurrence,
        mut note: String,
        series: Option<EventSeries>,
    ) {
        cut(&mut note, MAX_NOTE);
        let event = Event {
            series,
            ..self.build(occurrence, note)
        };
        let name = event.metadata.name.clone().unwrap_or_default();
        let params = PostParams::default();
        match persist(|| api.create(&params, &event)).await {
            Ok(_) => self.correlator.lock().created(key, name),
            // An earlier attempt succeeded, but its response was lost.
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                self.correlator.lock().created(key, name);
            }
            Err(error) => {
                warn!(
                    reason = occurrence.reason,
                    "cannot record an event: {}",
                    describe(&error)
                );
                self.correlator.lock().lost(key);
            }
        }
    }

    fn build(&self, occurrence: &Occurrence, note: String) -> Event {
        let now = clock::now();
        let mut last = self.last.lock();
        *last = now.as_nanosecond().max(*last + 1);
        let id = *last;
        drop(last);
        let mut instance = self
            .reporter
            .instance
            .clone()
            .unwrap_or_else(|| self.reporter.controller.clone());
        cut(&mut instance, MAX_REASON);
        Event {
            metadata: ObjectMeta {
                name: Some(event_name(
                    occurrence.regarding.name.as_deref().unwrap_or_default(),
                    id,
                )),
                namespace: Some(namespace(&occurrence.regarding).to_owned()),
                ..ObjectMeta::default()
            },
            type_: Some(occurrence.type_name().to_owned()),
            reason: Some(occurrence.reason.clone()),
            action: Some(occurrence.action.clone()),
            note: Some(note),
            regarding: Some(occurrence.regarding.clone()),
            related: occurrence.related.clone(),
            reporting_controller: Some(self.reporter.controller.clone()),
            reporting_instance: Some(instance),
            event_time: Some(MicroTime(now)),
            ..Event::default()
        }
    }
}

/// Returns the namespace of the Events about an object.
fn namespace(regarding: &ObjectReference) -> &str {
    regarding
        .namespace
        .as_deref()
        .filter(|namespace| !namespace.is_empty())
        .unwrap_or("default")
}

/// Returns `<object>.<time in hex>`, which is a valid name even if the object's own is not a DNS subdomain, such as a role's.
fn event_name(object: &str, nanoseconds: i128) -> String {
    let suffix = format!(".{nanoseconds:x}");
    let mut base: String = object
        .to_ascii_lowercase()
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '.' || c == '-' {
                c
            } else {
                '-'
            }
        })
        .collect();
    base.truncate(MAX_NAME - suffix.len());
    let base = base
        .split('.')
        .map(|label| label.trim_matches('-'))
        .filter(|label| !label.is_empty())
        .collect::<Vec<_>>()
        .join(".");
    if base.is_empty() {
        format!("event{suffix}")
    } else {
        base + &suffix
    }
}

/// Cuts `text` to at most `max` bytes, between characters.
fn cut(text: &mut String, max: usize) {
    if text.len() > max {
        let end = (0..=max)
            .rev()
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(0);
        text.truncate(end);
    }
}

/// Sends a request, and retries it after transient errors.
async fn persist<T, Request>(request: impl FnMut() -> Request) -> Result<T, kube::Error>
where
    Request: Future<Output = Result<T, kube::Error>>,
{
    request
        .retry(BACKOFF)
        .when(is_transient)
        .notify(|error, delay| debug!("retrying an event in {delay:?}: {}", describe(error)))
        .await
}

/// Whether the same request may succeed later.
fn is_transient(error: &kube::Error) -> bool {
    match error {
        kube::Error::Api(status) => status.code == 429 || status.code >= 500,
        kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_begin_with_the_object() {
        assert_eq!(event_name("web-1", 0xabc), "web-1.abc");
        assert_eq!(event_name("system:Node_x.", 1), "system-node-x.1");
        assert_eq!(event_name("::", 1), "event.1");
        let long = event_name(&"a".repeat(253), i128::from(i64::MAX));
        assert_eq!(long.len(), MAX_NAME);
        assert!(long.ends_with(".7fffffffffffffff"));
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let mut text = "é".repeat(600);
        cut(&mut text, MAX_NOTE + 1);
        assert_eq!(text.len(), MAX_NOTE);
        let mut short = "short".to_owned();
        cut(&mut short, MAX_NOTE);
        assert_eq!(short, "short");
    }
}
