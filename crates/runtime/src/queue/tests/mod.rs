mod back_off;
mod priorities;

use std::pin::pin;

use futures::poll;
use tokio::time::{advance, timeout};

use super::*;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

async fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    timeout(Duration::ZERO, future).await.ok()
}

#[tokio::test(start_paused = true)]
async fn items_are_first_in_first_out_without_duplicates() {
    let queue = WorkQueue::new();
    for item in ["a", "b", "a", "c", "b"] {
        queue.add(item);
    }
    assert_eq!(queue.len(), 3);
    for item in ["a", "b", "c"] {
        assert_eq!(queue.get().await, Some(item));
        queue.done(&item);
    }
    assert_eq!(
        now(queue.get()).await,
        None,
        "`get` waits on an empty queue"
    );
}

#[tokio::test(start_paused = true)]
async fn an_item_added_while_processed_is_queued_again_after_done() {
    let queue = WorkQueue::new();
    queue.add("a");
    assert_eq!(queue.get().await, Some("a"));
    queue.add("a");
    queue.add("a");
    assert_eq!(queue.len(), 0);
    assert_eq!(now(queue.get()).await, None);
    let mut waiting = pin!(queue.get());
    assert!(poll!(&mut waiting).is_pending());
    queue.done(&"a");
    assert_eq!(
        timeout(SECOND, waiting).await,
        Ok(Some("a")),
        "a waiting worker is woken"
    );
    queue.done(&"a");
    assert_eq!(now(queue.get()).await, None, "once, not twice");
    queue.done(&"unknown");
    assert_eq!(queue.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn every_waiting_worker_gets_an_item() {
    let queue = WorkQueue::new();
    let workers: Vec<_> = (0..8)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.get().await })
        })
        .collect();
    tokio::task::yield_now().await;
    for item in 0..8 {
        queue.add(item);
    }
    let mut got = Vec::new();
    for worker in workers {
        got.push(
            timeout(SECOND, worker)
                .await
                .expect("a worker was not woken")
                .unwrap()
                .unwrap(),
        );
    }
    got.sort_unstable();
    assert_eq!(got, (0..8).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_get_passes_its_notification_on() {
    let queue = WorkQueue::new();
    let mut first = Box::pin(queue.get());
    let mut second = pin!(queue.get());
    assert!(poll!(&mut first).is_pending());
    assert!(poll!(&mut second).is_pending());
    queue.add("a");
    drop(first);
    assert_eq!(now(second).await, Some(Some("a")));
}

#[tokio::test(start_paused = true)]
async fn scheduled_items_are_queued_at_their_earliest_time() {
    let queue = WorkQueue::new();
    let began = Instant::now();
    queue.add_after("late", 10 * SECOND);
    queue.add_after("twice", 5 * SECOND);
    queue.add_after("twice", 2 * SECOND);
    queue.add_after("twice", 8 * SECOND);
    queue.add_after("at once", Duration::ZERO);
    assert_eq!(queue.get().await, Some("at once"));
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(queue.get().await, Some("twice"));
    assert!(
        (2 * SECOND..2 * SECOND + 5 * MS).contains(&began.elapsed()),
        "{:?}",
        began.elapsed()
    );
    queue.done(&"twice");
    assert_eq!(queue.get().await, Some("late"));
    assert!((10 * SECOND..10 * SECOND + 5 * MS).contains(&began.elapsed()));
    assert_eq!(
        now(queue.get()).await,
        None,
        "the later times of an item are dropped"
    );
    advance(20 * SECOND).await;
    assert_eq!(queue.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_earlier_item_shortens_the_wait() {
    let queue = WorkQueue::new();
    queue.add_after("late", 3600 * SECOND);
    let mut waiting = pin!(queue.get());
    assert!(poll!(&mut waiting).is_pending());
    queue.add_after("early", SECOND);
    assert_eq!(timeout(2 * SECOND, waiting).await, Ok(Some("early")));
}

#[tokio::test(start_paused = true)]
async fn retries_back_off_and_are_forgotten() {
    let queue = WorkQueue::new();
    let mut pauses = Vec::new();
    for expected in 1..=6 {
        let began = Instant::now();
        queue.add_rate_limited("a");
        assert_eq!(queue.num_requeues(&"a"), expected);
        assert_eq!(queue.get().await, Some("a"));
        queue.done(&"a");
        pauses.push(began.elapsed());
    }
    for (pause, expected) in pauses.iter().zip([5, 10, 20, 40, 80, 160]) {
        assert!(
            (expected * MS..(expected + 5) * MS).contains(pause),
            "{pauses:?}"
        );
    }
    queue.forget(&"a");
    assert_eq!(queue.num_requeues(&"a"), 0);
    let began = Instant::now();
    queue.add_rate_limited("a");
    queue.get().await;
    assert!(began.elapsed() < 10 * MS);
}

#[tokio::test(start_paused = true)]
async fn limiters_keep_their_bounds() {
    let limiter = ExponentialLimiter::new(5 * MS, 1000 * SECOND);
    let delays: Vec<_> = (0..100).map(|_| limiter.when(&"a")).collect();
    assert_eq!(delays[..3], [5 * MS, 10 * MS, 20 * MS]);
    assert_eq!(
        (delays[17], delays[18], delays[99]),
        (655_360 * MS, 1000 * SECOND, 1000 * SECOND)
    );
    assert_eq!(limiter.when(&"b"), 5 * MS, "delays are per item");

    let bucket = TokenBucket::new(10.0, 100);
    assert!((0..100).all(|_| RateLimiter::when(&bucket, &()) == Duration::ZERO));
    assert_eq!(RateLimiter::when(&bucket, &()), 100 * MS);
    assert_eq!(RateLimiter::when(&bucket, &()), 200 * MS);
    advance(SECOND).await;
    assert_eq!(
        RateLimiter::when(&bucket, &()),
        Duration::ZERO,
        "tokens become available again"
    );
    advance(3600 * SECOND).await;
    assert!((0..100).all(|_| bucket.try_take()), "up to the burst");
    assert!(!bucket.try_take());
    assert!(
        RateLimiter::when(&TokenBucket::new(0.0, 1), &()).is_zero(),
        "a rate of zero still allows the burst"
    );

    let both = MaxOf(
        ExponentialLimiter::new(SECOND, 8 * SECOND),
        TokenBucket::new(10.0, 1),
    );
    assert_eq!(both.when(&"a"), SECOND);
    assert_eq!(both.num_requeues(&"a"), 1);
    both.forget(&"a");
    assert_eq!(both.num_requeues(&"a"), 0);
}

#[tokio::test(start_paused = true)]
async fn shut_down_empties_the_queue_and_ignores_further_items() {
    let queue = WorkQueue::new();
    queue.add("a");
    queue.add("b");
    queue.add_after("late", SECOND);
    assert!(!queue.is_shutting_down());
    queue.shut_down();
    queue.add("c");
    queue.add_after("d", MS);
    assert!(queue.is_shutting_down());
    assert_eq!(
        (queue.get().await, queue.get().await),
        (Some("a"), Some("b"))
    );
    assert_eq!((queue.get().await, queue.get().await), (None, None));
}

#[tokio::test(start_paused = true)]
async fn shut_down_wakes_every_waiting_worker() {
    let queue = WorkQueue::<u8>::new();
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.get().await })
        })
        .collect();
    tokio::task::yield_now().await;
    queue.shut_down();
    for worker in workers {
        assert_eq!(
            timeout(SECOND, worker)
                .await
                .expect("a worker was not woken")
                .unwrap(),
            None
        );
    }
}

