//! Values counted in buckets, as Prometheus does.
use std::time::Duration;

/// A histogram with buckets, as in Prometheus. Values are durations in seconds, or numbers of items.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    bounds: &'static [f64],
    /// The values of each bucket alone; the last one is of those above all bounds.
    counts: Box<[u64]>,
    sum: f64,
}

impl Histogram {
    /// Creates an empty histogram. `bounds` are the upper bounds of the buckets, ascending.
    pub fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            counts: vec![0; bounds.len() + 1].into(),
            sum: 0.0,
        }
    }

    /// Counts one value.
    pub fn observe(&mut self, value: f64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.counts[bucket] += 1;
        self.sum += value;
    }

    /// Counts one duration, in seconds.
    pub fn observe_duration(&mut self, duration: Duration) {
        self.observe(duration.as_secs_f64());
    }

    /// Counts one number of items.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 items")]
    pub fn observe_items(&mut self, items: usize) {
        self.observe(items as f64);
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the sum of the values.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Returns each bucket's upper bound, and the number of values in that bucket only. The last bound is infinite.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        bounds.zip(self.counts.iter().copied())
    }

    /// Returns the number of values up to and including `bound`, which must be one of the bounds.
    pub fn up_to(&self, bound: f64) -> u64 {
        self.buckets()
            .take_while(|(upper, _)| *upper <= bound)
            .map(|(_, count)| count)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_on_a_bound_belongs_to_its_bucket() {
        let mut histogram = Histogram::new(&[0.1, 1.0]);
        for value in [0.05, 0.1, 0.5, 1.0, 2.0] {
            histogram.observe(value);
        }
        let counts: Vec<_> = histogram.buckets().map(|(_, count)| count).collect();
        assert_eq!(counts, [2, 2, 1]);
        assert_eq!((histogram.up_to(1.0), histogram.count()), (4, 5));
        assert!((histogram.sum() - 3.65).abs() < 1e-9);
    }
}
