//! Runs one list and watch of an informer until it ends, and then removes its objects.
use std::{panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt;

use super::{divided, reflector::Reflector, scope::Scope, state::State};
use crate::panics;

/// Runs a reflector until its scope or the informer stops. The informer fails if the reflector panics, or its task is dropped.
pub(super) async fn follow(
    reflector: impl Fn(Arc<Scope>) -> Reflector,
    state: Arc<State>,
    scope: Arc<Scope>,
) {
    let mut guard = FailOnDrop(Some(Arc::clone(&state)));
    let run = async {
        match scope.part.get() {
            Some(part) => {
                let (state, scope) = (Arc::clone(&state), Arc::clone(&scope));
                Box::pin(divided::run(reflector, state, scope, part)).await;
            }
            None => reflector(Arc::clone(&scope)).run().await,
        }
    };
    let run = AssertUnwindSafe(run).catch_unwind();
    if let Some(Err(panic)) = scope.stop.run_until_cancelled(run).await {
        let message = panics::message(panic);
        state.fail(format!("its list and watch panicked: {message}"));
    }
    guard.0.take();
    if !state.stop.is_cancelled() {
        state.forget(&scope).await;
        state
            .scopes
            .write()
            .retain(|other| !Arc::ptr_eq(other, &scope));
        state.update_synced();
    }
    scope.ended.cancel();
}

/// Ends the informer when the task of its reflector is dropped: the runtime on which it was started shuts down.
struct FailOnDrop(Option<Arc<State>>);

impl Drop for FailOnDrop {
    fn drop(&mut self) {
        if let Some(state) = self.0.take()
            && !state.stop.is_cancelled()
        {
            state.fail("the runtime dropped its list and watch".to_owned());
        }
    }
}
