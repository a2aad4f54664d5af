//! Reads of an informer cache.
