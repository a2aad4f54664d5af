//! The timeline of a run: what happened, when, and to whom.
//!
//! Each entry is data: causes, pictures and other programs read its parts. The text is for people, and is made when it is shown.

use std::{borrow::Cow, fmt, time::Duration};

use serde_json::{Value, json};

use crate::{
    fault::Fault,
    schedule::{Point, Verb},
};

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at: Duration,
    pub(crate) what: Happening,
}

/// A replica of the operator, and whether it is one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Replica {
    Only,
    Number(usize),
}

/// What happens in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// A phase of the workload begins.
    Phase { index: usize, name: String },
    /// The user, or another client, does something.
    User(Act),
    /// A process of the operator starts or ends.
    Process(Replica, Process),
    /// A request of the operator, and its response.
    Request(Replica, Answered),
    /// A watch event reaches the operator.
    Event {
        replica: Replica,
        point: Point,
        version: String,
    },
    /// What the caches of a replica lack, just before it writes.
    Cache(Replica, Lags),
    /// A controller of the cluster changes an object.
    Cluster { object: String, what: &'static str },
    /// Something goes wrong.
    Fault { fault: Fault, at: Point },
    /// What the simulation itself does.
    Simulation(Note),
    /// What a replica has sent or received.
    Bytes(Replica, String),
}

/// What a user has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Act {
    pub(crate) deed: Deed,
    /// The object; empty for what concerns none.
    pub(crate) path: String,
    /// For people.
    pub(crate) text: String,
    /// Of the response; 0 where there was no request.
    pub(crate) status: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Creates,
    Changes,
    Deletes,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    Starts,
    Crashes,
    /// By itself, for this reason.
    Ends(String),
}

/// A request of the operator and the status of its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) point: Point,
    pub(crate) status: u16,
    /// Whether it writes an Event, a Lease or another object that no oracle compares.
    pub(crate) is_report: bool,
    pub(crate) effect: Effect,
    /// The owner of the object that is written, if it is being deleted.
    pub(crate) deleted_owner: Option<String>,
}

/// What a request has led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing is known: a read, or a run without details.
    Unknown,
    /// The server says why it rejects the request.
    Rejected(String),
    /// The object is as it was before.
    None,
    /// These fields have changed, and this number of others.
    Changes(Vec<String>, usize),
}

/// How the caches of a replica differ from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lags {
    pub(crate) shown: Vec<Lag>,
    pub(crate) more: usize,
}

/// An object that a cache does not show as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lag {
    pub(crate) kind: String,
    pub(crate) place: String,
    pub(crate) how: Lagging,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lagging {
    Lacks,
    /// Another object of the same name.
    Former,
    Older {
        shown: String,
        newest: String,
    },
    /// It is deleted.
    Gone,
}

/// What the simulation does besides what a cluster does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// Waits for a later attempt, after a request has failed, or else after an event was hidden.
    Waits {
        failed: bool,
    },
    /// Has waited for these seconds in vain.
    Waited(u64),
    Restarts,
    /// In a report: the last lines have followed each other more often.
    Repeats {
        lines: usize,
        more: usize,
        until: Duration,
    },
    /// In a picture: what was found.
    Finds(String),
}

impl Answered {
    pub(crate) fn verb(&self) -> Verb {
        self.point.verb
    }

    /// Whether the request wrote something that oracles compare.
    pub(crate) fn is_write(&self) -> bool {
        self.verb().is_write() && !self.is_report
    }

    pub(crate) fn is_accepted(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether a write has changed an object, as far as is known.
    pub(crate) fn has_changed(&self) -> bool {
        self.is_write() && self.is_accepted() && self.effect != Effect::None
    }
}

/// Names a request that was rejected.
pub(crate) fn rejection(point: &Point, status: u16, reason: Option<&str>) -> String {
    let why = reason.map(|it| format!(" ({it})")).unwrap_or_default();
    format!("{} → {status}{why}", point.what())
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.point.what(), self.status)?;
        match &self.effect {
            Effect::Unknown if self.status == 404 => f.write_str(" (not found)"),
            Effect::Unknown => Ok(()),
            Effect::Rejected(why) => write!(f, " ({why})"),
            Effect::None => f.write_str(" (no change)"),
            Effect::Changes(fields, 0) => write!(f, " (changes {})", fields.join(", ")),
            Effect::Changes(fields, more) => {
                write!(f, " (changes {} and {more} more)", fields.join(", "))
            }
        }
    }
}

