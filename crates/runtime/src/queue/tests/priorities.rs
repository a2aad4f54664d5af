//! Priorities, snapshots, and random calls of everything.
use tokio::time::{advance, timeout};

use super::{MS, SECOND, now};
use crate::queue::*;

#[tokio::test(start_paused = true)]
async fn a_higher_priority_is_first_and_equal_ones_keep_their_order() {
    let queue = WorkQueue::new();
    for (item, priority) in [
        ("a", LOW_PRIORITY),
        ("b", LOW_PRIORITY),
        ("c", 0),
        ("d", 7),
        ("e", 0),
    ] {
        queue.add_with_priority(item, priority);
    }
    queue.add_with_priority("c", LOW_PRIORITY);
    queue.add("b");
    assert_eq!(queue.len(), 5);
    for item in ["d", "c", "e", "b", "a"] {
        assert_eq!(
            queue.get().await,
            Some(item),
            "`b` went to the end of priority 0, `c` kept its own"
        );
        queue.done(&item);
    }
    assert!(queue.is_empty());
    let depths = queue.metrics().depths;
    assert_eq!(depths, [(LOW_PRIORITY, 0), (0, 0), (7, 0)].into());
}

/// Two workers get a change of a user every time, and still one item in 16 of those with a low priority, the oldest first.
#[tokio::test(start_paused = true)]
async fn no_priority_waits_for_ever() {
    let queue = WorkQueue::new();
    for item in 0..10 {
        queue.add_with_priority(item, LOW_PRIORITY - item);
    }
    queue.add(1000);
    let mut low = Vec::new();
    for round in 1..=160 {
        queue.add(1000 + round);
        let item = queue.get().await.unwrap();
        queue.done(&item);
        if item < 1000 {
            low.push((round, item));
        }
    }
    let expected: Vec<_> = (0..10).map(|item| (16 * (item + 1), item)).collect();
    assert_eq!(low, expected);
}

#[tokio::test(start_paused = true)]
async fn a_retry_keeps_its_priority() {
    let queue = WorkQueue::new();
    queue.add_with_priority("low", LOW_PRIORITY);
    queue.add_with_priority("high", 5);
    for item in ["high", "low"] {
        assert_eq!(queue.get().await, Some(item));
    }
    queue.add_rate_limited("low");
    queue.add_after("high", SECOND);
    queue.done(&"low");
    queue.done(&"high");
    queue.add_after_with_priority("other", SECOND, 4);
    advance(2 * SECOND).await;
    for item in ["high", "other", "low"] {
        assert_eq!(queue.get().await, Some(item));
        queue.done(&item);
    }
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_shows_what_waits_runs_and_is_scheduled() {
    let queue = WorkQueue::new();
    for item in ["running", "waiting", "also waiting"] {
        queue.add(item);
    }
    queue.get().await;
    queue.add_with_priority("low", LOW_PRIORITY);
    queue.add_after("later", 10 * SECOND);
    queue.add_rate_limited("retried");
    advance(MS).await;
    let snapshot = serde_json::to_value(queue.snapshot(2)).unwrap();
    let expected = serde_json::json!({
        "waiting": [
            {"item": "waiting", "priority": 0, "waitsFor": 0.001},
            {"item": "also waiting", "priority": 0, "waitsFor": 0.001},
        ],
        "processing": [{"item": "running", "priority": 0, "runsFor": 0.001}],
        "scheduled": [
            {"item": "retried", "dueIn": 0.004, "retries": 1, "isRetry": true},
            {"item": "later", "dueIn": 9.999, "retries": 0, "isRetry": false},
        ],
    });
    assert_eq!(snapshot, expected);
    let metrics = queue.metrics();
    assert_eq!((metrics.depth, metrics.oldest), (3, MS));
    assert_eq!(metrics.depths, [(LOW_PRIORITY, 1), (0, 2)].into());
}

/// Random calls against the rules that hold for every order of calls: one worker per item, nothing lost, nothing left.
#[tokio::test(start_paused = true)]
async fn random_calls_lose_nothing_and_leave_nothing() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let queue = WorkQueue::new();
        let mut held: Vec<u8> = Vec::new();
        // Items that were added, and not taken since.
        let mut owed = std::collections::HashSet::new();
        for _ in 0..300 {
            let item = random.u8(..6);
            match random.u8(..8) {
                0 | 1 => {
                    queue.add_with_priority(item, random.i32(-2..2));
                    owed.insert(item);
                }
                2 => {
                    queue.add_after(item, random.u32(..40) * MS);
                    owed.insert(item);
                }
                3 => advance(random.u32(..20) * MS).await,
                4 | 5 => {
                    if let Some(Some(item)) = now(queue.get()).await {
                        assert!(
                            !held.contains(&item),
                            "seed {seed}: two workers have {item}"
                        );
                        owed.remove(&item);
                        held.push(item);
                    }
                }
                _ if held.is_empty() => {}
                end => {
                    let item = held.swap_remove(random.usize(..held.len()));
                    if end == 6 {
                        queue.add_rate_limited(item);
                        owed.insert(item);
                    } else {
                        queue.forget(&item);
                    }
                    queue.done(&item);
                }
            }
        }
        for item in held.drain(..) {
            queue.done(&item);
        }
        while let Ok(Some(item)) = timeout(3600 * SECOND, queue.get()).await {
            owed.remove(&item);
            queue.forget(&item);
            queue.done(&item);
        }
        assert!(owed.is_empty(), "seed {seed}: {owed:?} never arrived");
        (0..6).for_each(|item| queue.forget(&item));
        assert_eq!(queue.inner.state.lock().known(), 0, "seed {seed}");
    }
}
