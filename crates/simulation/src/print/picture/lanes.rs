//! The lanes of a run, from the user to the controllers of children, and what a step draws on them.
use std::fmt::{self, Write as _};

use kube_codegen_look::Escaped;

use crate::timeline::Entry;

/// The distance of two lanes, in pixels.
const STEP: usize = 46;
/// The height of a row.
const HEIGHT: usize = 34;

/// The lanes, from left to right.
pub(super) struct Lanes {
    replicas: Vec<String>,
    cluster: bool,
}

/// What the cache of a replica lacks, at one step.
pub(super) type Stale = String;

/// What a step is, for the picture.
enum Step<'a> {
    /// From one lane to another, and back if there is an answer.
    Arrow {
        from: usize,
        to: usize,
        class: &'a str,
        answered: bool,
    },
    /// At one lane.
    Mark {
        at: usize,
        class: &'a str,
    },
    Nothing,
}

impl Lanes {
    pub(super) fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let mut lanes = Self {
            replicas: Vec::new(),
            cluster: false,
        };
        for entry in entries {
            match entry.who.trim() {
                "cluster" => lanes.cluster = true,
                who if is_replica(who) && !lanes.replicas.iter().any(|it| it == who) => {
                    lanes.replicas.push(who.to_owned());
                }
                _ => {}
            }
        }
        if lanes.replicas.is_empty() {
            lanes.replicas.push("operator".to_owned());
        }
        lanes.replicas.sort();
        lanes
    }

    fn count(&self) -> usize {
        2 * self.replicas.len() + 2 + usize::from(self.cluster)
    }

    fn replica(&self, who: &str) -> usize {
        1 + 2 * self.replicas.iter().position(|it| it == who).unwrap_or(0)
    }

    fn server(&self) -> usize {
        2 * self.replicas.len() + 1
    }

    fn x(lane: usize) -> usize {
        STEP / 2 + lane * STEP
    }

    fn width(&self) -> usize {
        self.count() * STEP
    }

    /// Returns the names of the lanes.
    fn names(&self) -> Vec<(String, &'static str)> {
        let mut names = vec![("user".to_owned(), "The user who changes objects")];
        for replica in &self.replicas {
            names.push((replica.clone(), "The operator"));
            names.push(("cache".to_owned(), "What the operator sees of the objects"));
        }
        names.push(("server".to_owned(), "The API server"));
        if self.cluster {
            names.push((
                "cluster".to_owned(),
                "The controllers of children, and the garbage collector",
            ));
        }
        names
    }

    /// Returns the heads of the lanes.
    pub(super) fn heads(&self) -> String {
        let mut out = format!("<svg width=\"{}\" height=\"64\">", self.width());
        for (lane, (name, about)) in self.names().iter().enumerate() {
            let x = Self::x(lane);
            _ = write!(
                out,
                "<text transform=\"translate({x} 58) rotate(-45)\">{}<title>{about}</title></text>",
                Escaped(name)
            );
        }
        out + "</svg>"
    }

    /// Writes what the signs of the picture say.
    pub(super) fn legend(page: &mut String) {
        page.push_str("<ul class=\"legend muted\">");
        for (class, text) in [
            ("good", "request that succeeds, with its answer"),
            ("bad", "request that fails"),
            ("event", "event of a watch"),
            ("user", "change by the user"),
            ("cluster", "change by controllers"),
        ] {
            _ = write!(
                page,
                "<li><svg width=\"34\" height=\"12\" aria-hidden=\"true\">{}</svg> {text}</li>",
                arrow(2, 32, 6, class, false)
            );
        }
        _ = writeln!(
            page,
            "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"stale\" width=\"14\" height=\"14\"/></svg> the cache lacks something</li></ul>"
        );
    }

    /// Writes a line of a run: the lanes and the text.
    pub(super) fn side(
        &self,
        page: &mut String,
        entry: Option<&Entry>,
        stale: &[Stale],
        side: &str,
    ) -> fmt::Result {
        let width = self.width();
        write!(
            page,
            "<svg class=\"{side}\" width=\"{width}\" aria-hidden=\"true\">"
        )?;
        for lane in 0..self.count() {
            let x = Self::x(lane);
            write!(
                page,
                "<line class=\"lane\" x1=\"{x}\" x2=\"{x}\" y1=\"0\" y2=\"100%\"/>"
            )?;
        }
        if !stale.is_empty() {
            let replica = entry.map_or(1, |entry| self.replica(entry.who.trim()));
            let x = Self::x(replica + 1) - 9;
            write!(
                page,
                "<rect class=\"stale\" x=\"{x}\" y=\"0\" width=\"18\" height=\"100%\"/>"
            )?;
        }
        let Some(entry) = entry else {
            return write!(page, "</svg><p class=\"{side} nothing\"></p>");
        };
        let middle = HEIGHT / 2;
        match self.step(entry) {
            Step::Arrow {
                from,
                to,
                class,
                answered,
            } => {
                let (from, to) = (Self::x(from), Self::x(to));
                page.push_str(&arrow(
                    from,
                    to,
                    if answered { middle - 5 } else { middle },
                    class,
                    false,
                ));
                if answered {
                    page.push_str(&arrow(to, from, middle + 5, class, true));
                }
            }
            Step::Mark { at, class } => {
                let x = Self::x(at);
                if class == "fault" {
                    write!(
                        page,
                        "<path class=\"bolt\" d=\"M{} {} l-8 11 h6 l-3 9 l10 -13 h-6 l4 -7z\"/>",
                        x + 1,
                        middle - 10
                    )?;
                } else {
                    write!(
                        page,
                        "<circle class=\"{class}\" cx=\"{x}\" cy=\"{middle}\" r=\"5\"/>"
                    )?;
                }
            }
            Step::Nothing => {}
        }
        let who = match entry.who.trim() {
            "FAULT" => "fault",
            who => who,
        };
        write!(
            page,
            "</svg><p class=\"{side}\"><b>{}</b> {}",
            Escaped(who),
            Escaped(&entry.text)
        )?;
        // A line about the cache says it already.
        for lacks in stale.iter().filter(|_| entry.who.trim() != "its cache") {
            write!(
                page,
                "<span class=\"lacks\">cache {}</span>",
                Escaped(lacks)
            )?;
        }
        page.push_str("</p>");
        Ok(())
    }

    fn step<'a>(&self, entry: &Entry) -> Step<'a> {
        let json = entry.json();
        let kind = json["kind"].as_str().unwrap_or_default();
        let (server, replica) = (self.server(), self.replica(entry.who.trim()));
        match kind {
            "request" => {
                let failed = json["status"].as_u64().is_some_and(|status| status >= 400);
                let class = if failed { "bad" } else { "good" };
                Step::Arrow {
                    from: replica,
                    to: server,
                    class,
                    answered: true,
                }
            }
            "event" => Step::Arrow {
                from: server,
                to: replica + 1,
                class: "event",
                answered: false,
            },
            "user" => Step::Arrow {
                from: 0,
                to: server,
                class: "user",
                answered: false,
            },
            "cluster" => Step::Arrow {
                from: self.count() - 1,
                to: server,
                class: "cluster",
                answered: false,
            },
            "fault" => Step::Mark {
                at: if entry.text.contains(": event ") {
                    replica + 1
                } else {
                    replica
                },
                class: "fault",
            },
            "process" => {
                let ends = entry.text.contains("crash") || entry.text.contains("end");
                Step::Mark {
                    at: replica,
                    class: if ends { "bad" } else { "good" },
                }
            }
            "cache" => Step::Mark {
                at: replica + 1,
                class: "note",
            },
            _ => Step::Nothing,
        }
    }
}

