//! Work comes in and is done where the stack has room for schemas as deep as a document may be, whatever thread asks.
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// Bytes of stack: several times what the deepest document takes in a build without optimisation. Only what is used is
/// ever backed by memory.
const SIZE: usize = 64 << 20;

/// Does the work on a thread of its own; on the caller's where there are no threads.
pub(crate) fn with_room<T: Send>(work: impl Fn() -> T + Sync) -> T {
    scope(|scope| {
        let worker = Builder::new()
            .name("kube-codegen".into())
            .stack_size(SIZE)
            .spawn_scoped(scope, &work);
        match worker {
            Ok(worker) => worker.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(),
        }
    })
}
