//! Sends the page what happens, as server-sent events.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;
use http::StatusCode;
use hyper::body::Frame;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::answer::{Answer, answer};
use crate::history::History;

/// How long changes are collected.
const PAUSE: Duration = Duration::from_millis(100);
/// How often the page learns of the time, without changes.
const TICK: Duration = Duration::from_secs(1);
/// How much a message has at most, so that a browser reads it between two frames.
const PIECE: usize = 500;

/// Answers with all that has happened since the entry that the page knows, and with what happens from now on.
pub(super) fn events(history: History, known: Option<u64>) -> Answer {
    let changes = history.changes();
    let state = (history, changes, known, Vec::<Value>::new().into_iter());
    let messages = futures::stream::unfold(state, |state| async move {
        let (history, mut changes, mut known, mut pieces) = state;
        let message = if let Some(piece) = pieces.next() {
            piece
        } else {
            if known.is_some() {
                // An error means that the program ends.
                let _changed = timeout(TICK, changes.changed()).await;
                sleep(PAUSE).await;
            }
            changes.mark_unchanged();
            let news = history.since(known);
            let mut messages = vec![json!({"state": news.state})];
            for (name, values) in [("objects", &news.objects), ("entries", &news.entries)] {
                messages.extend(values.chunks(PIECE).map(|piece| json!({name: piece})));
            }
            messages.push(json!({"next": news.next}));
            known = Some(news.next);
            pieces = messages.into_iter();
            pieces.next().unwrap_or_default()
        };
        let line = Bytes::from(format!("data: {message}\n\n"));
        Some((Ok(Frame::data(line)), (history, changes, known, pieces)))
    });
    answer(StatusCode::OK, "text/event-stream", messages.boxed())
}
