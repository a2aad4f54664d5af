//! A bar on the terminal for what takes long.
use std::{
    io::{self, Write as _},
    sync::Mutex,
    time::{Duration, Instant},
};

use kube_codegen_formats::printable;

/// How long a command runs before it shows a bar.
const SILENT: Duration = Duration::from_secs(1);
/// How often the bar is drawn at most.
const EVERY: Duration = Duration::from_millis(100);

/// A bar; dropped, it leaves the line empty.
pub(super) struct Progress {
    is_shown: bool,
    begin: Instant,
    /// When it was drawn last.
    drawn: Mutex<Option<Instant>>,
}

impl Progress {
    pub(super) fn new(is_shown: bool) -> Self {
        Self {
            is_shown,
            begin: Instant::now(),
            drawn: Mutex::new(None),
        }
    }

    pub(super) fn draw(&self, what: &str, done: usize, total: usize) {
        const WIDTH: usize = 30;
        if !self.is_shown || self.begin.elapsed() < SILENT {
            return;
        }
        let Ok(mut drawn) = self.drawn.lock() else {
            return;
        };
        if drawn.is_some_and(|it| it.elapsed() < EVERY) {
            return;
        }
        *drawn = Some(Instant::now());
        let full = (WIDTH * done).checked_div(total).unwrap_or(WIDTH);
        let bar: String = (0..WIDTH)
            .map(|at| if at < full { '#' } else { '.' })
            .collect();
        let what = printable::line(what);
        let _ = write!(io::stderr(), "\r{what} [{bar}] {done} of {total}\x1b[K");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.lock().is_ok_and(|it| it.is_some()) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
