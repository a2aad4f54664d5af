//! List and watch of one kind: applies the API server's responses to the state of an informer, and retries forever.
//!
//! It sends requests through [`kube::Client`] rather than `kube::runtime::watcher`, which cannot give an informer's guarantees: it retries a
//! watch refused by HTTP 410 forever, has no fallback from streaming lists, fails a whole list for one object, requests `resourceVersion=0`
//! on every relist (which may be older than what handlers have seen), exposes neither list versions nor bookmarks, and requires `Clone`.
//! Its back-off is used.
mod lines;
mod list;
mod request;
mod wire;

use std::{sync::Arc, time::Duration};

use kube::{Client, runtime::watcher::DefaultBackoff};
use tokio::time::Instant;

use self::{lines::Lines, request::Requests, wire::Frame};
use super::{InformerConfig, InitialList, error::WatchFailure, state::State};
use crate::{cache::Object, client::ErrorExt};

/// How much longer than promised a watch may stay silent before the connection counts as dead.
const SILENCE_MARGIN: Duration = Duration::from_secs(5);
/// How long the server may take to start a response: longer than its own limit for requests other than watches (60 s by default).
const RESPONSE_SILENCE: Duration = Duration::from_secs(90);
/// A watch that ends sooner, and without an event, counts as refused (client-go's `VeryShortWatchError`).
const VERY_SHORT: Duration = Duration::from_secs(1);

/// Keeps the state of one informer up to date.
pub(super) struct Reflector<K> {
    client: Client,
    requests: Requests,
    state: Arc<State<K>>,
    list: InitialList,
    /// The next list must be the most recent state: the server does not have the version that was last seen.
    fresh: bool,
    backoff: DefaultBackoff,
}

/// A running watch, and the silence after which its connection counts as dead.
struct Watch {
    lines: Lines,
    silence: Duration,
}

impl<K: Object> Reflector<K> {
    pub(super) fn new(client: Client, config: &InformerConfig, state: Arc<State<K>>) -> Self {
        Self {
            client,
            requests: Requests::new::<K>(config),
            state,
            list: config.initial_list,
            fresh: false,
            backoff: DefaultBackoff::default(),
        }
    }

    /// Lists, watches, and relists whenever the watch cannot resume. Runs until it is dropped.
    pub(super) async fn run(mut self) {
        loop {
            let started = Instant::now();
            let listed = self.list().await;
            if listed.is_ok() {
                let mut metrics = self.state.metrics.lock();
                metrics.list_duration.observe_duration(started.elapsed());
            }
            match listed {
                Ok(watch) => self.follow(watch).await,
                Err(failure) => {
                    self.fresh = failure.is_gone() || failure.is_too_large_version();
                    let delay = self.delay(&failure);
                    self.state.list_failed(failure);
                    tokio::time::sleep(delay).await;
                }
            }
        }
    }

    /// Watches, one request after the other, until a relist is necessary.
    async fn follow(&mut self, mut running: Option<Watch>) {
        loop {
            let watched = match running.take() {
                Some(watch) => self.consume(watch).await,
                None => match self.watch(false).await {
                    Ok(watch) => self.consume(watch).await,
                    Err(failure) => Err(failure),
                },
            };
            if let Err(failure) = watched {
                let resume = failure.can_resume() && !failure.is_gone();
                let delay = self.delay(&failure);
                self.state.watch_failed(failure);
                tokio::time::sleep(delay).await;
                if !resume {
                    return;
                }
            }
        }
    }

    /// Opens a watch from the last seen version on; with `initial`, as a streaming list.
    async fn watch(&self, initial: bool) -> Result<Watch, WatchFailure> {
        let version = if initial && self.fresh {
            String::new()
        } else {
            self.state.version()
        };
        let (request, open_for) = self.requests.watch(&version, initial, fastrand::u32(..))?;
        let lines = self.send(request).await?;
        self.state.metrics.lock().watches += 1;
        Ok(Watch {
            lines,
            silence: open_for + SILENCE_MARGIN,
        })
    }

    /// Sends a request and returns the body of the response.
    async fn send(&self, request: http::Request<Vec<u8>>) -> Result<Lines, WatchFailure> {
        let response =
            tokio::time::timeout(RESPONSE_SILENCE, self.client.request_stream(request)).await;
        Ok(Lines::new(
            response.map_err(|_| WatchFailure::Silence(RESPONSE_SILENCE))??,
        ))
    }

    /// Applies the events of one watch until the server closes it.
    async fn consume(&self, watch: Watch) -> Result<(), WatchFailure> {
        let (opened, before) = (Instant::now(), self.state.metrics.lock().events);
        let result = self.apply_all(watch, opened).await;
        let mut metrics = self.state.metrics.lock();
        let (items, short) = (
            usize::try_from(metrics.events - before).unwrap_or(usize::MAX),
            matches!(result, Err(WatchFailure::ClosedAtOnce)),
        );
        metrics.watch_ended(opened.elapsed(), items, short);
        result
    }

    async fn apply_all(&self, mut watch: Watch, opened: Instant) -> Result<(), WatchFailure> {
        let mut seen = false;
        while let Some(line) = watch.lines.next(watch.silence).await? {
            match Frame::parse(line) {
                Ok(Frame::Applied(raw)) => self.state.apply(wire::decode(raw)),
                Ok(Frame::Deleted(raw)) => self.state.delete(wire::decode(raw)),
                Ok(Frame::Bookmark { version, .. }) => self.state.bookmark(&version),
                Ok(Frame::Error(status)) => return Err(WatchFailure::Status(status)),
                Ok(Frame::Unknown) => {}
                // The connection was closed in the middle of a line.
                Err(error) if error.is_eof() => break,
                Err(error) => return Err(error.into()),
            }
            seen = true;
        }
        if !seen && opened.elapsed() < VERY_SHORT {
            return Err(WatchFailure::ClosedAtOnce);
        }
        Ok(())
    }

    /// Returns the delay after `failure`: 0.8 s doubling to 30 s with jitter, reset after two minutes without failure, and at least what the
    /// server asks for.
    fn delay(&mut self, failure: &WatchFailure) -> Duration {
        let backoff = self.backoff.next().unwrap_or(Duration::from_secs(30));
        failure
            .retry_after()
            .map_or(backoff, |asked| asked.max(backoff))
    }
}
