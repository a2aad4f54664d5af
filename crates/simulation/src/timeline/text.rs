//! The timeline as text, for people. Nothing reads it back.

use std::{borrow::Cow, fmt};

use super::{
    Answered, Change, Deed, Effect, Entry, Happening, Lag, Lagging, Lags, Note, Outside, Process,
    Rejection, Replica, Warning,
};
use crate::{plural::counted, schedule::Point, state::Difference};

impl Entry {
    /// Returns the entry as people see it, with the end of the line.
    pub(crate) fn line(&self) -> String {
        let mark = if self.is_fault() { "►" } else { " " };
        let at = self.at.as_secs_f64();
        let is_cache = matches!(self.what, Happening::Cache(..));
        let indent = if is_cache { "  " } else { "" };
        let who = format!("{indent}{}", self.who());
        format!("  {mark} {at:>9.3} s  {who:<10}  {}\n", self.what)
    }

    /// Who does it, for people.
    pub(crate) fn who(&self) -> Cow<'static, str> {
        match &self.what {
            Happening::Phase { .. } | Happening::User(_) => "user".into(),
            Happening::Process(replica, _)
            | Happening::Request(replica, _)
            | Happening::Event { replica, .. }
            | Happening::Bytes(replica, _) => replica.to_string().into(),
            Happening::Cache(..) => "its cache".into(),
            Happening::Cluster { .. } => "cluster".into(),
            Happening::Outside(_) => "outside".into(),
            Happening::Fault { .. } => "FAULT".into(),
            Happening::Simulation(_) => "simulation".into(),
        }
    }
}

impl Rejection {
    /// Names a request that the server has rejected, with the reason if there is one.
    pub(crate) fn of(point: &Point, status: u16, why: Option<&Self>) -> String {
        let why = why
            .map(|it| format!(" ({})", it.message))
            .unwrap_or_default();
        format!("{} → {status}{why}", point.what())
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.point.what(), self.status)?;
        match &self.effect {
            Effect::Unknown if self.status == 404 => f.write_str(" (not found)"),
            Effect::Unknown => Ok(()),
            Effect::Rejected(why) => write!(f, " ({})", why.message),
            Effect::None => f.write_str(" (no change)"),
            Effect::Changes(fields, 0) => write!(f, " (changes {})", fields.join(", ")),
            Effect::Changes(fields, more) => {
                write!(f, " (changes {} and {more} more)", fields.join(", "))
            }
        }
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Creates => "the creation of",
            Self::Changes => "the change of",
            Self::Deletes => "the deletion of",
            Self::Other => "what was done to",
        })
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        let Self { object, change } = self;
        let changes = match change {
            Change::Appears(content) => return write!(f, "{object} appears: {content}"),
            Change::Disappears => return write!(f, "{object} disappears"),
            Change::Changes(changes) => changes,
        };
        write!(f, "{object} changes: ")?;
        for (
            at,
            Difference {
                path,
                expected,
                found,
                ..
            },
        ) in changes.iter().take(SHOWN).enumerate()
        {
            let comma = if at > 0 { ", " } else { "" };
            let space = if path.is_empty() { "" } else { " " };
            let value = |it: &Option<String>| it.clone().unwrap_or_else(|| "(absent)".to_owned());
            let (before, after) = (value(expected), value(found));
            write!(f, "{comma}{path}{space}{before} → {after}")?;
        }
        match changes.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.note)
    }
}

impl fmt::Display for Lag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, place, how } = self;
        match how {
            Lagging::Lacks => write!(f, "lacks {kind} {place}"),
            Lagging::Former => write!(
                f,
                "shows the former {kind} {place}, which was deleted and created again"
            ),
            Lagging::Older { newest, .. } if newest.is_empty() => {
                write!(f, "shows an older {kind} {place}")
            }
            Lagging::Older { shown, newest } => write!(
                f,
                "shows an older {kind} {place} (resourceVersion {shown}, now {newest})"
            ),
            Lagging::Gone => write!(f, "still shows {kind} {place}, which is deleted"),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waits { failed: true } => {
                f.write_str("waits for a retry, because requests failed")
            }
            Self::Waits { failed: false } => {
                f.write_str("waits for a retry, because the operator has not seen every event")
            }
            Self::Waited(seconds) => write!(
                f,
                "waited for {seconds} s, but no retry led to the expected state"
            ),
            Self::Restarts => f.write_str("restarts the operator, which is at rest"),
            Self::Repeats { lines, more, until } => {
                let until = until.as_secs_f64();
                let what = match lines {
                    1 => "the last line".to_owned(),
                    lines => format!("the last {lines} lines"),
                };
                let times = counted(*more, "more time");
                write!(f, "sees {what} {times}, until {until:.3} s")
            }
            Self::Finds(message) => write!(f, "finds: {message}"),
        }
    }
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phase { index, name } => write!(f, "begins phase {index}: {name}"),
            Self::User(act) => {
                f.write_str(&act.text)?;
                // An act without a request has no status.
                if act.status > 0 {
                    write!(f, " → {}", act.status)?;
                }
                Ok(())
            }
            Self::Process(_, Process::Starts) => f.write_str("starts"),
            Self::Process(_, Process::Crashes) => f.write_str("has crashed"),
            Self::Process(_, Process::Ends(why)) => write!(f, "has ended: {why}"),
            Self::Request(_, answered) => answered.fmt(f),
            Self::Event { point, version, .. } => {
                write!(f, "{} (resourceVersion {version})", point.what())
            }
            Self::Cache(_, Lags { shown, more }) => {
                let shown: Vec<_> = shown.iter().map(Lag::to_string).collect();
                f.write_str(&shown.join("; "))?;
                match more {
                    0 => Ok(()),
                    more => write!(f, "; and {more} more"),
                }
            }
            Self::Cluster { object, what } => write!(f, "{object} {what}"),
            Self::Outside(outside) => outside.fmt(f),
            Self::Fault { fault, at } => write!(f, "{fault}: {}", at.what()),
            Self::Simulation(note) => note.fmt(f),
            Self::Bytes(_, text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Only => f.write_str("operator"),
            Self::Number(number) => write!(f, "operator {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Verb;

    #[test]
    fn a_response_404_is_not_shown_as_success() {
        let mut answered = Answered {
            point: Point::example(Verb::Get, "widgets", "default/a"),
            status: 404,
            is_report: false,
            warning: None,
            effect: Effect::Unknown,
            deleted_owner: None,
        };
        assert!(answered.to_string().ends_with("→ 404 (not found)"));
        assert!(!answered.is_accepted());
        answered.status = 200;
        assert!(answered.to_string().ends_with("→ 200"));
    }
}
