//! Types seen from outside.
