//! Events on their way to the API server: occurrences become Event objects within the API's limits, and server errors are tried again.
use super::{
    EventType, Occurrence, Reporter,
    correlator::{Correlator, Key, Verdict},
};
use k8s_openapi::{
    api::{
        core::v1::ObjectReference,
        events::v1::{Event, EventSeries},
    },
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
    core::ObjectMeta,
};
use serde_json::json;
use std::time::Duration;
use tracing::{debug, warn};

/// Limits of `events.k8s.io/v1`, in bytes.
const MAX_NOTE: usize = 1024;
const MAX_REASON: usize = 128;
/// Longest name of any object.
const MAX_NAME: usize = 253;
/// Tries per event (client-go's).
const TRIES: u32 = 12;
/// First and longest pause between tries.
const PAUSE: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// Sends events, one after the other.
pub(super) struct Sink {
    client: Client,
    reporter: Reporter,
    correlator: Correlator,
    /// Time of the last name, so that names differ even if the clock stands still.
    last: i128,
}

impl Sink {
    pub(super) fn new(client: Client, reporter: Reporter) -> Self {
        Self {
            client,
            reporter,
            correlator: Correlator::new(),
            last: 0,
        }
    }

    /// Sends one occurrence, or counts it where it was. Gives up after the last try.
    pub(super) async fn record(&mut self, mut occurrence: Occurrence) {
        cut(&mut occurrence.note, MAX_NOTE);
        cut(&mut occurrence.reason, MAX_REASON);
        if occurrence.action.is_empty() {
            occurrence.action.clone_from(&occurrence.reason);
        }
        cut(&mut occurrence.action, MAX_REASON);
        let api = Api::<Event>::namespaced(self.client.clone(), namespace(&occurrence.regarding));
        match self.correlator.judge(&occurrence) {
            (_, Verdict::Suppress) => debug!(
                reason = occurrence.reason,
                "too many events about one object, not sending this one"
            ),
            (key, Verdict::Create(note)) => self.create(&api, &key, &occurrence, note).await,
            (key, Verdict::Repeat { name, count }) => {
                let series = EventSeries {
                    count,
                    last_observed_time: MicroTime(Timestamp::now()),
                };
                let patch = Patch::Merge(json!({ "series": series }));
                let params = PatchParams::default();
                match persist(|| api.patch(&name, &params, &patch)).await {
                    Ok(_) => {}
                    // Events live for an hour by default; a long series may outlive its object.
                    Err(kube::Error::Api(status)) if status.is_not_found() => {
                        self.create(&api, &key, &occurrence, occurrence.note.clone())
                            .await;
                    }
                    Err(error) => warn!("cannot count an event: {error}"),
                }
            }
        }
    }

    async fn create(
        &mut self,
        api: &Api<Event>,
        key: &Key,
        occurrence: &Occurrence,
        mut note: String,
    ) {
        cut(&mut note, MAX_NOTE);
        let event = self.build(occurrence, note);
        let name = event.metadata.name.clone().unwrap_or_default();
        let params = PostParams::default();
        match persist(|| api.create(&params, &event)).await {
            Ok(_) => self.correlator.created(key, name),
            // An earlier try got through although its answer did not.
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                self.correlator.created(key, name);
            }
            Err(error) => {
                warn!(
                    reason = occurrence.reason,
                    "cannot record an event: {error}"
                );
                self.correlator.lost(key);
            }
        }
    }

    fn build(&mut self, occurrence: &Occurrence, note: String) -> Event {
        let now = Timestamp::now();
        self.last = now.as_nanosecond().max(self.last + 1);
        let type_ = match occurrence.type_ {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        };
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
                    self.last,
                )),
                namespace: Some(namespace(&occurrence.regarding).to_owned()),
                ..ObjectMeta::default()
            },
            type_: Some(type_.to_owned()),
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

/// Where the Events about an object live.
fn namespace(regarding: &ObjectReference) -> &str {
    regarding
        .namespace
        .as_deref()
        .filter(|namespace| !namespace.is_empty())
        .unwrap_or("default")
}

/// `<object>.<time in hex>`: unlike any other, and a valid name even where the object's own is not a DNS subdomain, as those of roles need not be.
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

/// Tries a request until it succeeds, fails for good, or has been tried often enough.
async fn persist<T, Request>(mut request: impl FnMut() -> Request) -> Result<T, kube::Error>
where
    Request: Future<Output = Result<T, kube::Error>>,
{
    let mut pause = PAUSE;
    for _ in 1..TRIES {
        match request().await {
            Err(error) if is_transient(&error) => debug!("cannot send an event yet: {error}"),
            done => return done,
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
    request().await
}

/// Whether the same request may succeed later: the server, or the way to it, was at fault.
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
    fn names_are_valid_unique_and_tell_the_object() {
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
