//! Walks over records.
