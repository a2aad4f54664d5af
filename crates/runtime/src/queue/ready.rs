//! The items that wait for a worker, by priority.
use std::{cmp::Reverse, collections::BTreeMap};

/// Of this number of items taken, one has a lower priority.
const LOWER_PRIORITY_TURN: u32 = 16;

/// Items by priority, highest first; those of one priority are first in, first out.
///
/// Of 16 items taken while several priorities wait, one is the oldest of the lower priorities, so that none waits for ever.
pub(super) struct Ready<T> {
    /// The items of each priority by the order of their arrival. A priority once seen stays, so that its depth is reported as zero.
    classes: BTreeMap<Reverse<i32>, BTreeMap<u64, T>>,
    len: usize,
    /// How many items were taken in a row while one of a lower priority waited.
    passed_over: u32,
}

impl<T> Default for Ready<T> {
    fn default() -> Self {
        Self {
            classes: BTreeMap::new(),
            len: 0,
            passed_over: 0,
        }
    }
}

impl<T> Ready<T> {
    /// Adds an item. `order` grows with each call.
    pub(super) fn push(&mut self, priority: i32, order: u64, item: T) {
        let class = self.classes.entry(Reverse(priority)).or_default();
        class.insert(order, item);
        self.len += 1;
    }

    pub(super) fn remove(&mut self, priority: i32, order: u64) {
        let class = self.classes.get_mut(&Reverse(priority));
        if class.is_some_and(|class| class.remove(&order).is_some()) {
            self.len -= 1;
        }
    }

    /// Takes the next item, with its priority.
    pub(super) fn pop(&mut self) -> Option<(i32, T)> {
        let mut waiting = self
            .classes
            .iter()
            .filter_map(|(priority, class)| Some((*class.first_key_value()?.0, *priority)));
        let (_, mut class) = waiting.next()?;
        let lower = waiting.min();
        self.passed_over = if lower.is_some() {
            self.passed_over + 1
        } else {
            0
        };
        if let Some((_, lower)) = lower
            && self.passed_over == LOWER_PRIORITY_TURN
        {
            self.passed_over = 0;
            class = lower;
        }
        let (_, item) = self.classes.get_mut(&class)?.pop_first()?;
        self.len -= 1;
        Some((class.0, item))
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of items of each priority.
    pub(super) fn depths(&self) -> BTreeMap<i32, usize> {
        let depths = self.classes.iter();
        depths
            .map(|(priority, class)| (priority.0, class.len()))
            .collect()
    }

    /// Returns the first item of each priority.
    pub(super) fn fronts(&self) -> impl Iterator<Item = &T> {
        let fronts = self.classes.values().filter_map(BTreeMap::first_key_value);
        fronts.map(|(_, item)| item)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (i32, &T)> {
        self.classes
            .iter()
            .flat_map(|(priority, class)| class.values().map(|item| (priority.0, item)))
    }
}
