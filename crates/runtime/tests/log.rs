//! The log of one test.
#![allow(clippy::unwrap_used)]
use std::{
    io,
    sync::{Arc, Mutex},
};

use tracing::{
    Level, Subscriber,
    subscriber::{DefaultGuard, NoSubscriber, set_default, set_global_default},
};

/// A text that the log of this thread is written to.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Collects the log, with all levels, until the guard is dropped.
    pub(crate) fn collect() -> (Self, DefaultGuard) {
        Self::collect_from(Level::TRACE)
    }

    /// Collects the log from a level on, until the guard is dropped.
    pub(crate) fn collect_from(level: Level) -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_ansi(false)
            .with_writer(move || writer.clone());
        (log, subscribe(subscriber.finish()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sets the subscriber of this thread, until the guard is dropped.
///
/// As long as a process has one subscriber alone, tracing asks the thread that first comes to a place in the code whether
/// anyone is interested in it, and keeps the answer for all threads: the thread of another test says no. The second one
/// makes it ask all subscribers.
pub(crate) fn subscribe(subscriber: impl Subscriber + Send + Sync) -> DefaultGuard {
    let _ = set_global_default(NoSubscriber::new());
    set_default(subscriber)
}

#[test]
fn what_another_thread_comes_to_first_is_logged() {
    let here = || tracing::info!("here");
    let (log, _guard) = Log::collect();
    std::thread::scope(|threads| threads.spawn(here).join().unwrap());
    assert_eq!(log.text(), "");
    here();
    assert!(log.text().contains("here"));
}
