//! List and watch of one kind: applies the API server's responses to the state of an informer, and retries forever.
//!
//! It sends requests through [`kube::Client`] rather than `kube::runtime::watcher`, which cannot give an informer's guarantees: kube 5 repeats forever
//! a watch that is answered with HTTP 410 after its first list, and a streaming list on a server without them. A list fails for one object, unless its type is
//! wrapped in `DeserializeGuard`. By default each list reads etcd, in pages; the alternative, `ListSemantic::Any`, may be older than what
//! handlers have seen. The stream has neither the versions of lists nor bookmarks, and needs `Clone`. Its back-off is used.
mod list;
mod list_body;
#[cfg(feature = "protobuf")]
mod protobuf;
mod reader;
mod request;
mod response;
mod scan;
mod wire;

use std::{sync::Arc, time::Duration};

use kube::{Client, client::Body, runtime::watcher::DefaultBackoff};
use tokio::time::Instant;

use self::{reader::BodyReader, wire::Frame};
pub(super) use self::{request::Requests, wire::decode};
use super::{
    InitialList,
    error::{Decoded, WatchFailure},
    part::Aim,
    relist::SLICE,
    scope::{Scope, Source},
    state::State,
    tasks::give_way,
};
use crate::client::ErrorExt;

/// How much longer than promised a watch may stay silent before the connection counts as dead.
const SILENCE_MARGIN: Duration = Duration::from_secs(5);
/// How long the server may take to start a response: longer than its own limit for requests other than watches (60 s by default). A streaming
/// list and a plain one that both get no response must leave time for a third within the controllers' limit (120 s).
const RESPONSE_SILENCE: Duration = Duration::from_secs(65);
/// Silence within a list, and before a streaming one, after which its connection counts as dead.
const LIST_SILENCE: Duration = Duration::from_secs(30);
/// A watch that ends sooner, and without an event, counts as rejected (client-go's `VeryShortWatchError`).
const VERY_SHORT: Duration = Duration::from_secs(1);
/// Pause after a watch that ended sooner although it had events. It doubles with each of them in a row, up to [`LONGEST_PAUSE`].
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A server that sends bookmarks sends one per minute. After this silence, the connection counts as dead.
const BOOKMARK_SILENCE: Duration = Duration::from_secs(90);
/// Longest delay after a response that says that the kind is not served, so that a controller starts soon after its CRD is installed.
const LONGEST_ABSENCE: Duration = Duration::from_secs(10);
/// Longest delay that a server may ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(300);

/// Keeps the state of one informer up to date.
pub(super) struct Reflector {
    client: Client,
    requests: Requests,
    state: Arc<State>,
    scope: Arc<Scope>,
    list: InitialList,
    /// The next list must be the most recent state: the server does not have the version that was last seen.
    fresh: bool,
    /// The server has rejected a request for some shards: the next one is for all objects.
    unselected: bool,
    /// The server sends bookmarks within a watch, not only before its end.
    bookmarks: bool,
    /// Number of very short watches in a row.
    short_watches: u32,
    backoff: DefaultBackoff,
}

/// A running watch, and the silence after which its connection counts as dead.
struct Watch {
    reader: BodyReader,
    /// The ranges with which it was opened.
    generation: u64,
    silence: Duration,
}

impl Reflector {
    pub(super) fn new(
        client: Client,
        requests: Requests,
        list: InitialList,
        state: Arc<State>,
        scope: Arc<Scope>,
    ) -> Self {
        Self {
            client,
            requests,
            state,
            scope,
            list,
            fresh: false,
            unselected: false,
            bookmarks: false,
            short_watches: 0,
            backoff: DefaultBackoff::default(),
        }
    }

    /// Lists, watches, and relists whenever the watch cannot resume. Runs until it is dropped.
    pub(super) async fn run(mut self) {
        if self.scope.part.get().is_some() {
            // What joins has been listed.
            self.follow(None).await;
        }
        loop {
            let started = Instant::now();
            let listed = self.list().await;
            if listed.is_ok() {
                let mut metrics = self.state.metrics.lock();
                metrics.list_duration.observe_duration(started.elapsed());
            }
            match listed {
                Ok(watch) => self.follow(watch).await,
                Err(failure) => self.list_failed(failure).await,
            }
        }
    }

