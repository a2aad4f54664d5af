//! Limits on the memory that a response takes.

/// Larger buffers are freed after their value.
pub(super) const KEPT_BUFFER: usize = 1 << 20;
/// Largest size of one object: ten times the largest request that an API server accepts (3 MiB).
pub(super) const LARGEST: usize = 32 << 20;
