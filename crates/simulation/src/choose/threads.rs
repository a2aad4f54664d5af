//! Runs schedules on several threads, each in a world of its own.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Calls `run` for each item on up to `threads` threads, and returns the results in the order of the items. Those after the first result that
/// is the end may be missing, so that the results up to there do not depend on the number of threads.
pub(super) fn on_threads<T: Sync, R: Send + Sync>(
    threads: usize,
    items: &[T],
    run: impl Fn(&T) -> R + Sync,
    is_end: impl Fn(&R) -> bool + Sync,
) -> Vec<R> {
    let (next, end) = (AtomicUsize::new(0), AtomicUsize::new(items.len()));
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at).filter(|_| at < end.load(Ordering::Relaxed)) else {
                return;
            };
            let result = results[at].get_or_init(|| run(item));
            if is_end(result) {
                end.fetch_min(at + 1, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(work);
        }
        work();
    });
    let end = end.into_inner();
    let results = results.into_iter().take(end);
    results.map_while(OnceLock::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_threads_changes_no_result() {
        let items: Vec<u32> = (0..100).collect();
        let with = |threads| on_threads(threads, &items, |it| it * 2, |it| *it == 60);
        assert_eq!(with(1).len(), 31);
        assert_eq!(with(1), with(8));
    }
}
