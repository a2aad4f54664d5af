//! Work comes in and is done where the stack has room for schemas as deep as a document may be, on one thread or on all
//! cores; what comes out is the same however many there are.
use std::cmp::Reverse;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle, available_parallelism, scope};

/// Bytes of stack: several times what the deepest document takes in a build without optimisation. Only what is used is
/// ever backed by memory.
const SIZE: usize = 64 << 20;

/// Does the work on a thread of its own; on the caller's where there are no threads.
pub(crate) fn with_room<T: Send>(work: impl Fn() -> T + Sync) -> T {
    scope(|scope| match spawn(scope, &work) {
        Some(worker) => join(worker),
        None => work(),
    })
}

/// Does a piece of work for each item, on all cores; the results have the order of the items. The caller's thread takes
/// its share, and so needs room of its own.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_largest_first(items, |_| 0, work)
}

/// The same, where it is known how much work an item is: what takes longest is not begun last, when others have nothing
/// left to do.
pub(crate) fn map_largest_first<T: Sync, R: Send>(
    items: &[T],
    size: impl Fn(&T) -> usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| Reverse(size(&items[*index])));
    let next = AtomicUsize::new(0);
    // Whoever is free takes the next item.
    let share = || {
        let mut done = Vec::new();
        loop {
            let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return done;
            };
            done.push((*index, work(&items[*index])));
        }
    };
    let mut done = scope(|scope| {
        let others: Vec<_> = (1..cores.min(items.len()))
            .map_while(|_| spawn(scope, share))
            .collect();
        let mut done = share();
        done.extend(others.into_iter().flat_map(join));
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The same, for items that the work takes apart.
pub(crate) fn map_into<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<Option<R>> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|it| Mutex::new(Some(it))).collect();
    // Nobody else has this item: a lock cannot be poisoned.
    map(&items, |item| {
        let item = item.lock().ok()?.take();
        item.map(&work)
    })
}

/// Changes each item, told with its index, on all cores where there are many.
pub(crate) fn each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    /// Fewer items are not worth a thread.
    const FEW: usize = 256;
    let chunks = items.chunks_mut(FEW).enumerate().collect();
    map_into(chunks, |(number, chunk): (usize, &mut [T])| {
        for (index, item) in chunk.iter_mut().enumerate() {
            work(number * FEW + index, item);
        }
    });
}

fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl Fn() -> T + Send + 's,
) -> Option<ScopedJoinHandle<'s, T>> {
    Builder::new()
        .name("kube-codegen".into())
        .stack_size(SIZE)
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
    fn results_have_the_order_of_the_items() {
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
        each(&mut items, |index, item| *item += index);
        assert!(items.into_iter().eq((0..1000).map(|item| item * 2)));
    }

    #[test]
    fn every_thread_has_room() {
        fn deep(level: usize) -> usize {
            let room = std::hint::black_box([level; 1024]);
            if level == 0 {
                0
            } else {
                deep(level - 1) + room[0] - room[1] + 1
            }
        }
        // 32 MiB of frames, more than a thread has by itself.
        let levels = with_room(|| map(&[4000; 8], |levels| deep(*levels)));
        assert_eq!(levels, [4000; 8]);
    }
}