impl Lag {
    /// Returns the lag without versions, which differ from line to line.
    pub(crate) fn general(&self) -> Self {
        let mut lag = self.clone();
        if let Lagging::Older { shown, newest } = &mut lag.how {
            shown.clear();
            newest.clear();
        }
        lag
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
                f.write_str("waits for a later attempt, since requests have failed")
            }
            Self::Waits { failed: false } => {
                f.write_str("waits for a later attempt, since the operator has not seen each event")
            }
            Self::Waited(seconds) => write!(
                f,
                "has waited for {seconds} s, and sees no later attempt that leads there"
            ),
            Self::Restarts => f.write_str("restarts the operator, which is at rest"),
            Self::Repeats { lines, more, until } => {
                let until = until.as_secs_f64();
                let what = match lines {
                    1 => "the last line".to_owned(),
                    lines => format!("the last {lines} lines"),
                };
                let times = if *more == 1 { "time" } else { "times" };
                write!(f, "sees {what} {more} more {times}, until {until:.3} s")
            }
            Self::Finds(message) => write!(f, "finds: {message}"),
        }
    }
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phase { index, name } => write!(f, "begins phase {index}: {name}"),
            Self::User(act) => write!(f, "{} → {}", act.text, act.status),
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

impl Entry {
    /// Returns the entry as people see it, with the end of the line.
    pub(crate) fn line(&self) -> String {
        let mark = if self.is_fault() { "►" } else { " " };
        let at = self.at.as_secs_f64();
        let indent = match self.what {
            Happening::Cache(..) => "  ",
            _ => "",
        };
        let who = format!("{indent}{}", self.who());
        format!("  {mark} {at:>9.3} s  {who:<10}  {}\n", self.what)
    }

    pub(crate) fn is_fault(&self) -> bool {
        matches!(self.what, Happening::Fault { .. })
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
            Happening::Fault { .. } => "FAULT".into(),
            Happening::Simulation(_) => "simulation".into(),
        }
    }

    /// Returns the replica of the operator that does it, or to which it happens.
    pub(crate) fn replica(&self) -> Option<Replica> {
        match &self.what {
            Happening::Process(replica, _)
            | Happening::Request(replica, _)
            | Happening::Event { replica, .. }
            | Happening::Cache(replica, _)
            | Happening::Bytes(replica, _) => Some(*replica),
            Happening::Phase { .. }
            | Happening::User(_)
            | Happening::Cluster { .. }
            | Happening::Fault { .. }
            | Happening::Simulation(_) => None,
        }
    }

    /// Returns the request that it is, if it is one.
    pub(crate) fn answered(&self) -> Option<&Answered> {
        match &self.what {
            Happening::Request(_, answered) => Some(answered),
            _ => None,
        }
    }

    /// Returns the entry without what differs from run to run.
    pub(crate) fn general(&self) -> Happening {
        let mut what = self.what.clone();
        match &mut what {
            Happening::Request(_, answered) => {
                answered.effect = Effect::Unknown;
                answered.point.occurrence = 0;
            }
            Happening::Event { point, version, .. } => {
                version.clear();
                point.occurrence = 0;
            }
            Happening::Cache(_, lags) => {
                for lag in &mut lags.shown {
                    *lag = lag.general();
                }
            }
            Happening::Phase { .. }
            | Happening::User(_)
            | Happening::Process(..)
            | Happening::Cluster { .. }
            | Happening::Fault { .. }
            | Happening::Simulation(_)
            | Happening::Bytes(..) => {}
        }
        what
    }

    /// Returns the entry as docs/simulation.md describes it, for other programs.
    pub(crate) fn json(&self) -> Value {
        let (kind, fields) = match &self.what {
            Happening::Phase { index, name } => ("phase", json!({"phase": index, "name": name})),
            Happening::User(act) => (
                "user",
                json!({"action": act.deed.name(), "path": act.path, "status": act.status}),
            ),
            Happening::Process(_, process) => ("process", json!({"state": process.name()})),
            Happening::Request(_, answered) => {
                let mut fields = point(&answered.point);
                fields["status"] = answered.status.into();
                match &answered.effect {
                    Effect::Unknown => {}
                    Effect::Rejected(why) => fields["reason"] = why.as_str().into(),
                    Effect::None => fields["changes"] = json!([]),
                    Effect::Changes(changed, _) => fields["changes"] = json!(changed),
                }
                ("request", fields)
            }
            Happening::Event { point: at, .. } => {
                let fields =
                    json!({"type": at.verb.name(), "resource": at.resource, "object": at.place});
                ("event", fields)
            }
            Happening::Cache(_, lags) => {
                let lags = lags.shown.iter();
                let lags = lags
                    .map(|it| json!({"kind": it.kind, "object": it.place, "state": it.how.name()}));
                ("cache", json!({"lags": lags.collect::<Vec<_>>()}))
            }
            Happening::Cluster { object, .. } => ("cluster", json!({"object": object})),
            Happening::Fault { fault, at } => ("fault", json!({"fault": fault, "point": at})),
            Happening::Simulation(_) => ("simulation", json!({})),
            Happening::Bytes(..) => ("bytes", json!({})),
        };
        let mut json = json!({
            "at": self.at.as_secs_f64(), "who": self.who(), "kind": kind, "text": self.what.to_string(),
        });
        if let (Some(json), Value::Object(mut fields)) = (json.as_object_mut(), fields) {
            json.append(&mut fields);
        }
        json
    }
}

