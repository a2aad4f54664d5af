//! When a failed item may come back: delays per item, over all items, and the longer of both. Keeps counts, holds no items' content.
use parking_lot::Mutex;
use std::{collections::HashMap, hash::Hash, time::Duration};
use tokio::time::Instant;

/// Decides how long an item has to wait before its next try.
pub trait RateLimiter<T>: Send + Sync + 'static {
    /// The delay of the next try; counts as a try.
    fn when(&self, item: &T) -> Duration;

    /// The item needs no more tries, or has had its last.
    fn forget(&self, item: &T);

    /// Tries since the item was last forgotten.
    fn num_requeues(&self, item: &T) -> u32;
}

/// Per item: a base delay that doubles with each try, up to a maximum.
#[derive(Debug)]
pub struct ExponentialLimiter<T> {
    base: Duration,
    max: Duration,
    failures: Mutex<HashMap<T, u32>>,
}

impl<T> ExponentialLimiter<T> {
    /// Delays of `base`, 2 × `base`, 4 × `base` … `max`.
    pub fn new(base: Duration, max: Duration) -> Self {
        Self {
            base,
            max,
            failures: Mutex::new(HashMap::new()),
        }
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> RateLimiter<T> for ExponentialLimiter<T> {
    fn when(&self, item: &T) -> Duration {
        let mut failures = self.failures.lock();
        let count = failures.entry(item.clone()).or_insert(0);
        let factor = 1_u32.checked_shl(*count).unwrap_or(u32::MAX);
        *count = count.saturating_add(1);
        self.base.saturating_mul(factor).min(self.max)
    }

    fn forget(&self, item: &T) {
        self.failures.lock().remove(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.failures.lock().get(item).copied().unwrap_or(0)
    }
}

/// Over all items: so many tries per second on the whole, with a burst at the start or after a quiet time.
#[derive(Debug)]
pub struct TokenBucket {
    /// Time that one token takes to come back.
    interval: Duration,
    burst: u32,
    /// The bucket as one number: when it would be full if nothing more were taken.
    full_at: Mutex<Option<Instant>>,
}

impl TokenBucket {
    /// `per_second` tries after a burst of `burst`. A rate that is not above zero is taken as one per hour.
    pub fn new(per_second: f64, burst: u32) -> Self {
        let interval = Duration::try_from_secs_f64(1.0 / per_second)
            .unwrap_or(Duration::from_secs(3600))
            .min(Duration::from_secs(3600));
        Self {
            interval,
            burst: burst.max(1),
            full_at: Mutex::new(None),
        }
    }

    /// Takes one token and tells how long to wait for it.
    pub(crate) fn reserve(&self) -> Duration {
        let now = Instant::now();
        let mut full_at = self.full_at.lock();
        let full = full_at.map_or(now, |at| at.max(now)) + self.interval;
        *full_at = Some(full);
        (full - now).saturating_sub(self.interval.saturating_mul(self.burst))
    }

    /// Takes one token if there is one.
    pub(crate) fn try_take(&self) -> bool {
        let now = Instant::now();
        let mut full_at = self.full_at.lock();
        let full = full_at.map_or(now, |at| at.max(now)) + self.interval;
        let allowed = full - now <= self.interval.saturating_mul(self.burst);
        if allowed {
            *full_at = Some(full);
        }
        allowed
    }
}

impl<T> RateLimiter<T> for TokenBucket {
    fn when(&self, _: &T) -> Duration {
        self.reserve()
    }

    fn forget(&self, _: &T) {}

    fn num_requeues(&self, _: &T) -> u32 {
        0
    }
}

/// The longer of two delays.
#[derive(Debug)]
pub struct MaxOf<A, B>(pub A, pub B);

impl<T, A: RateLimiter<T>, B: RateLimiter<T>> RateLimiter<T> for MaxOf<A, B> {
    fn when(&self, item: &T) -> Duration {
        self.0.when(item).max(self.1.when(item))
    }

    fn forget(&self, item: &T) {
        self.0.forget(item);
        self.1.forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.0.num_requeues(item).max(self.1.num_requeues(item))
    }
}

/// client-go's default: per item 5 ms doubling to 1,000 s, over all items 10 per second after a burst of 100.
pub fn default_limiter<T: Eq + Hash + Clone + Send + 'static>() -> impl RateLimiter<T> {
    MaxOf(
        ExponentialLimiter::new(Duration::from_millis(5), Duration::from_secs(1000)),
        TokenBucket::new(10.0, 100),
    )
}
