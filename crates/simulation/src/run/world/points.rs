//! The choice points of a run: what arrives at them, what goes wrong there, and what is counted.

use std::{hash::Hasher as _, time::Duration};

use fnv::FnvHasher;
use serde_json::Value;
use tokio::time::Instant;

use super::{Move, Passed, World};
use crate::{
    faults::Fault,
    oracle::{Failure, Oracle},
    request::Seen,
    schedule::{Point, PointKind},
    timeline::{Answered, Effect, Happening, Rejection},
};

impl World {
    /// Returns the faults that can happen at a move.
    pub(crate) fn faults_at(&self, next: &Move) -> Vec<Fault> {
        if next.answer || next.point.replica >= self.setup.replicas {
            return Vec::new();
        }
        Fault::enumerated(next.point.kind())
    }

    /// Holds back the faults that have not happened yet, or lets them happen again.
    pub(crate) fn hold_faults(&self, hold: bool) {
        let inner = &mut *self.lock();
        if hold {
            inner.held = std::mem::take(&mut inner.decisions);
        } else {
            inner.decisions = std::mem::take(&mut inner.held);
        }
    }

    /// Counts an arrival at a choice point, whose occurrence is not known yet, and returns the point with what is decided there.
    pub(crate) fn arrive(&self, mut point: Point, report: bool) -> (Point, Vec<Fault>) {
        self.generalize(&mut point);
        let mut inner = self.lock();
        let occurrence = inner.occurrences.entry(point.clone()).or_default();
        *occurrence += 1;
        point.occurrence = *occurrence;
        let faults = inner.decisions.remove(&point).unwrap_or_default();
        let now = faults.iter().filter(|it| !it.act().happens_later());
        inner.applied += now.count();
        if !faults.is_empty() {
            inner.struck = inner.phase;
        }
        let phase = inner.phase;
        inner.passed.push(Passed {
            point: point.clone(),
            phase,
            effect: false,
            status: 0,
            rejection: None,
            report,
            child: None,
            asked: None,
        });
        drop(inner);
        for fault in &faults {
            self.show(&point, fault);
        }
        (point, faults)
    }

    /// Puts `*` in the place of what differs from run to run: the names of Events contain a time.
    fn generalize(&self, point: &mut Point) {
        let general = match point.place.rsplit_once('.') {
            Some((object, _)) if point.resource == "events" => Some(format!("{object}.*")),
            _ => self.names.general(&point.place),
        };
        if let Some(place) = general {
            point.place = place;
        }
    }

    fn show(&self, point: &Point, fault: &Fault) {
        self.log(|| Happening::Fault {
            fault: fault.clone(),
            at: point.clone(),
        });
        self.touch();
    }

    /// Shows a fault that was decided at the turn of a point.
    pub(crate) fn strike(&self, point: &Point, fault: &Fault) {
        self.lock().applied += 1;
        self.show(point, fault);
    }

    /// Returns whether the operator sends more requests than allowed, and counts this one.
    pub(crate) fn is_storm(&self, seen: &Seen) -> bool {
        let now = self.elapsed().as_secs();
        let limit = self.setup.requests_per_second;
        let mut inner = self.lock();
        if inner.second.0 != now {
            inner.second = (now, 0);
        }
        inner.second.1 += 1;
        // While something is delayed, an operator may do again and again what an old view asks for; after that, a back-off has to become rare.
        let is_counted = Instant::now() >= inner.active + self.setup.quiet / 2;
        if is_counted && !seen.is_report() && !matches!(seen.verb, "list" | "watch") {
            let key = format!("{} {}", seen.resource, seen.place());
            *inner.requests.entry(key).or_default() += 1;
        }
        let storm = inner.second.1 > limit;
        drop(inner);
        if storm {
            let message = format!(
                "more than {limit} requests in one second; the last is {}",
                seen.point(0).what()
            );
            self.fail(Failure::new(Oracle::Requests, message));
        }
        storm
    }

    /// Returns a delay that depends on the seed and the point only: 0 to 3 ms.
    pub(crate) fn latency(&self, point: &Point, salt: u64) -> Duration {
        let key = self.seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut hash = FnvHasher::with_key(key);
        let number = u64::from(point.occurrence) + point.replica as u64 * 1000;
        hash.write(point.what().to_string().as_bytes());
        hash.write(&number.to_le_bytes());
        Duration::from_millis((hash.finish() >> 32) & 3)
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
        let mut is_collected = false;
        let replica = point.replica;
        let rejection = Rejection::read(status, answer);
        let answered = |effect: Effect| Answered {
            point: point.clone(),
            status,
            is_report: seen.is_report(),
            effect,
            deleted_owner: self.deleted_owner(status, answer),
        };
        self.log(|| {
            let why = rejection.clone().map(Effect::Rejected);
            let effect = why.unwrap_or_else(|| seen.changes(status, effect, answer));
            Happening::Request(self.name(replica), answered(effect))
        });
        let created = status == 201 && effect;
        {
            let mut inner = self.lock();
            // The point is one of the newest.
            let passed = inner
                .passed
                .iter_mut()
                .rev()
                .find(|passed| passed.point == *point);
            if let Some(passed) = passed {
                passed.effect = effect;
                passed.status = status;
                if self.is_reference {
                    passed.rejection.clone_from(&rejection);
                    passed.note_asked(seen, answer);
                }
            }
        }
        if seen.kind() == PointKind::Read || seen.is_report() {
            if self.is_reference && effect && seen.resource == "events" {
                self.count_warning(answer);
            }
            self.follow_lease(replica, seen);
            return is_collected;
        }
        // What exists or is gone already asks for no further attempt.
        let settled = status == 404 || (status == 409 && seen.verb == "create");
        let is_read = created
            || self.detailed
            || seen.subresource == "status"
            || !self.setup.truths.is_empty()
            || !self.setup.free.is_empty();
        let object = || serde_json::from_slice(answer).unwrap_or_default();
        let object: Value = if is_read { object() } else { Value::Null };
        let is_free = effect && status < 300 && self.is_free(seen, &object);
        let is_attempt = status >= 400 && !settled && !self.is_hopeless();
        if (effect && !is_free) || is_attempt {
            self.touch();
        }
        if status >= 300 {
            if let Some(rejection) = rejection {
                let inner = &mut *self.lock();
                let last = answered(Effect::Rejected(rejection)).to_string();
                inner.refused = (inner.refused.0 + 1, last);
            }
            return is_collected;
        }
        if seen.verb == "delete" && !is_free {
            self.deleted(seen);
        }
        if created {
            is_collected = self.created(point, seen, &object, is_free);
        }
        if is_free && is_collected {
            // The operator goes on until its cache shows that the owner is gone.
            self.touch();
        }
        if effect && !is_collected && !is_free {
            {
                let mut inner = self.lock();
                inner.changes += 1;
                inner.refused.0 = 0;
            }
            if self.detailed {
                self.remember(&object);
            }
            self.leads(replica, &point.what().to_string());
            self.check_truths(&object);
            if seen.subresource == "status" || created {
                self.count_conditions(&object);
            }
            for (name, check) in &self.setup.always {
                if let Err(why) = check(&self.server) {
                    self.fail(Failure::new(Oracle::Always, format!("{name}: {why}")));
                }
            }
        }
        is_collected
    }
}
