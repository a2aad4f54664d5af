//! Collects the panics of the current thread while a run lasts.

use std::{cell::RefCell, panic, sync::Once};

thread_local! {
    static PANICS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Collects the panics of this thread instead of printing them, until [`take`].
pub(crate) fn collect() {
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let collected = PANICS.with_borrow_mut(|panics| {
                panics
                    .as_mut()
                    .map(|panics| panics.push(info.to_string()))
                    .is_some()
            });
            if !collected {
                print(info);
            }
        }));
    });
    PANICS.set(Some(Vec::new()));
}

/// Returns the panics since [`collect`], and ends the collection.
pub(crate) fn take() -> Vec<String> {
    PANICS.take().unwrap_or_default()
}

/// Calls a function whose panics are none of the operator. Returns `None` if it has panicked.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    let before = PANICS.with_borrow(|panics| panics.as_ref().map_or(0, Vec::len));
    let result = panic::catch_unwind(panic::AssertUnwindSafe(call));
    PANICS.with_borrow_mut(|panics| {
        if let Some(panics) = panics {
            panics.truncate(before);
        }
    });
    result.ok()
}

/// Returns whether something has panicked since [`collect`].
pub(crate) fn any() -> bool {
    PANICS.with_borrow(|panics| panics.as_ref().is_some_and(|panics| !panics.is_empty()))
}
