//! The timeline as JSON, for other programs. docs/simulation.md describes the fields.

use serde_json::{Value, json};

use super::{Change, Deed, Effect, Entry, Happening, Lagging, Process};
use crate::schedule::Point;

impl Entry {
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
                    Effect::Rejected(why) => fields["reason"] = why.message.as_str().into(),
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
            Happening::Outside(it) => {
                let mut fields = json!({"object": it.object, "change": it.change.name()});
                if let Change::Changes(changes) = &it.change {
                    let paths = changes.iter().map(|it| it.path.as_str());
                    fields["changes"] = paths.collect::<Vec<_>>().into();
                }
                ("outside", fields)
            }
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

impl Change {
    fn name(&self) -> &'static str {
        match self {
            Self::Appears(_) => "appears",
            Self::Changes(_) => "changes",
            Self::Disappears => "disappears",
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
    use std::time::Duration;

    use super::*;
    use crate::{
        faults::Fault,
        schedule::Verb,
        state::Difference,
        timeline::{Answered, Outside, Rejection, Replica},
    };

    #[test]
    fn entries_as_json_have_their_parts() {
        let json = |what: Happening| {
            let at = Duration::from_millis(1500);
            Entry { at, what }.json()
        };
        let answered = Answered {
            point: Point::example(Verb::Patch, "widgets/status", "default/a → 200"),
            status: 409,
            is_report: false,
            warning: None,
            effect: Effect::Rejected(Rejection {
                message: "a → 200".to_owned(),
                causes: Vec::new(),
            }),
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
        let point = Point::example(Verb::Added, "widgets", "default/a");
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
        let changes = vec![Difference {
            object: "machines a".to_owned(),
            path: "size".to_owned(),
            expected: Some("1".to_owned()),
            found: None,
        }];
        let outside = Happening::Outside(Outside {
            object: "machines a".to_owned(),
            change: Change::Changes(changes),
        });
        assert_eq!(
            json(outside),
            json!({
                "at": 1.5, "who": "outside", "kind": "outside", "object": "machines a", "change": "changes", "changes": ["size"],
                "text": "machines a changes: size 1 → (absent)",
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
}