#[tokio::test(start_paused = true)]
async fn draining_waits_for_queued_and_processed_items() {
    let queue = WorkQueue::new();
    queue.add("a");
    queue.add("b");
    assert_eq!(queue.get().await, Some("a"));
    queue.add("a");
    let mut drain = pin!(queue.shut_down_with_drain());
    assert!(poll!(&mut drain).is_pending());
    assert_eq!(queue.get().await, Some("b"));
    queue.done(&"b");
    queue.done(&"a");
    assert!(
        poll!(&mut drain).is_pending(),
        "a was added again before the shutdown"
    );
    assert_eq!(queue.get().await, Some("a"));
    queue.done(&"a");
    assert!(poll!(&mut drain).is_ready());
}

#[tokio::test(start_paused = true)]
async fn draining_waits_for_processed_items_alone() {
    let queue = WorkQueue::new();
    queue.add("a");
    assert_eq!(queue.get().await, Some("a"));
    let mut drain = pin!(queue.shut_down_with_drain());
    assert!(poll!(&mut drain).is_pending(), "a is being processed");
    queue.done(&"a");
    assert!(poll!(&mut drain).is_ready());
}

#[tokio::test(start_paused = true)]
async fn metrics_count_and_measure() {
    let queue = WorkQueue::new();
    queue.add("a");
    queue.add("a");
    queue.add("b");
    advance(2 * SECOND).await;
    queue.get().await;
    advance(3 * SECOND).await;
    let metrics = queue.metrics();
    assert_eq!((metrics.depth, metrics.adds, metrics.retries), (1, 2, 0));
    assert_eq!(
        metrics
            .queue_duration
            .buckets()
            .filter(|(_, count)| *count > 0)
            .collect::<Vec<_>>(),
        [(10.0, 1)],
        "above 1 s, at most 10 s"
    );
    assert_eq!(
        (metrics.unfinished_work, metrics.longest_running),
        (3 * SECOND, 3 * SECOND)
    );
    queue.done(&"a");
    queue.add_rate_limited("a");
    let metrics = queue.metrics();
    assert_eq!(
        (metrics.retries, metrics.unfinished_work),
        (1, Duration::ZERO)
    );
    assert_eq!(
        (
            metrics.work_duration.count(),
            metrics.work_duration.up_to(1.0),
            metrics.work_duration.up_to(10.0)
        ),
        (1, 0, 1)
    );
    let sums = [metrics.queue_duration.sum(), metrics.work_duration.sum()];
    assert_eq!(sums.map(Duration::from_secs_f64), [2 * SECOND, 3 * SECOND]);
    queue.add_after("b", SECOND);
    queue.add_after("b", Duration::ZERO);
    assert_eq!(queue.metrics().retries, 2, "every delayed item counts");
}

