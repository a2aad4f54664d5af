//! What the server has answered: what is counted, and what the oracles see of it.

use serde_json::Value;
use tokio::time::Instant;

use super::{Child, World, history::count};
use crate::{
    faults::drifts,
    oracles::{Answer, Moment},
    request::Seen,
    schedule::{Point, PointKind},
    state::text,
    timeline::{Answered, Effect, Happening, Rejection, Warning},
};

impl World {
    /// Returns whether the operator sends more requests than allowed, and counts this one.
    pub(crate) fn is_storm(&self, seen: &Seen) -> bool {
        let limit = self.setup.requests_per_second;
        // While something is delayed, an operator may do again and again what an old view asks for; after that, a back-off has to become rare.
        let is_counted = Instant::now() >= self.clock.active() + self.setup.quiet / 2
            && !seen.is_report()
            && !matches!(seen.verb, "list" | "watch");
        let object = is_counted.then(|| format!("{} {}", seen.resource, seen.place()));
        let storm = self.link.count(self.clock.elapsed().as_secs(), object) > limit;
        if storm {
            let last = seen.point(0).what().to_string();
            self.judge.notice(Moment::Storm { limit, last });
        }
        storm
    }

    /// Names the object of a request as the counts do.
    fn key(&self, seen: &Seen) -> String {
        let place = seen.place();
        let generated = self.history.lock().generated.get(&place).cloned();
        let place = generated.unwrap_or(place);
        let place = self.names.general(&place).unwrap_or(place);
        let slash = if seen.group.is_empty() { "" } else { "/" };
        format!("{}{slash}{} {place}", seen.group, seen.resource)
    }

    /// Records the result of a request. Returns whether it created an object that was collected at once, since its owner does not exist.
    pub(crate) fn answered(
        &self,
        point: &Point,
        seen: &Seen,
        status: u16,
        effect: bool,
        answer: &[u8],
    ) -> bool {
        let rejection = Rejection::read(status, answer);
        self.log(|| {
            let why = rejection.clone().map(Effect::Rejected);
            let answered = Answered {
                point: point.clone(),
                status,
                is_report: seen.is_report(),
                warning: (seen.resource == "events" && effect)
                    .then(|| Warning::read(answer))
                    .flatten(),
                effect: why.unwrap_or_else(|| seen.changes(status, effect, answer)),
                deleted_owner: self.deleted_owner(status, answer),
            };
            Happening::Request(self.name(point.replica), answered)
        });
        self.history.note(point, |passed| {
            passed.effect = effect;
            passed.status = status;
            if self.is_reference {
                passed.rejection.clone_from(&rejection);
                passed.note_asked(seen, answer);
            }
        });
        let mut answered = Answer {
            point,
            seen,
            status,
            effect,
            rejection: rejection.as_ref(),
            object: &Value::Null,
            key: "",
            is_free: false,
            is_collected: false,
        };
        if seen.kind() == PointKind::Read || seen.is_report() {
            if self.is_reference && effect && seen.resource == "events" {
                self.history.counts_warning(answer);
            }
            self.judge.answered(&self.run(), &answered);
            return false;
        }
        let created = answered.has_created();
        // What exists or is gone already asks for no further attempt.
        let settled = status == 404 || (status == 409 && seen.verb == "create");
        let is_read = created
            || self.detailed
            || seen.subresource == "status"
            || !self.setup.demands.truths.is_empty()
            || !self.setup.free.is_empty()
            || !self.setup.own.is_empty();
        let object = || serde_json::from_slice(answer).unwrap_or_default();
        let object: Value = if is_read && status < 300 {
            object()
        } else {
            Value::Null
        };
        answered.object = &object;
        answered.is_free = effect && status < 300 && self.is_free(seen, &object);
        let is_attempt = status >= 400 && !settled && !self.is_hopeless();
        if (effect && !answered.is_free) || is_attempt {
            self.touch();
        }
        let is_deleted = seen.verb == "delete" && status < 300 && !answered.is_free;
        let key = if created || is_deleted {
            self.key(seen)
        } else {
            String::new()
        };
        answered.key = &key;
        if is_deleted {
            count(&mut self.history.lock().counts, &key).1 += 1;
        }
        if created {
            answered.is_collected = self.created(&answered);
        }
        if answered.is_free && answered.is_collected {
            // The operator goes on until its cache shows that the owner is gone.
            self.touch();
        }
        if answered.is_change() {
            self.history.lock().changes += 1;
        }
        self.judge.answered(&self.run(), &answered);
        answered.is_collected
    }

    /// Notes a new object, and returns whether it was collected at once.
    fn created(&self, answer: &Answer<'_>) -> bool {
        let Answer {
            point,
            seen,
            object,
            key,
            is_free,
            ..
        } = *answer;
        let owners = object
            .pointer("/metadata/ownerReferences")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let owned = !owners.is_empty();
        let is_owner = |other: &Value| {
            let uid = text(other, "/metadata/uid");
            let mut owners = owners.iter();
            owners.any(|owner| text(owner, "/uid") == uid).then_some(())
        };
        // A cache that shows the owner a little longer makes operators create a child of a deleted one. It is collected at once.
        let is_collected = owned && self.server.filter_map(is_owner).is_empty();
        if seen.name.ends_with('*') {
            let name = format!("{}/{}", seen.namespace, text(object, "/metadata/name"));
            let mut history = self.history.lock();
            history.generated.insert(name, seen.place());
        }
        if !is_collected && !is_free {
            count(&mut self.history.lock().counts, key).0 += 1;
            let ttl = object.pointer("/spec/ttlSecondsAfterFinished");
            let child = seen.object_path().map(|path| Child {
                path: self.general_path(path),
                drifts: drifts(&seen.sent()),
                is_owned: owned,
                expires: ttl.is_some(),
            });
            self.history.note(point, |passed| passed.child = child);
        }
        self.replaces(seen, object);
        if is_collected {
            self.log(|| Happening::Cluster {
                object: key.to_owned(),
                what: "is collected: no object has the uid of its owner reference",
            });
        }
        is_collected
    }
}
