//! List and watch of one kind: answers of the API server come in, changes of the informer's core go out. Never gives up, never goes back in time.
//!
//! It speaks with the server through [`kube::Client`] itself rather than through `kube::runtime::watcher`, which cannot keep an informer's promises: it
//! retries a watch that was refused by HTTP 410 for ever, has no way back from streaming lists, fails a whole list for one object, asks for
//! `resourceVersion=0` on every relist (which may be older than what handlers have seen), tells neither list versions nor bookmarks, and wants `Clone`.
//! Its back-off is used as it is.
mod lines;
mod list;
mod request;
mod wire;

use super::{InformerConfig, InitialList, Object, core::Core, error::WatchFailure};
use kube::{Client, runtime::watcher::DefaultBackoff};
use lines::Lines;
use request::Requests;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use wire::Frame;

/// How much longer than promised a watch may stay silent before the connection counts as dead.
const SILENCE_MARGIN: Duration = Duration::from_secs(5);
/// How long the server may take to begin an answer: somewhat more than its own limit for requests that are no watch (60 s by default).
const ANSWER_SILENCE: Duration = Duration::from_secs(90);
/// A watch that ends sooner, and without an event, counts as refused (client-go's `VeryShortWatchError`).
const VERY_SHORT: Duration = Duration::from_secs(1);

/// Follows one kind on behalf of one informer.
pub(super) struct Source<K> {
    client: Client,
    requests: Requests,
    core: Arc<Core<K>>,
    list: InitialList,
    /// The next list must be the most recent state: the server does not know the version that was last seen.
    fresh: bool,
    backoff: DefaultBackoff,
}

/// A running watch and the time after which its silence means death.
struct Watch {
    lines: Lines,
    silence: Duration,
}

impl<K: Object> Source<K> {
    pub(super) fn new(client: Client, config: &InformerConfig, core: Arc<Core<K>>) -> Self {
        Self {
            client,
            requests: Requests::new::<K>(config),
            core,
            list: config.initial_list,
            fresh: false,
            backoff: DefaultBackoff::default(),
        }
    }

    /// Lists, watches, and lists again whenever the watch cannot be taken up where it stopped. Ends by being dropped.
    pub(super) async fn run(mut self) {
        loop {
            match self.list().await {
                Ok(watch) => self.follow(watch).await,
                Err(failure) => {
                    self.fresh = failure.is_expired() || failure.is_too_large_version();
                    let pause = self.pause(&failure);
                    self.core.list_failed(failure);
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }

    /// Watches, one request after the other, until only a new list can help.
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
                let resume = failure.can_resume() && !failure.is_expired();
                let pause = self.pause(&failure);
                self.core.watch_failed(failure);
                tokio::time::sleep(pause).await;
                if !resume {
                    return;
                }
            }
        }
    }

    /// Opens a watch from the last seen version on; with `initial`, a streaming list comes first.
    async fn watch(&self, initial: bool) -> Result<Watch, WatchFailure> {
        let version = if initial && self.fresh {
            String::new()
        } else {
            self.core.version()
        };
        let (request, open_for) = self.requests.watch(&version, initial, fastrand::u32(..))?;
        Ok(Watch {
            lines: self.send(request).await?,
            silence: open_for + SILENCE_MARGIN,
        })
    }

    /// Sends a request and hands out the body of its answer.
    async fn send(&self, request: http::Request<Vec<u8>>) -> Result<Lines, WatchFailure> {
        let answer =
            tokio::time::timeout(ANSWER_SILENCE, self.client.request_stream(request)).await;
        Ok(Lines::new(
            answer.map_err(|_| WatchFailure::Silence(ANSWER_SILENCE))??,
        ))
    }

    /// Applies the events of one watch until its regular end.
    async fn consume(&self, mut watch: Watch) -> Result<(), WatchFailure> {
        let opened = Instant::now();
        let mut seen = false;
        while let Some(line) = watch.lines.next(watch.silence).await? {
            match Frame::parse(line) {
                Ok(Frame::Applied(raw)) => self.core.apply(wire::decode(raw)),
                Ok(Frame::Deleted(raw)) => self.core.delete(wire::decode(raw)),
                Ok(Frame::Bookmark { version, .. }) => self.core.set_version(&version),
                Ok(Frame::Error(status)) => return Err(WatchFailure::Status(status)),
                Ok(Frame::Unknown) => {}
                // The connection was cut inside of a line.
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

    /// How long to wait after `failure`: 0.8 s doubling to 30 s with jitter, anew after two healthy minutes, and never less than the server asks for.
    fn pause(&mut self, failure: &WatchFailure) -> Duration {
        let own = self.backoff.next().unwrap_or(Duration::from_secs(30));
        failure.retry_after().map_or(own, |asked| asked.max(own))
    }
}
