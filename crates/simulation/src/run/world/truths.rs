//! What the fields that the author has named could say: the operator sees the past, but nothing that has never been.

use std::collections::BTreeMap;

use serde_json::Value;

use super::World;
use crate::{
    oracle::{Failure, Oracle},
    state::{id, text},
};

/// What each field of each object could say so far, by its number and the uid of the object.
pub(super) type Truths = BTreeMap<(usize, String), Vec<Value>>;

impl World {
    /// Notes what is there when the run begins, which the operator may have reported before.
    pub(crate) fn begin_truths(&self) {
        self.note_truths();
        let mut inner = self.lock();
        for (number, truth) in self.setup.truths.iter().enumerate() {
            let said = self.server.filter_map(|object| {
                let is_of = text(object, "/kind") == truth.kind;
                let said = object.pointer(&truth.field)?.clone();
                is_of.then(|| (text(object, "/metadata/uid").to_owned(), said))
            });
            for (uid, said) in said {
                inner.truths.entry((number, uid)).or_default().push(said);
            }
        }
    }

    /// Notes what is so after a change.
    pub(super) fn note_truths(&self) {
        for (number, truth) in self.setup.truths.iter().enumerate() {
            let is_of = |object: &Value| text(object, "/kind") == truth.kind;
            let objects = self
                .server
                .filter_map(|object| is_of(object).then(|| object.clone()));
            for object in objects {
                let now = (truth.expected)(&self.server, &object);
                let key = (number, text(&object, "/metadata/uid").to_owned());
                let mut inner = self.lock();
                let known = inner.truths.entry(key).or_default();
                if !known.contains(&now) {
                    known.push(now);
                }
            }
        }
    }

    /// Checks what the operator has written about an object.
    pub(super) fn check_truths(&self, object: &Value) {
        let uid = text(object, "/metadata/uid");
        for (number, truth) in self.setup.truths.iter().enumerate() {
            let said = object.pointer(&truth.field).filter(|it| !it.is_null());
            let Some(said) = said.filter(|_| text(object, "/kind") == truth.kind) else {
                continue;
            };
            let known = self.lock().truths.get(&(number, uid.to_owned())).cloned();
            if known.is_some_and(|known| !known.contains(said)) {
                let (id, field) = (id(object), &truth.field);
                let message = format!("{id}: {field} says {said}, which has never been so");
                self.fail(Failure::new(Oracle::Truth, message));
            }
        }
    }
}
