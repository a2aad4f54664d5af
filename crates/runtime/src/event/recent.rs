//! A map whose entries expire when unused, and whose oldest entries are evicted when it is full.
use std::{collections::HashMap, hash::Hash, time::Duration};

use tokio::time::Instant;

pub(super) struct Recent<K, V> {
    entries: HashMap<K, (Instant, V)>,
    lifetime: Duration,
    capacity: usize,
}

impl<K: Eq + Hash + Clone, V> Recent<K, V> {
    pub(super) fn new(lifetime: Duration, capacity: usize) -> Self {
        Self {
            entries: HashMap::new(),
            lifetime,
            capacity,
        }
    }

    /// Returns the entry of `key`, or a new one if it is absent or expired, and extends its lifetime.
    pub(super) fn touch(&mut self, key: &K, now: Instant, new: impl FnOnce() -> V) -> &mut V {
        if self
            .entries
            .get(key)
            .is_some_and(|(touched, _)| *touched + self.lifetime <= now)
        {
            self.entries.remove(key);
        }
        if self.entries.len() >= self.capacity && !self.entries.contains_key(key) {
            self.evict(now);
        }
        let (touched, value) = self
            .entries
            .entry(key.clone())
            .or_insert_with(|| (now, new()));
        *touched = now;
        value
    }

    pub(super) fn remove(&mut self, key: &K) {
        self.entries.remove(key);
    }

    /// Removes expired entries; if there are none, the older half, so that evictions stay rare.
    fn evict(&mut self, now: Instant) {
        let lifetime = self.lifetime;
        self.entries
            .retain(|_, (touched, _)| *touched + lifetime > now);
        if self.entries.len() >= self.capacity {
            let mut times: Vec<_> = self.entries.values().map(|(touched, _)| *touched).collect();
            let middle = times.len() / 2;
            let (_, median, _) = times.select_nth_unstable(middle);
            let (median, capacity) = (*median, self.capacity);
            self.entries.retain(|_, (touched, _)| *touched > median);
            debug_assert!(self.entries.len() < capacity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn entries_expire_and_are_evicted() {
        let mut recent = Recent::new(Duration::from_secs(10), 4);
        *recent.touch(&0, Instant::now(), || 0) += 1;
        tokio::time::advance(Duration::from_secs(9)).await;
        *recent.touch(&0, Instant::now(), || 0) += 1;
        tokio::time::advance(Duration::from_secs(9)).await;
        assert_eq!(
            *recent.touch(&0, Instant::now(), || 0),
            2,
            "use extends the lifetime"
        );
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(*recent.touch(&0, Instant::now(), || 0), 0, "expired");
        for key in 1..100 {
            tokio::time::advance(Duration::from_millis(1)).await;
            recent.touch(&key, Instant::now(), || key);
            assert!(recent.entries.len() <= 4);
        }
        assert!(recent.entries.contains_key(&99));
    }
}
