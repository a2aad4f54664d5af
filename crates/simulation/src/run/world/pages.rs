//! Lists whose second page expires.

use serde_json::Value;

use super::{Passed, World};
use crate::{request::Seen, schedule::Point, state::text};

/// How a run without faults has asked for the objects of a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asked {
    /// In pages.
    Pages {
        /// The path with its query, with pages of one object.
        path: String,
        /// Whether there was more than one object.
        several: bool,
    },
    /// By a watch.
    Stream,
}

/// A list that is still to come.
#[derive(Debug)]
pub(super) struct Cut {
    replica: usize,
    resource: String,
    /// Of the fault.
    pub(super) point: Point,
}

impl World {
    /// Lets the next list of a resource have pages of one object, the second of which expires.
    pub(crate) fn cut_list(&self, replica: usize, resource: &str, point: &Point) {
        self.lock().cuts.push(Cut {
            replica,
            resource: resource.to_owned(),
            point: point.clone(),
        });
    }

    /// Returns the path and the query of a list with pages of one object, if its second page is to expire.
    pub(crate) fn cut(&self, replica: usize, seen: &Seen) -> Option<String> {
        let inner = self.lock();
        let is_this = |cut: &Cut| cut.replica == replica && cut.resource == seen.resource;
        inner.cuts.iter().find(|cut| is_this(cut))?;
        seen.with_small_pages()
    }

    /// Lets the second page expire, if there is one.
    pub(crate) fn expire_page(&self, replica: usize, seen: &Seen, answer: &[u8]) {
        let list: Value = serde_json::from_slice(answer).unwrap_or_default();
        if self.server.expire_list(text(&list, "/metadata/continue")) {
            let mut inner = self.lock();
            let is_other = |cut: &Cut| cut.replica != replica || cut.resource != seen.resource;
            let before = inner.cuts.len();
            inner.cuts.retain(is_other);
            inner.applied += before - inner.cuts.len();
        }
    }
}

impl Passed {
    /// Notes how objects were asked for.
    pub(super) fn note_asked(&mut self, seen: &Seen, answer: &[u8]) {
        self.asked = if seen.is_streaming_list() {
            Some(Asked::Stream)
        } else if let Some(path) = seen.with_small_pages() {
            let list: Value = serde_json::from_slice(answer).unwrap_or_default();
            let items = list.get("items").and_then(Value::as_array);
            let several = items.is_some_and(|items| items.len() > 1);
            Some(Asked::Pages { path, several })
        } else {
            None
        };
    }
}
