//! The way of a scan through a text, and the wanted places that it passes.
use super::{Place, Position, Spot};
use crate::diag::pointer;
use std::collections::{HashMap, HashSet};

/// The pointers wanted of a source, the way at hand, and what was found.
#[derive(Debug, Default)]
pub(super) struct Trail {
    wanted: HashSet<(usize, String)>,
    found: HashMap<(usize, String), Spot>,
    at: (usize, String),
}

impl Trail {
    /// Wants a place and all above it.
    pub(super) fn want(&mut self, place: &Place) {
        let mut pointer = place.pointer.as_str();
        while self.wanted.insert((place.document, pointer.to_owned())) {
            match pointer::parent(pointer) {
                Some(parent) => pointer = parent,
                None => break,
            }
        }
    }

    /// Begins again.
    pub(super) fn forget(&mut self) {
        self.found.clear();
        self.document(0);
    }

    /// Begins a document.
    pub(super) fn document(&mut self, index: usize) {
        self.at.0 = index;
        self.at.1.clear();
    }

    /// Goes a step down; give what it returns to [`Trail::up`].
    pub(super) fn name(&mut self, name: &str) -> usize {
        let here = self.at.1.len();
        pointer::push(&mut self.at.1, name);
        here
    }

    /// Goes a step down into a list.
    pub(super) fn index(&mut self, index: usize) -> usize {
        let here = self.at.1.len();
        pointer::push_index(&mut self.at.1, index);
        here
    }

    /// Goes back up.
    pub(super) fn up(&mut self, here: usize) {
        self.at.1.truncate(here);
    }

    /// Notes where the node at hand stands; of a key written twice, the last counts.
    pub(super) fn here(&mut self, key: Option<Position>, value: Position) {
        if self.wanted.contains(&self.at) {
            self.found.insert(self.at.clone(), Spot { key, value });
        }
    }

    /// The place, or what is nearest above it; and whether it is the place itself.
    pub(super) fn nearest(&self, place: &Place) -> Option<(Spot, bool)> {
        let mut at = (place.document, place.pointer.clone());
        loop {
            if let Some(spot) = self.found.get(&at) {
                return Some((*spot, at.1.len() == place.pointer.len()));
            }
            let parent = pointer::parent(&at.1)?.len();
            at.1.truncate(parent);
        }
    }
}
