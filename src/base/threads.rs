//! Runs work on threads with a stack large enough for the deepest permitted schema; results are in the order of the items.

use std::{
    cmp::Reverse,
    num::NonZero,
    panic::resume_unwind,
    sync::{
        LazyLock, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{Builder, Scope, ScopedJoinHandle, available_parallelism, scope},
};

/// Stack size in bytes: several times what the deepest document needs in an unoptimised build. The system commits memory
/// only for the part in use.
const STACK_SIZE: usize = 64 << 20;

/// The system reads several files to tell.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, NonZero::get));

/// Runs the work on a new thread, or on the caller's if the system cannot start one.
pub(crate) fn with_large_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    scope(|scope| match spawn(scope, &work) {
        Some(worker) => join(worker),
        None => work(),
    })
}

/// Maps the items on all cores. The caller's thread takes part, so it needs a large stack too.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_largest_first(items, |_| 0, work)
}

/// Like [`map`], but starts with the largest items, so that none of them is left to the end while other cores are idle.
pub(crate) fn map_largest_first<T: Sync, R: Send>(
    items: &[T],
    size: impl Fn(&T) -> usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| Reverse(size(&items[*index])));
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((*index, work(&items[*index])));
        }
        done
    };
    let mut done = scope(|scope| {
        let others: Vec<_> = (1..items.len().min(*CORES))
            .map_while(|_| spawn(scope, worker))
            .collect();
        let mut done = worker();
        done.extend(others.into_iter().flat_map(join));
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Like [`map`], for work that consumes the items.
pub(crate) fn map_into<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<Option<R>> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|it| Mutex::new(Some(it))).collect();
    // Each item is locked once, so no lock is poisoned or empty.
    map(&items, |item| {
        let item = item.lock().ok()?.take();
        item.map(&work)
    })
}

/// Changes each item in place; many items are split over all cores.
pub(crate) fn for_each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    /// Fewer items are not worth a thread.
    const CHUNK: usize = 256;
    let chunks = items.chunks_mut(CHUNK).enumerate().collect();
    map_into(chunks, |(number, chunk): (usize, &mut [T])| {
        for (index, item) in chunk.iter_mut().enumerate() {
            work(number * CHUNK + index, item);
        }
    });
}

fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl Fn() -> T + Send + 's,
) -> Option<ScopedJoinHandle<'s, T>> {
    Builder::new()
        .name("kube-codegen".into())
        .stack_size(STACK_SIZE)
        .spawn_scoped(scope, work)
        .ok()
}

fn join<T>(worker: ScopedJoinHandle<'_, T>) -> T {
    worker.join().unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled = map(&items, |item| item * 2);
        assert!(doubled.into_iter().eq((0..1000).map(|item| item * 2)));
        let doubled = map_largest_first(&items, |item| item % 7, |item| item * 2);
        assert!(doubled.into_iter().eq((0..1000).map(|item| item * 2)));
        assert!(map(&[], |item: &usize| *item).is_empty());
    }

    #[test]
    fn every_item_is_changed_once() {
        let mut items: Vec<usize> = (0..1000).collect();
        for_each(&mut items, |index, item| *item += index);
        assert!(items.into_iter().eq((0..1000).map(|item| item * 2)));
    }

    #[test]
    fn every_thread_has_a_large_stack() {
        fn deep(level: usize) -> usize {
            let frame = std::hint::black_box([level; 1024]);
            if level == 0 {
                0
            } else {
                deep(level - 1) + frame[0] - frame[1] + 1
            }
        }
        // 32 MiB of frames, more than a thread has by default.
        let levels = with_large_stack(|| map(&[4000; 8], |levels| deep(*levels)));
        assert_eq!(levels, [4000; 8]);
    }
}
