//! Tests of records: reading, writing, walks, apply, conversion and quantities.

mod apply;
mod conversion;
mod quantity;
mod record;
mod walk;
