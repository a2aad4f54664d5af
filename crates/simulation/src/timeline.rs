//! The timeline of a run: what happened, when, and to whom.

use std::time::Duration;

use serde_json::{Map, Value, json};

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at: Duration,
    pub(crate) who: String,
    pub(crate) text: String,
    pub(crate) fault: bool,
    /// What the text says, if it is about a request of the operator.
    pub(crate) answered: Option<Answered>,
}

/// A request of the operator and the status of its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) verb: &'static str,
    /// Verb, resource and object, such as `patch widgets/status default/a`.
    pub(crate) what: String,
    pub(crate) status: u16,
    /// Whether it writes an Event, a Lease or another object that no oracle compares.
    pub(crate) is_report: bool,
}

impl Answered {
    /// Returns the text of its entry. `more` says what the request changed, or why it was rejected.
    pub(crate) fn text(&self, more: Option<&str>) -> String {
        let more = more.map(|it| format!(" ({it})")).unwrap_or_default();
        format!("{} → {}{more}", self.what, self.status)
    }
}

impl Entry {
    /// Returns the entry as people see it, with the end of the line.
    pub(crate) fn line(&self) -> String {
        let mark = if self.fault { "►" } else { " " };
        let (at, who, text) = (self.at.as_secs_f64(), &self.who, &self.text);
        format!("  {mark} {at:>9.3} s  {who:<10}  {text}\n")
    }

    /// Returns what the entry says, without what differs from run to run.
    pub(crate) fn what(&self) -> String {
        let text = self.text.split(" (").next().unwrap_or_default();
        format!("{} {text}", self.who)
    }

    /// Returns the entry as docs/simulation.md describes it, for other programs.
    pub(crate) fn json(&self) -> Value {
        let mut fields = Map::new();
        let kind = match self.who.trim() {
            _ if self.fault => "fault",
            "user" if self.text.starts_with("begins phase ") => "phase",
            "user" => "user",
            "cluster" => "cluster",
            "simulation" => "simulation",
            "its cache" => "cache",
            _ => self.request(&mut fields),
        };
        let text = self.text.as_str();
        let mut json = json!({"at": self.at.as_secs_f64(), "who": self.who.trim(), "kind": kind, "text": text});
        if let Some(json) = json.as_object_mut() {
            json.append(&mut fields);
        }
        json
    }

    /// Returns what a line about a replica of the operator is about, and adds its parts to `fields`.
    fn request(&self, fields: &mut Map<String, Value>) -> &'static str {
        let (what, status) = match self.text.split_once(" → ") {
            Some((what, status)) => (what, status.split(' ').next()),
            None => (self.text.as_str(), None),
        };
        let status = status.and_then(|status| status.parse::<u16>().ok());
        let (kind, names): (_, &[&str]) = match (status, what.strip_prefix("event ")) {
            (Some(_), _) => ("request", &["verb", "resource", "object"]),
            (None, Some(_)) => ("event", &["", "type", "resource", "object"]),
            (None, None) => return "process",
        };
        let what = what.split(" (resourceVersion").next().unwrap_or_default();
        for (name, word) in names.iter().zip(what.split(' ')) {
            if !name.is_empty() {
                fields.insert((*name).to_owned(), word.into());
            }
        }
        if let Some(status) = status {
            fields.insert("status".to_owned(), status.into());
        }
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_as_json_have_the_parts_of_requests_and_events() {
        let json = |text: &str| {
            let entry = Entry {
                at: Duration::from_millis(1500),
                who: "operator".to_owned(),
                text: text.to_owned(),
                fault: false,
                answered: None,
            };
            entry.json()
        };
        let text = "patch widgets/status default/a → 409";
        assert_eq!(
            json(text),
            json!({"at": 1.5, "who": "operator", "kind": "request", "text": text, "verb": "patch", "resource": "widgets/status", "object": "default/a", "status": 409})
        );
        let text = "event ADDED widgets default/a (resourceVersion 3)";
        assert_eq!(
            json(text),
            json!({"at": 1.5, "who": "operator", "kind": "event", "text": text, "type": "ADDED", "resource": "widgets", "object": "default/a"})
        );
        assert_eq!(json("has crashed")["kind"], "process");
    }
}