fn is_replica(who: &str) -> bool {
    !matches!(
        who,
        "user" | "cluster" | "simulation" | "its cache" | "FAULT"
    )
}

pub(super) fn is_phase(entry: &Entry) -> bool {
    entry.who.trim() == "user" && entry.text.starts_with("begins phase ")
}

/// Draws an arrow; an answer has a dashed line.
fn arrow(from: usize, to: usize, y: usize, class: &str, answer: bool) -> String {
    let (start, end) = if from < to {
        (from + 4, to - 4)
    } else {
        (from - 4, to + 4)
    };
    let back = if from < to { end - 6 } else { end + 6 };
    let dashed = if answer { " dashed" } else { "" };
    format!(
        "<g class=\"{class}{dashed}\"><line x1=\"{start}\" x2=\"{end}\" y1=\"{y}\" y2=\"{y}\"/><path d=\"M{end} {y}L{back} {}V{}z\"/></g>",
        y - 4,
        y + 4
    )
}

/// Returns for each line of a run what the caches lack there. A line about the caches says it for a moment; it began with the first change of
/// the object that was not seen, and ends with the next event about it.
pub(super) fn stale(log: &[Entry]) -> Vec<Vec<Stale>> {
    let mut all: Vec<Vec<Stale>> = vec![Vec::new(); log.len()];
    for (at, entry) in log
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.who.trim() == "its cache")
    {
        for lacks in entry.text.split("; ") {
            let Some(object) = lacks.split([' ', ',']).find(|word| word.contains('/')) else {
                continue;
            };
            let name = object.rsplit('/').next().unwrap_or(object);
            let is_about = |it: &Entry| it.text.split([' ', '/', ':']).any(|word| word == name);
            let is_event = |it: &Entry| it.text.starts_with("event ") && is_about(it);
            let is_change = |it: &Entry| {
                !it.fault
                    && it.text.contains(" → 2")
                    && is_about(it)
                    && !["get", "list", "watch"]
                        .iter()
                        .any(|verb| it.text.starts_with(verb))
            };
            let seen = log[..at]
                .iter()
                .rposition(is_event)
                .map_or(0, |seen| seen + 1);
            let before = log[seen..at].iter().position(is_change);
            let before = before.map_or(at, |before| seen + before);
            let after = log[at..]
                .iter()
                .position(|it| is_event(it) || it.text == "starts");
            let until = after.map_or(at + 2, |after| at + after).min(log.len());
            for lacking in &mut all[before..until.max(at + 1)] {
                let lacks = lacks.split(" (resourceVersion").next().unwrap_or(lacks);
                if !lacking.iter().any(|it| it == lacks) {
                    lacking.push(lacks.to_owned());
                }
            }
        }
    }
    all
}
