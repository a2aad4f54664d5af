//! Findings come in, text for people goes out.
