//! The watches of an operator: each event is a choice point.

use std::{convert::Infallible, time::Duration};

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody, combinators::UnsyncBoxBody};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tower::BoxError;

use super::{
    answers::{Answer, expired},
    connection::Connection,
    world::Steering,
};
use crate::{
    faults::Showing,
    schedule::{Point, Verb},
    state::text,
    timeline::Happening,
};

/// How long an event waits for another one that it is merged with.
const MERGE: Duration = Duration::from_secs(3);

/// What happens to a watch at an event.
enum Next {
    /// As often as this.
    Send(Bytes, usize),
    /// The event becomes one with the next of its object.
    Keep(Bytes),
    /// The last line.
    End(Bytes),
}

impl Next {
    fn into_line(self) -> (Bytes, usize) {
        match self {
            Self::Send(line, times) => (line, times),
            Self::Keep(line) | Self::End(line) => (line, 1),
        }
    }
}

impl Connection {
    /// Passes the lines of a watch on, as decided for each.
    pub(super) fn watch(self, resource: String, body: UnsyncBoxBody<Bytes, Infallible>) -> Answer {
        let lines = stream::unfold((Some(body), None), move |(body, mut kept)| {
            let (connection, resource) = (self.clone(), resource.clone());
            async move {
                let mut body = body?;
                loop {
                    let frame = match &kept {
                        None => body.frame().await,
                        Some((until, _)) => match timeout_at(*until, body.frame()).await {
                            Ok(frame) => frame,
                            Err(_) => break kept.map(|(_, line)| send(line, (Some(body), None))),
                        },
                    };
                    let line = frame.and_then(|Ok(frame)| frame.into_data().ok());
                    connection.alive().await;
                    let next = match line {
                        Some(line) => connection.event(&resource, line).await,
                        None => None,
                    };
                    connection.alive().await;
                    match (next, kept.take()) {
                        (Some(Next::End(line)), _) => break Some(send(line, (None, None))),
                        // What came after it was sent.
                        (None, earlier) => {
                            break earlier.map(|(_, line)| send(line, (None, None)));
                        }
                        (Some(Next::Keep(line)), None) => {
                            connection.world.busy(MERGE);
                            kept = Some((Instant::now() + MERGE, line));
                        }
                        (Some(Next::Send(line, times)), None) => {
                            break Some(send(line.repeat(times).into(), (Some(body), None)));
                        }
                        (Some(next), Some((until, earlier))) => {
                            let (line, times) = next.into_line();
                            let (line, kept) = match merged(&earlier, &line) {
                                Some(line) => (line, None),
                                None => (line, Some((until, earlier))),
                            };
                            break Some(send(line.repeat(times).into(), (Some(body), kept)));
                        }
                    }
                }
            }
        });
        StreamBody::new(lines.boxed()).boxed_unsync()
    }

    /// Returns what happens to the watch at a line; `None` ends it at once.
    async fn event(&self, resource: &str, line: Bytes) -> Option<Next> {
        let Ok(event) = serde_json::from_slice::<Event<'_>>(&line) else {
            return Some(Next::Send(line, 1));
        };
        let metadata = &event.object.metadata;
        // Bookmarks and errors are no choice points.
        let Some(verb) = Verb::read(event.kind) else {
            return Some(Next::Send(line, 1));
        };
        let slash = if metadata.namespace.is_empty() {
            ""
        } else {
            "/"
        };
        let at = Point {
            replica: self.replica,
            verb,
            resource: resource.to_owned(),
            subresource: String::new(),
            place: format!("{}{slash}{}", metadata.namespace, metadata.name),
            occurrence: 0,
        };
        let report = resource == "events" || resource == "leases";
        let next =
            |steering: &Steering, point: &Point| steering.event(point, &metadata.name, &line);
        let (point, faults) = self.turn(at, report, next).await;
        let (mut twice, mut keeps) = (false, false);
        let at = self.at(&point, None);
        for fault in faults {
            let act = fault.act();
            if act.hides_events() {
                self.world.link.hides_events();
            }
            let shown = act.shows(&at);
            if let Some(time) = shown.after {
                self.world.busy(time);
                tokio::time::sleep(time).await;
            }
            match shown.how {
                Showing::Once => {}
                Showing::Twice => twice = true,
                Showing::Merged => keeps = true,
                Showing::Ends => return None,
                Showing::Expires => return Some(Next::End(expired())),
            }
        }
        self.alive().await;
        if let Some(steering) = self.world.steering.as_ref().filter(|_| !report) {
            steering.receives(&steering.event(&point, &metadata.name, &line));
        }
        let line = self.as_its_clock_shows(resource, line.clone());
        self.world.watched(self.replica, resource, &line);
        self.world.verbatim(self.replica, &line);
        let version = &metadata.resource_version;
        self.world.log(|| Happening::Event {
            replica: self.world.name(self.replica),
            point,
            version: version.clone(),
        });
        Some(if keeps {
            Next::Keep(line)
        } else {
            Next::Send(line, 1 + usize::from(twice))
        })
    }
}

fn send<S>(line: Bytes, then: S) -> (Result<Frame<Bytes>, BoxError>, S) {
    (Ok(Frame::data(line)), then)
}

/// Returns two events as one; `None` if they are of two objects.
fn merged(first: &Bytes, second: &Bytes) -> Option<Bytes> {
    let read = |line: &Bytes| serde_json::from_slice::<Value>(line).unwrap_or_default();
    let (first, mut last) = (read(first), read(second));
    let place = |event: &Value| {
        let part = |path| text(event, path).to_owned();
        (
            part("/object/metadata/namespace"),
            part("/object/metadata/name"),
        )
    };
    if place(&first) != place(&last) {
        return None;
    }
    let kind = match (text(&first, "/type"), text(&last, "/type")) {
        ("ADDED", "DELETED") => return Some(Bytes::new()),
        ("ADDED", "MODIFIED") => "ADDED",
        ("DELETED", "ADDED") => "MODIFIED",
        _ => return Some(second.clone()),
    };
    last["type"] = kind.into();
    Some(format!("{last}\n").into())
}

/// What the log shows of a watch event.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    object: Object,
}

#[derive(Default, Deserialize)]
struct Object {
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    namespace: String,
    name: String,
    resource_version: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn two_events_of_one_object_become_one() {
        let line = |kind: &str, name: &str| {
            let event = json!({"type": kind, "object": {"metadata": {"name": name}}});
            Bytes::from(format!("{event}\n"))
        };
        let merge = |first, second| merged(&line(first, "a"), &line(second, "a")).unwrap();
        assert_eq!(merge("ADDED", "MODIFIED"), line("ADDED", "a"));
        assert_eq!(merge("DELETED", "ADDED"), line("MODIFIED", "a"));
        assert_eq!(merge("MODIFIED", "DELETED"), line("DELETED", "a"));
        assert_eq!(merge("ADDED", "DELETED"), "");
        assert_eq!(merged(&line("ADDED", "a"), &line("ADDED", "b")), None);
    }
}
