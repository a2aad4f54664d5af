//! Writes to the terminal of a test: what `println!` and `eprintln!` write there, the test runner shows only where a test fails.

use std::{
    io::{self, IsTerminal as _, Write as _},
    time::{Duration, Instant},
};

/// Writes a line, also where the test passes.
pub(crate) fn say(line: &str) {
    // Where stderr is closed, the line is lost.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Shows how far a simulation has got, where stderr is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    name: String,
    last: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            last: io::stderr().is_terminal().then(Instant::now),
        }
    }

    /// Shows a text, at most twice a second.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        if self
            .last
            .is_some_and(|last| last.elapsed() > Duration::from_millis(500))
        {
            self.last = Some(Instant::now());
            let _ = write!(io::stderr(), "\r\x1b[2K{}: {}", self.name, text());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}
