//! Rate-limited work queue.
