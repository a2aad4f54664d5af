//! Prints a violation: the timeline of the smallest schedule, the difference, and the command that replays it.

mod command;
mod fold;
mod found;
mod pattern;
mod picture;
mod proven;
mod terminal;

use std::{
    fmt::{self, Write as _},
    path::Path,
};

use crate::{
    oracles::Oracle,
    plural::counted,
    timeline::{Entry, Happening, Process},
};
pub use found::Found;
pub(crate) use terminal::say;

/// Lines of the timeline at most; the start is cut.
const LINES: usize = 120;

/// The report that [`Simulation::run`](crate::Simulation::run) prints: timeline, difference and likely cause.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&report(self, "failed", None))
    }
}

impl Found {
    /// Returns an HTML page that shows the failed run next to the run without faults. It is one file and opens in any browser, without a
    /// network.
    pub fn picture(&self) -> String {
        picture::picture(self, &report(self, "failed", None))
    }
}

/// Returns the report of a violation. `ends` says what it means for the simulation: it `failed`, or `warns`.
pub(crate) fn report(found: &Found, ends: &str, file: Option<&Path>) -> String {
    let mut text = String::new();
    let size = found.schedule.size();
    let _ = writeln!(
        text,
        "simulation of {} {ends}: {}",
        found.name, found.message
    );
    let _ = writeln!(text, "  what must hold: {}", found.oracle);
    let _ = writeln!(
        text,
        "  schedule {}: seed {}, workload \"{}\", {}{}",
        found.schedules,
        found.schedule.seed,
        found.schedule.workload,
        counted(size, "fault"),
        if found.faults > size {
            format!(" (shrunk from {})", found.faults)
        } else {
            String::new()
        }
    );
    if found.schedule.from > 0 {
        let _ = writeln!(
            text,
            "    the run begins with phase {}: the operator starts with the objects that the earlier phases left",
            found.schedule.from
        );
    }
    for cut in &found.schedule.without {
        let _ = writeln!(text, "    without {cut}");
    }
    for decision in &found.schedule.decisions {
        let _ = writeln!(text, "    {}: at {}", decision.fault, decision.at);
    }
    for (phase, time) in &found.schedule.hurry {
        let _ = writeln!(
            text,
            "    the user does not wait until the operator is at rest: phase {} begins {time} ms after phase {phase}",
            phase + 1
        );
    }
    let loops = matches!(found.oracle, Oracle::Rest | Oracle::Requests);
    timeline(&mut text, &found.log, loops);
    let differences = &found.failure.differences;
    if !differences.is_empty() {
        let _ = writeln!(text, "\n  difference (- expected, + found):");
        let mut object = "";
        for difference in differences.iter().take(20) {
            if difference.object != object {
                object = &difference.object;
                let _ = writeln!(text, "    {object}");
            }
            let place = match difference.path.as_str() {
                "" => "the object",
                path => path,
            };
            for (sign, value) in [("-", &difference.expected), ("+", &difference.found)] {
                let value = value.as_deref().unwrap_or("(absent)");
                let _ = writeln!(text, "      {sign} {place}: {value}");
            }
        }
        if differences.len() > 20 {
            let _ = writeln!(text, "    and {} more", differences.len() - 20);
        }
    }
    if let Some(likely) = pattern::likely(found) {
        let _ = writeln!(text, "\n  likely cause:");
        for line in wrapped(&likely, 110) {
            let _ = writeln!(text, "    {line}");
        }
    }
    if let Some(file) = file {
        let command = command::replay(file);
        let picture = file.with_extension("html");
        let _ = writeln!(text, "\n  picture: {}", picture.display());
        let _ = writeln!(text, "  replay: {command}");
    }
    text
}

/// Breaks a text into lines of at most `width` letters, where its words permit.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn timeline(text: &mut String, log: &[Entry], loops: bool) {
    let _ = writeln!(
        text,
        "\n  timeline (virtual time), without requests for Events:"
    );
    let log = fold::shown(log);
    // What follows the first fault matters; some lines before it show where it happened.
    let first = log.iter().position(Entry::is_fault).unwrap_or(0);
    let from = first
        .saturating_sub(40)
        .max(log.len().saturating_sub(LINES).min(first));
    if from > 0 {
        let _ = writeln!(text, "    … {} before", counted(from, "line"));
    }
    let shown = &log[from..];
    // What is repeated is seen soon.
    let (head, tail) = if loops {
        (40, 8)
    } else {
        (LINES / 2, LINES / 2)
    };
    let last = shown.len().saturating_sub(tail);
    let mut hidden = 0;
    for (index, entry) in shown.iter().enumerate() {
        if index >= head && index < last && !is_decisive(entry, loops) {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            let _ = writeln!(text, "    … {}", counted(hidden, "line"));
            hidden = 0;
        }
        text.push_str(&entry.line());
    }
}

/// Whether a line may decide what goes wrong: a report shows it, however long the timeline is.
fn is_decisive(entry: &Entry, loops: bool) -> bool {
    match &entry.what {
        Happening::Phase { .. } | Happening::User(_) | Happening::Fault { .. } => true,
        Happening::Process(_, process) => !loops && *process != Process::Starts,
        Happening::Request(_, answered) => {
            // What is repeated is seen soon.
            let is_wrong = !answered.is_accepted() || answered.deleted_owner.is_some();
            !loops && answered.is_write() && is_wrong
        }
        // Nothing else shows what has become of it.
        Happening::Outside(_) => !loops,
        Happening::Event { .. }
        | Happening::Cache(..)
        | Happening::Cluster { .. }
        | Happening::Simulation(_)
        | Happening::Bytes(..) => false,
    }
}
