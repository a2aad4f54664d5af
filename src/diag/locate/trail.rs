//! The way of a scan through a text, and the wanted places that it passes.
use super::{Place, Position, Spot};
use crate::diag::pointer;
use std::collections::HashMap;

/// The places wanted of a source, the way at hand, and what was found.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// The stop at the root of each document in which something is wanted.
    documents: HashMap<usize, usize>,
    /// Every wanted place, and all above it.
    stops: Vec<Stop>,
    /// The stops on the way, from the root of the document on; none where nothing is wanted, nor below.
    way: Vec<Option<usize>>,
    /// How many stops are not found yet.
    left: usize,
}

/// A place that is wanted, or above one.
#[derive(Debug, Default)]
struct Stop {
    below: HashMap<String, usize>,
    spot: Option<Spot>,
}

impl Trail {
    /// Wants a place and all above it.
    pub(super) fn want(&mut self, place: &Place) {
        let Self {
            documents, stops, ..
        } = self;
        let mut at = *documents
            .entry(place.document)
            .or_insert_with(|| add(stops));
        for step in pointer::steps(&place.pointer) {
            at = if let Some(below) = stops[at].below.get(&step) {
                *below
            } else {
                let below = add(stops);
                stops[at].below.insert(step, below);
                below
            };
        }
        self.left = self.stops.len();
    }

    /// Begins again.
    pub(super) fn forget(&mut self) {
        for stop in &mut self.stops {
            stop.spot = None;
        }
        self.left = self.stops.len();
        self.document(0);
    }

    /// Begins a document.
    pub(super) fn document(&mut self, index: usize) {
        self.way.clear();
        self.way.push(self.documents.get(&index).copied());
    }

    /// Goes a step down; give what it returns to [`Trail::up`].
    pub(super) fn name(&mut self, name: &str) -> usize {
        self.down(|stop| stop.below.get(name).copied())
    }

    /// Goes a step down into a list.
    pub(super) fn index(&mut self, index: usize) -> usize {
        self.down(|stop| stop.below.get(&index.to_string()).copied())
    }

    fn down(&mut self, below: impl FnOnce(&Stop) -> Option<usize>) -> usize {
        let here = self.way.len();
        let stop = self.stop().map(|at| &self.stops[at]);
        self.way.push(stop.and_then(below));
        here
    }

    fn stop(&self) -> Option<usize> {
        self.way.last().copied().flatten()
    }

    /// Goes back up.
    pub(super) fn up(&mut self, here: usize) {
        self.way.truncate(here);
    }

    /// Notes where the node at hand stands; of a key written twice, the last that is passed counts.
    pub(super) fn here(&mut self, key: Option<Position>, value: Position) {
        if let Some(at) = self.stop() {
            let before = self.stops[at].spot.replace(Spot { key, value });
            self.left -= usize::from(before.is_none());
        }
    }

    /// Whether all is found.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0
    }

    /// The place, or what is nearest above it; and whether it is the place itself.
    pub(super) fn nearest(&self, place: &Place) -> Option<(Spot, bool)> {
        let mut at = *self.documents.get(&place.document)?;
        let mut nearest = self.stops[at].spot?;
        for step in pointer::steps(&place.pointer) {
            at = *self.stops[at].below.get(&step)?;
            match self.stops[at].spot {
                Some(spot) => nearest = spot,
                None => return Some((nearest, false)),
            }
        }
        Some((nearest, true))
    }
}

fn add(stops: &mut Vec<Stop>) -> usize {
    stops.push(Stop::default());
    stops.len() - 1
}