    /// Lists once, the newest state. A kind that is not served has no objects.
    pub(super) async fn load(mut self) {
        self.fresh = true;
        while let Err(failure) = self.list().await {
            self.list_failed(failure).await;
            if self.state.service.is_absent() {
                return;
            }
        }
    }

    async fn list_failed(&mut self, failure: WatchFailure) {
        self.fresh |=
            failure.is_not_served() || failure.is_gone() || failure.is_too_large_version();
        self.wait_after(failure, State::list_failed).await;
    }

    /// Reports a failure, and waits until the next attempt.
    async fn wait_after(&mut self, failure: WatchFailure, report: fn(&State, WatchFailure)) {
        let delay = tokio::time::sleep(self.delay(&failure));
        if !failure.is_not_served() {
            report(&self.state, failure);
            return delay.await;
        }
        let report = || report(&self.state, failure);
        self.state.not_served(&self.scope, report).await;
        tokio::select! {
            biased;
            // The list of another namespace may succeed.
            () = self.state.service.served() => {}
            () = delay => {}
        }
    }

    /// Watches, one request after the other, until a relist is necessary.
    async fn follow(&mut self, mut running: Option<Watch>) {
        loop {
            let watch = if let Some(watch) = running.take() {
                Ok(watch)
            } else {
                let aim = self.scope.aim().await;
                self.watch(false, &aim).await
            };
            let watched = match watch {
                Ok(watch) => {
                    let generation = watch.generation;
                    let watched = self.consume(watch).await;
                    if watched.is_ok() && !self.scope.is_current(generation) {
                        continue;
                    }
                    watched
                }
                Err(failure) => Err(failure),
            };
            match watched {
                Ok(lasted) if lasted < VERY_SHORT => {
                    let factor = 1 << self.short_watches.min(16);
                    self.short_watches += 1;
                    tokio::time::sleep((SHORTEST_PAUSE * factor).min(LONGEST_PAUSE)).await;
                }
                Ok(_) => self.short_watches = 0,
                Err(failure) => {
                    let resume = failure.can_resume() && !failure.is_gone();
                    self.wait_after(failure, State::watch_failed).await;
                    if !resume {
                        return;
                    }
                }
            }
        }
    }

    /// Opens a watch from the last seen version on; with `initial`, as a streaming list.
    async fn watch(&mut self, initial: bool, aim: &Aim) -> Result<Watch, WatchFailure> {
        let version = if initial && self.fresh {
            String::new()
        } else {
            self.scope.version()
        };
        let shards = self.shards(aim);
        let (request, open_for) =
            self.requests
                .watch(&version, initial, fastrand::u32(..), shards)?;
        // The server starts the response of a watch at once.
        let limit = if initial {
            LIST_SILENCE
        } else {
            RESPONSE_SILENCE
        };
        let reader = self.send(request, limit).await?;
        self.state.metrics.lock().watches += 1;
        if !initial {
            self.state.served();
        }
        Ok(Watch {
            reader,
            generation: aim.generation,
            silence: open_for + SILENCE_MARGIN,
        })
    }