/// Returns the parts of a request.
fn point(at: &Point) -> Value {
    let resource = match at.subresource.as_str() {
        "" => at.resource.clone(),
        subresource => format!("{}/{subresource}", at.resource),
    };
    json!({"verb": at.verb.name(), "resource": resource, "object": at.place})
}

impl Deed {
    fn name(self) -> &'static str {
        match self {
            Self::Creates => "create",
            Self::Changes => "change",
            Self::Deletes => "delete",
            Self::Other => "other",
        }
    }
}

impl Process {
    fn name(&self) -> &'static str {
        match self {
            Self::Starts => "starts",
            Self::Crashes => "crashed",
            Self::Ends(_) => "ended",
        }
    }
}

impl Lagging {
    fn name(&self) -> &'static str {
        match self {
            Self::Lacks => "missing",
            Self::Former => "former",
            Self::Older { .. } => "older",
            Self::Gone => "deleted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(verb: Verb, resource: &str, subresource: &str, place: &str) -> Point {
        Point {
            replica: 0,
            verb,
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            place: place.to_owned(),
            occurrence: 1,
        }
    }

    #[test]
    fn entries_as_json_have_their_parts() {
        let json = |what: Happening| {
            let at = Duration::from_millis(1500);
            Entry { at, what }.json()
        };
        let answered = Answered {
            point: at(Verb::Patch, "widgets", "status", "default/a → 200"),
            status: 409,
            is_report: false,
            effect: Effect::Rejected("a → 200".to_owned()),
            deleted_owner: None,
        };
        // A name that looks like the end of an entry stays a name.
        assert_eq!(
            json(Happening::Request(Replica::Only, answered)),
            json!({
                "at": 1.5, "who": "operator", "kind": "request", "verb": "patch", "resource": "widgets/status",
                "object": "default/a → 200", "status": 409, "reason": "a → 200",
                "text": "patch widgets/status default/a → 200 → 409 (a → 200)",
            })
        );
        let point = at(Verb::Added, "widgets", "", "default/a");
        let event = Happening::Event {
            replica: Replica::Number(1),
            point: point.clone(),
            version: "3".to_owned(),
        };
        assert_eq!(
            json(event),
            json!({
                "at": 1.5, "who": "operator 1", "kind": "event", "type": "ADDED", "resource": "widgets", "object": "default/a",
                "text": "event ADDED widgets default/a (resourceVersion 3)",
            })
        );
        let fault = json(Happening::Fault {
            fault: Fault::Expire,
            at: point,
        });
        assert_eq!(fault["point"]["verb"], "added");
        assert_eq!(fault["fault"], "expire");
        let process = Happening::Process(Replica::Only, Process::Crashes);
        assert_eq!(json(process)["state"], "crashed");
    }

    #[test]
    fn a_response_404_is_not_shown_as_success() {
        let mut answered = Answered {
            point: at(Verb::Get, "widgets", "", "default/a"),
            status: 404,
            is_report: false,
            effect: Effect::Unknown,
            deleted_owner: None,
        };
        assert!(answered.to_string().ends_with("→ 404 (not found)"));
        assert!(!answered.is_accepted());
        answered.status = 200;
        assert!(answered.to_string().ends_with("→ 200"));
    }
}
