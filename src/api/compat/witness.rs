//! Finds objects that prove a change: accepted before and rejected after, as small as they get.
//!
//! An object may be rejected for several changes at once, so each candidate is graded against a release with this change alone: best is one that
//! only this change rejects, then one that other changes reject too, then one whose rejection other changes hide. The first candidates that the
//! place of the change suggests are tried in order; after a proof, a few more may give a better one.
use kube_codegen_schema::Cause;
use serde_json::Value;

use super::{
    candidates,
    focus::Focus,
    proof::{Proof, Witness},
    shrink::shrink,
    side::{RANDOM, Side},
};

/// How many objects a search tries at most.
const TRIES: usize = 600;
/// How many more objects a search tries once it has one that other changes reject, too.
const PATIENCE: usize = 100;

/// What a search found.
pub(super) struct Search {
    pub(super) witness: Option<Witness>,
    /// How many objects were tried.
    pub(super) tries: usize,
}

/// Searches for an object that `before` accepts and `after` rejects. `only` is the first release with one change of the second one: it
/// has to reject the object, too, so that the object is about this change.
pub(super) fn rejected(
    before: &Side<'_>,
    after: &Side<'_>,
    only: Option<&Side<'_>>,
    focus: Option<&Focus<'_>>,
) -> Search {
    let mut tries = 0;
    let sides = Sides::new(before, after, only);
    let found = focus.and_then(|focus| {
        let objects = candidates::at(before, sides.only, focus, TRIES, &mut tries);
        sides.best(objects)
    });
    let found = found.or_else(|| {
        tries += usize::try_from(RANDOM).unwrap_or_default();
        sides.best(before.disputed(after).iter().cloned())
    });
    let witness = found.map(|(object, grade)| sides.proved(object, grade));
    Search { witness, tries }
}

/// As [`rejected`], among these objects.
pub(super) fn rejected_of(
    before: &Side<'_>,
    after: &Side<'_>,
    only: Option<&Side<'_>>,
    objects: Vec<Value>,
) -> Search {
    let sides = Sides::new(before, after, only);
    let tries = objects.len();
    let found = sides.best(objects.into_iter());
    let witness = found.map(|(object, grade)| sides.proved(object, grade));
    Search { witness, tries }
}

/// Both releases, and the first one with one change alone.
struct Sides<'s, 'a> {
    before: &'s Side<'a>,
    after: &'s Side<'a>,
    only: &'s Side<'a>,
}

/// How well an object shows that one change rejects it, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    /// The second release rejects it for what other changes say: they hide this one.
    Hidden,
    /// Other changes reject it, too.
    Shared,
    /// Only this change rejects it.
    Alone,
}

impl<'s, 'a> Sides<'s, 'a> {
    fn new(before: &'s Side<'a>, after: &'s Side<'a>, only: Option<&'s Side<'a>>) -> Self {
        Self {
            before,
            after,
            only: only.unwrap_or(after),
        }
    }

    /// Returns how well an object proves the change; `None` if it does not.
    fn grade(&self, object: &Value) -> Option<Grade> {
        let causes = self.only.rejections(object);
        let is_proof = !causes.is_empty()
            && self.before.dropped(object).is_empty()
            && self.before.rejections(object).is_empty();
        if !is_proof {
            return None;
        }
        if std::ptr::eq(self.only, self.after) {
            return Some(Grade::Alone);
        }
        let messages = self.after.rejections(object);
        let shared = messages.iter().filter(|it| causes.contains(it)).count();
        match shared {
            _ if messages.is_empty() => None,
            0 => Some(Grade::Hidden),
            some if some == messages.len() => Some(Grade::Alone),
            _ => Some(Grade::Shared),
        }
    }

    /// Returns the object that proves the change best; of those that come some time after the first one, none is tried.
    fn best(&self, objects: impl Iterator<Item = Value>) -> Option<(Value, Grade)> {
        let mut best: Option<(Value, Grade)> = None;
        let mut left = PATIENCE;
        for object in objects {
            if self.before.is_spent() {
                break;
            }
            if best.is_some() {
                if left == 0 {
                    break;
                }
                left -= 1;
            }
            let Some(grade) = self.grade(&object) else {
                continue;
            };
            if best.as_ref().is_none_or(|(_, known)| grade > *known) {
                best = Some((object, grade));
            }
            if grade == Grade::Alone {
                break;
            }
        }
        best
    }

    /// Makes a witness of an object that is rejected, as small as it proves the same as well.
    fn proved(&self, object: Value, grade: Grade) -> Witness {
        let causes = self.only.rejections(&object);
        let is_one = |cause: &Cause| {
            let mut causes = causes.iter();
            causes.any(|first| first.reason == cause.reason && place(first) == place(cause))
        };
        let object = shrink(object, &|object| {
            self.only.rejections(object).iter().any(is_one)
                && self.grade(object).is_some_and(|it| it >= grade)
        });
        let causes = self.only.rejections(&object);
        let mut messages = self.after.rejections(&object);
        messages.retain(|it| causes.contains(it));
        // What this change alone says, if others hide it.
        let messages = if messages.is_empty() {
            causes
        } else {
            messages
        };
        let messages = messages.iter().map(Cause::to_string).collect();
        let stored = self.before.stored(&object);
        let ratchets = self.only.update_rejections(&stored).is_empty();
        let proof = Proof::Rejected { messages, ratchets };
        Witness { object, proof }
    }
}

/// Searches for an object that `after` accepts and `before` rejects. `only` is the second release without one change.
pub(super) fn accepted(
    before: &Side<'_>,
    after: &Side<'_>,
    only: Option<&Side<'_>>,
    focus: Option<&Focus<'_>>,
) -> Search {
    let mut search = rejected(after, before, only, focus);
    if let Some(witness) = &mut search.witness
        && let Proof::Rejected { messages, .. } = &mut witness.proof
    {
        let messages = std::mem::take(messages);
        witness.proof = Proof::Accepted { messages };
    }
    search
}

/// Returns the field of a cause without indexes.
pub(super) fn place(cause: &Cause) -> String {
    without_indexes(&cause.field)
}

pub(super) fn without_indexes(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|c| {
            inside = (inside && *c != ']') || *c == '[';
            !inside && *c != ']'
        })
        .collect()
}
