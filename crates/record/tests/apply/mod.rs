//! Configurations of server-side apply: what they set, what managed fields say, and what an apply would change.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "`json!` is easier to read without references"
)]

mod diff;
mod extract;
mod partial;
mod widget;