/// One worker waits for the item that is due first, and is busy with it when the second one is due. The other worker must not sleep until the third.
#[tokio::test(start_paused = true)]
async fn a_delayed_item_is_taken_when_due_while_a_worker_is_busy() {
    let queue = WorkQueue::new();
    let began = Instant::now();
    let mut idle = Vec::new();
    for _ in 0..2 {
        let queue = queue.clone();
        idle.push(tokio::spawn(
            async move { (queue.get().await, Instant::now()) },
        ));
        tokio::task::yield_now().await;
    }
    for (item, delay) in [
        ("third", 10 * SECOND),
        ("first", 50 * MS),
        ("second", 100 * MS),
    ] {
        queue.add_after(item, delay);
        tokio::task::yield_now().await;
    }
    let mut taken = Vec::new();
    for worker in idle {
        let (item, at) = worker.await.unwrap();
        taken.push((item.unwrap(), at - began));
    }
    taken.sort_by_key(|(_, after)| *after);
    assert_eq!((taken[0].0, taken[1].0), ("first", "second"));
    assert!(taken[1].1 < 200 * MS, "{taken:?}");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_get_does_not_take_the_time_of_the_next_item_with_it() {
    let queue = WorkQueue::new();
    let mut first = Box::pin(queue.get());
    let mut second = pin!(queue.get());
    assert!(poll!(&mut first).is_pending());
    assert!(poll!(&mut second).is_pending());
    queue.add_after("a", SECOND);
    assert!(poll!(&mut first).is_pending());
    drop(first);
    assert_eq!(timeout(2 * SECOND, second).await, Ok(Some("a")));
}

#[tokio::test(start_paused = true)]
async fn the_longest_delay_is_never_over() {
    let queue = WorkQueue::new();
    queue.add_after("a", Duration::MAX);
    queue.add_after("b", SECOND);
    assert_eq!(queue.get().await, Some("b"));
    assert_eq!(timeout(3600 * SECOND, queue.get()).await.ok(), None);
    queue.add("a");
    assert_eq!(queue.get().await, Some("a"));
}

#[tokio::test(start_paused = true)]
async fn retries_are_counted_with_any_limiter() {
    let queue = WorkQueue::with_limiter(TokenBucket::new(10.0, 100));
    queue.add_rate_limited("a");
    queue.add_rate_limited("a");
    assert_eq!((queue.num_requeues(&"a"), queue.num_requeues(&"b")), (2, 0));
    queue.forget(&"a");
    assert_eq!(queue.num_requeues(&"a"), 0);
}
