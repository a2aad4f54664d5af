//! Shows on stderr how far a simulation has got, while it runs.
//!
//! What `println!` and `eprintln!` write, the test runner shows only where a test fails; these lines go to stderr itself. A thread writes them, since what
//! a simulation does at the time may take a minute: the smaller runs of a failure, or a workload that waits for an operator that does not come to rest. On
//! a terminal, one line changes. Elsewhere, such as in a log of CI, a line follows every ten seconds.

use std::{
    fmt,
    io::{self, IsTerminal as _, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::plural::counted;

/// How often the line on a terminal changes.
const REDRAWN: Duration = Duration::from_millis(500);
/// How often a line is written where nothing can be drawn again.
const WRITTEN: Duration = Duration::from_secs(10);

/// How far a simulation has got. Copies are of the same simulation.
#[derive(Clone, Default)]
pub(crate) struct Progress(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified when the simulation ends.
    ends: Condvar,
    runs: AtomicU64,
}

#[derive(Default)]
struct State {
    /// What is done.
    doing: String,
    has_ended: bool,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.lock().doing)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    /// Says what is done from now on.
    pub(crate) fn show(&self, doing: impl Into<String>) {
        self.0.lock().doing = doing.into();
    }

    /// Counts a run.
    pub(crate) fn count(&self) {
        self.0.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// Shows the progress until the result is dropped. Where stderr is no terminal, only if `writes_lines`.
    pub(crate) fn begin(&self, name: &str, writes_lines: bool) -> Option<Shown> {
        let is_terminal = io::stderr().is_terminal();
        let every = if is_terminal { REDRAWN } else { WRITTEN };
        (is_terminal || writes_lines).then(|| self.begin_at(name, every, is_terminal, io::stderr()))
    }

    fn begin_at(
        &self,
        name: &str,
        every: Duration,
        is_drawn: bool,
        mut out: impl Write + Send + 'static,
    ) -> Shown {
        self.0.lock().has_ended = false;
        let (shared, name, begin) = (self.0.clone(), name.to_owned(), Instant::now());
        let writer = thread::spawn(move || {
            loop {
                let state = shared.lock();
                let waits = |state: &mut State| !state.has_ended;
                let waited = shared.ends.wait_timeout_while(state, every, waits);
                let (state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
                if !waited.timed_out() {
                    break;
                }
                let runs = counted(shared.runs.load(Ordering::Relaxed), "run");
                let (seconds, doing) = (begin.elapsed().as_secs(), state.doing.clone());
                drop(state);
                let line = format!("{name}: {runs} in {seconds} s: {doing}");
                // Where stderr is closed, the line is lost.
                let _ = if is_drawn {
                    write!(out, "\r\x1b[2K{line}")
                } else {
                    writeln!(out, "{line}")
                };
            }
            if is_drawn {
                let _ = write!(out, "\r\x1b[2K");
            }
        });
        Shown {
            progress: self.clone(),
            writer: Some(writer),
        }
    }
}

/// Shows the progress while it lives.
pub(crate) struct Shown {
    progress: Progress,
    writer: Option<JoinHandle<()>>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.progress.0.lock().has_ended = true;
        self.progress.0.ends.notify_all();
        // The line is gone before something else is written.
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_follows_while_nothing_returns() {
        let (progress, written) = (Progress::default(), Written::default());
        progress.show("runs each scenario once");
        progress.count();
        let every = Duration::from_millis(5);
        let shown = progress.begin_at("my-operator", every, false, written.clone());
        let text = || String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        while text().lines().count() < 2 {
            thread::sleep(every);
        }
        drop(shown);
        let line = "my-operator: 1 run in 0 s: runs each scenario once\n";
        assert!(text().starts_with(line), "{}", text());
        let before = text();
        thread::sleep(4 * every);
        assert_eq!(text(), before);
    }

    #[test]
    fn a_short_simulation_writes_nothing() {
        let (progress, written) = (Progress::default(), Written::default());
        drop(progress.begin_at("my-operator", WRITTEN, false, written.clone()));
        assert!(written.0.lock().unwrap().is_empty());
    }
}
