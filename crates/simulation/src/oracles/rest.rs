//! An operator at rest writes nothing, and does not wake without a reason.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    check::{Answer, Check, Moment, Notice, Run},
    violation::{Variety, Violation},
};
use crate::{
    plural::counted,
    state::{Mask, State, comparable, differences, id, owner_name, text},
    timeline::{Answered, Effect, Rejection},
};

pub(super) const DEMANDS: &str = "the operator comes to rest";

/// How often a child of an owner that is deleted may be created: until the cache shows the deletion.
const COLLECTED: usize = 20;

/// How often the server may reject writes, without a change in between, until this is why an operator goes on.
const REJECTED: u32 = 10;

/// What the operator has written, to say why it goes on.
#[derive(Default)]
pub(super) struct Rest {
    /// How often an object was created and collected at once, and the owner that it names.
    collected: BTreeMap<String, (usize, String)>,
    /// How often the server has rejected a write since the last change, and the last one with the reason.
    rejected: (u32, String),
    /// The last states of each object that the operator has written, the newest last, and how often; only with details.
    versions: BTreeMap<String, (usize, Vec<Value>)>,
}

impl Check for Rest {
    fn answered(&mut self, run: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        if let Some(rejection) = answer.rejection.filter(|_| answer.is_write()) {
            self.rejected = (self.rejected.0 + 1, shown(answer, rejection));
        }
        if answer.is_collected {
            let owners = answer.object.pointer("/metadata/ownerReferences/0");
            let named = owners.map(owner_name).unwrap_or_default();
            let collected = self.collected.entry(answer.key.to_owned()).or_default();
            *collected = (collected.0 + 1, named);
        }
        if answer.is_change() {
            self.rejected.0 = 0;
            if run.is_detailed {
                self.remember(answer.object);
            }
        }
        Vec::new()
    }

    fn noticed(&self, notice: &Notice<'_>) -> Option<Violation> {
        match notice.0 {
            Moment::Restless(message) => Some(self.endless(message)),
            Moment::Wakes(message) => Some(Violation::new(message).of(Variety::Repeated)),
            _ => None,
        }
    }
}

/// A request that was rejected, for people.
fn shown(answer: &Answer<'_>, rejection: &Rejection) -> String {
    let answered = Answered {
        warning: None,
        point: answer.point.clone(),
        status: answer.status,
        is_report: false,
        effect: Effect::Rejected(rejection.clone()),
        deleted_owner: None,
    };
    answered.to_string()
}

impl Rest {
    fn remember(&mut self, object: &Value) {
        // The answer to a delete.
        if text(object, "/kind") == "Status" {
            return;
        }
        let (count, versions) = self.versions.entry(id(object)).or_default();
        *count += 1;
        versions.push(comparable(object));
        if versions.len() > 3 {
            versions.remove(0);
        }
    }

    /// Says why an operator goes on writing, with the difference of the last two writes to the object that was written most.
    fn endless(&self, message: &str) -> Violation {
        let most = self.collected.iter().max_by_key(|(_, (count, _))| *count);
        if let Some((key, (count, owner))) = most.filter(|(_, (count, _))| *count > COLLECTED) {
            let message = format!(
                "{message}: {key} was created {}, and collected each time, since its owner reference names {owner} with a uid that no object has",
                counted(count, "time")
            );
            return Violation::new(message).of(Variety::UnknownUid);
        }
        let (count, last) = &self.rejected;
        if *count > REJECTED {
            let message = format!(
                "{message}, or tries to: the server has rejected the last {}, such as {last}",
                counted(count, "write")
            );
            return Violation::new(message).of(Variety::Rejected);
        }
        let most = self.versions.iter().max_by_key(|(_, (count, _))| *count);
        let Some((id, (count, versions))) = most else {
            return Violation::new(message);
        };
        let [.., before, last] = versions.as_slice() else {
            return Violation::new(message);
        };
        let of = |object: &Value| State::from([(id.clone(), object.clone())]);
        let found = differences(&of(before), &of(last), &Mask::new());
        let alternates = versions.len() == 3 && versions.first() == Some(last) && before != last;
        let (variety, how) = if alternates {
            let how = ", and goes back and forth between two states";
            (Variety::TwoStates, how)
        } else {
            (Variety::Usual, "")
        };
        let message = format!(
            "{message}: {id} was written {}{how}",
            counted(count, "time")
        );
        Violation::new(message).of(variety).with(found)
    }
}