    /// Returns the `shardSelector` of a request, unless the server has just rejected one.
    fn shards<'a>(&self, aim: &'a Aim) -> Option<&'a str> {
        aim.selector.as_deref().filter(|_| !self.unselected)
    }

    /// Sends a request and returns the body of the response, which must start within `limit`.
    async fn send(
        &mut self,
        request: http::Request<Vec<u8>>,
        limit: Duration,
    ) -> Result<BodyReader, WatchFailure> {
        let send = async {
            let response = self.client.send(request.map(Body::from)).await?;
            response::body(response).await
        };
        let body = tokio::time::timeout(limit, send).await;
        let body = body.map_err(|_| WatchFailure::Silence(limit))?;
        // The answer to a selector that a server does not understand is 500.
        let rejected = |error: &kube::Error| matches!(error, kube::Error::Api(status) if matches!(status.code, 400 | 500));
        self.unselected = body.as_ref().err().is_some_and(rejected);
        let (body, encoding, is_compressed) = body?;
        let mut reader = BodyReader::new(body, encoding);
        reader.is_compressed = is_compressed;
        Ok(reader)
    }

    /// Applies the events of one watch until the server closes it, and returns how long it lasted.
    async fn consume(&mut self, watch: Watch) -> Result<Duration, WatchFailure> {
        let (opened, mut changes) = (Instant::now(), 0);
        let result = self.apply_all(watch, opened, &mut changes).await;
        let short = matches!(result, Err(WatchFailure::ClosedAtOnce));
        let lasted = opened.elapsed();
        let mut metrics = self.state.metrics.lock();
        metrics.watch_ended(lasted, changes, short);
        result.map(|()| lasted)
    }

    /// Applies the events of one watch, and counts its changes.
    async fn apply_all(
        &mut self,
        mut watch: Watch,
        opened: Instant,
        changes: &mut usize,
    ) -> Result<(), WatchFailure> {
        let mut frames = 0_usize;
        loop {
            let silence = if self.bookmarks {
                watch.silence.min(BOOKMARK_SILENCE)
            } else {
                watch.silence
            };
            let encoding = watch.reader.encoding;
            let frame = tokio::select! {
                biased;
                // The next watch is for other objects.
                () = self.scope.changed_since(watch.generation) => return Ok(()),
                frame = watch.reader.next(silence) => frame?,
            };
            let Some(frame) = frame else {
                break;
            };
            let from = Source {
                scope: &self.scope,
                generation: watch.generation,
            };
            match Frame::parse(frame, encoding) {
                Ok(Frame::Applied(raw)) => {
                    if let Some(version) = self.foreign(&raw) {
                        self.state.bookmark(from, &version);
                    } else {
                        self.state.apply(from, self.decode(raw));
                    }
                    *changes += 1;
                }
                Ok(Frame::Deleted(raw)) => {
                    if let Some(version) = self.foreign(&raw) {
                        self.state.bookmark(from, &version);
                    } else {
                        self.state.delete(from, self.decode(raw));
                    }
                    *changes += 1;
                }
                Ok(Frame::Bookmark { version, .. }) => {
                    self.state.bookmark(from, &version);
                    self.bookmarks |= opened.elapsed() < watch.silence / 2;
                }
                Ok(Frame::Error(status)) => return Err(WatchFailure::Status(status)),
                Ok(Frame::Unknown) => {}
                Err(error) => return Err(error.into()),
            }
            // A long row of buffered events must not starve other tasks.
            frames += 1;
            if frames.is_multiple_of(SLICE) {
                give_way().await;
            }
        }
        if frames == 0 && opened.elapsed() < VERY_SHORT {
            return Err(WatchFailure::ClosedAtOnce);
        }
        Ok(())
    }

    /// Returns the version of an object of another part, before it is decoded: the server may send all objects.
    fn foreign(&self, raw: &wire::Raw<'_>) -> Option<String> {
        let part = self.scope.part.get();
        let version = part.and_then(|part| raw.foreign(part));
        let mut metrics = self.state.metrics.lock();
        metrics.received += 1;
        metrics.dropped += u64::from(version.is_some());
        version
    }

    fn decode(&self, raw: wire::Raw<'_>) -> Decoded {
        raw.decode(&self.state)
    }

    /// Returns the delay after `failure`: 0.8 s doubling to 30 s with jitter (10 s while the kind is not served), reset after two minutes without failure, and at least what the
    /// server asks for, within reason.
    fn delay(&mut self, failure: &WatchFailure) -> Duration {
        let backoff = self.backoff.next().unwrap_or(Duration::from_secs(30));
        let backoff = if failure.is_not_served() {
            backoff.min(LONGEST_ABSENCE)
        } else {
            backoff
        };
        failure
            .retry_after()
            .map_or(backoff, |asked| asked.min(LONGEST_RETRY_AFTER).max(backoff))
    }
}
