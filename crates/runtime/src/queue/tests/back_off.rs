//! Retries, and events in between.
use tokio::time::timeout;

use super::{MS, SECOND, now};
use crate::queue::*;

/// Fails every attempt of one item while an event arrives every 10 ms, and returns the times of the attempts.
async fn attempts_during_events(queue: &WorkQueue<&'static str>, time: Duration) -> Vec<Duration> {
    let events = {
        let queue = queue.clone();
        tokio::spawn(async move {
            loop {
                queue.add("a");
                tokio::time::sleep(10 * MS).await;
            }
        })
    };
    let began = Instant::now();
    let mut attempts = Vec::new();
    while let Ok(Some(item)) = timeout(time.saturating_sub(began.elapsed()), queue.get()).await {
        attempts.push(began.elapsed());
        queue.add_rate_limited(item);
        queue.done(&item);
    }
    events.abort();
    attempts
}

/// kubernetes#112325: in client-go, this item is retried at each of the 6,000 events, and its back-off has 1,000 s after 180 ms.
#[tokio::test(start_paused = true)]
async fn events_neither_shorten_nor_lengthen_the_back_off() {
    let queue = WorkQueue::new();
    let attempts = attempts_during_events(&queue, 60 * SECOND).await;
    // 5 ms doubles to 40 s in 13 retries; each back-off has one early attempt.
    assert!((20..=30).contains(&attempts.len()), "{attempts:?}");
    assert_eq!(queue.num_requeues(&"a"), 14);
    let ends: u64 = (0..13).map(|n| 5 << n).sum();
    let last = attempts.last().unwrap().as_millis();
    assert!(
        (u128::from(ends)..u128::from(ends) + 100).contains(&last),
        "{attempts:?}"
    );
    assert_eq!(
        timeout(20 * SECOND, queue.get()).await.ok(),
        None,
        "the back-off of 41 s has not ended"
    );
    assert_eq!(timeout(10 * SECOND, queue.get()).await, Ok(Some("a")));
}

#[tokio::test(start_paused = true)]
async fn the_first_event_in_a_back_off_is_not_delayed_and_no_event_is_lost() {
    let queue = WorkQueue::with_limiter(ExponentialLimiter::new(100 * SECOND, 1000 * SECOND));
    queue.add("a");
    queue.get().await;
    queue.add_rate_limited("a");
    queue.done(&"a");
    queue.add("a");
    assert_eq!(
        now(queue.get()).await,
        Some(Some("a")),
        "the cause may be gone"
    );
    queue.add("a");
    queue.forget(&"a");
    queue.done(&"a");
    assert_eq!(
        now(queue.get()).await,
        Some(Some("a")),
        "it changed while the attempt succeeded"
    );
    queue.forget(&"a");
    queue.done(&"a");
    assert_eq!(
        timeout(2000 * SECOND, queue.get()).await.ok(),
        None,
        "success ends the back-off"
    );

    // Calls in the other order: the event waits in the back-off until `forget`.
    queue.add("a");
    queue.get().await;
    queue.add_rate_limited("a");
    queue.done(&"a");
    queue.add("a");
    queue.get().await;
    queue.add("a");
    queue.done(&"a");
    assert_eq!(now(queue.get()).await, None);
    queue.forget(&"a");
    assert_eq!(now(queue.get()).await, Some(Some("a")));
}

#[tokio::test(start_paused = true)]
async fn forgetting_ends_a_back_off_but_keeps_the_retry() {
    let queue = WorkQueue::with_limiter(ExponentialLimiter::new(100 * SECOND, 1000 * SECOND));
    let began = Instant::now();
    queue.add("a");
    for _ in 0..2 {
        queue.get().await;
        queue.add_rate_limited("a");
        queue.done(&"a");
    }
    assert_eq!(
        (began.elapsed().as_secs(), queue.num_requeues(&"a")),
        (100, 2)
    );
    queue.forget(&"a");
    assert_eq!(queue.num_requeues(&"a"), 0);
    for _ in 0..3 {
        queue.add("a");
        assert_eq!(
            now(queue.get()).await,
            Some(Some("a")),
            "no back-off any more"
        );
        queue.done(&"a");
    }
    queue.add_rate_limited("a");
    queue.forget(&"a");
    queue.get().await;
    assert_eq!(began.elapsed().as_secs(), 200);
}

#[tokio::test(start_paused = true)]
async fn a_requeue_is_apart_from_the_back_off() {
    let queue = WorkQueue::with_limiter(ExponentialLimiter::new(100 * SECOND, 1000 * SECOND));
    let began = Instant::now();
    queue.add_after("a", 10 * SECOND);
    queue.add_rate_limited("a");
    queue.get().await;
    assert_eq!(began.elapsed().as_secs(), 10, "it is the early attempt");
    queue.add_rate_limited("a");
    queue.done(&"a");
    assert_eq!(queue.num_requeues(&"a"), 1);
    queue.add_after("a", 10 * SECOND);
    queue.get().await;
    assert_eq!(began.elapsed().as_secs(), 100, "a second one waits");
    queue.forget(&"a");
    queue.add_after("a", 10 * SECOND);
    queue.done(&"a");
    queue.add("a");
    queue.get().await;
    queue.done(&"a");
    assert_eq!(
        timeout(1000 * SECOND, queue.get()).await.ok(),
        None,
        "`add` took the delay back"
    );
}
