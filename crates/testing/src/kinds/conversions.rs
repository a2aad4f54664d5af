//! The results of conversion webhooks over HTTP, and the conversions that requests wait for.

use std::{cell::RefCell, collections::HashMap, mem, sync::Arc};

use serde_json::Value;

use crate::kinds::kind::Kind;

/// More results than these are not kept between requests.
const KEPT: usize = 10_000;

/// The results of conversion webhooks, and the conversions that requests wait for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversions {
    known: HashMap<String, Value>,
    wanted: RefCell<Vec<Wanted>>,
}

/// A conversion that a request waits for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) kind: Arc<Kind>,
    pub(crate) version: String,
    pub(crate) key: String,
    pub(crate) object: Value,
}

impl Conversions {
    /// Returns the result of a conversion, if its webhook has been called.
    pub(crate) fn known(&self, key: &str) -> Option<&Value> {
        self.known.get(key)
    }

    pub(crate) fn keep(&mut self, results: impl Iterator<Item = (String, Value)>) {
        if self.known.len() > KEPT {
            self.known.clear();
        }
        self.known.extend(results);
    }

    /// Notes a conversion that a request waits for.
    pub(crate) fn want(&self, wanted: Wanted) {
        self.wanted.borrow_mut().push(wanted);
    }

    /// Returns the conversions that were wanted since the last call.
    pub(crate) fn take_wanted(&mut self) -> Vec<Wanted> {
        mem::take(self.wanted.get_mut())
    }
}
