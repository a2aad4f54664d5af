//! Rate limiters of retries: per item, over all items, and the longer delay of two limiters.
use std::{collections::HashMap, hash::Hash, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;

/// Decides how long to wait before an item's next retry.
pub trait RateLimiter<T>: Send + Sync + 'static {
    /// Returns the delay before the next retry, and counts the retry.
    fn when(&self, item: &T) -> Duration;

    /// Resets the retry count, because the item succeeded or is not retried any more.
    fn forget(&self, item: &T);

    /// Returns the number of retries since the last [`forget`](Self::forget).
    fn num_requeues(&self, item: &T) -> u32;
}

/// A per-item delay that doubles with each retry, up to a maximum.
#[derive(Debug)]
pub struct ExponentialLimiter<T> {
    base: Duration,
    max: Duration,
    failures: Mutex<HashMap<T, u32>>,
}

impl<T> ExponentialLimiter<T> {
    /// Creates a limiter with the delays `base`, 2 × `base`, 4 × `base` … `max`.
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

/// An overall rate for all items together, with a burst at the start or after a pause.
#[derive(Debug)]
pub struct TokenBucket {
    /// Time until one token is available again.
    interval: Duration,
    burst: u32,
    /// When the bucket will be full if no further token is taken.
    full_at: Mutex<Option<Instant>>,
}

impl TokenBucket {
    /// Creates a limiter that allows a burst of `burst` retries, and then `per_second`. A rate of zero or less counts as one per hour.
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

    /// Takes one token and returns the delay until it is available.
    pub(crate) fn reserve(&self) -> Duration {
        let now = Instant::now();
        let mut full_at = self.full_at.lock();
        let full = full_at.map_or(now, |at| at.max(now)) + self.interval;
        *full_at = Some(full);
        (full - now).saturating_sub(self.interval.saturating_mul(self.burst))
    }

    /// Takes one token if one is available.
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

/// Combines two limiters and uses the longer delay.
///
/// ```
/// use kube_codegen_runtime::queue::{ExponentialLimiter, MaxOf, RateLimiter, TokenBucket};
/// use std::time::Duration;
///
/// let limiter = MaxOf(
///     ExponentialLimiter::new(Duration::from_secs(1), Duration::from_secs(60)),
///     TokenBucket::new(10.0, 100),
/// );
/// assert_eq!(limiter.when(&"a"), Duration::from_secs(1));
/// assert_eq!(limiter.when(&"a"), Duration::from_secs(2));
/// ```
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

/// Returns client-go's default limiter: 5 ms doubling to 1,000 s per item, and ten retries per second over all items after a burst of 100.
pub fn default_limiter<T: Eq + Hash + Clone + Send + 'static>() -> impl RateLimiter<T> {
    MaxOf(
        ExponentialLimiter::new(Duration::from_millis(5), Duration::from_secs(1000)),
        TokenBucket::new(10.0, 100),
    )
}
