//! Tests of the generated code of the fixtures.

mod conversion;
mod cookbook;
mod fuzzed;
mod kinds;
mod known_types;
mod lookups;
mod newer_kubernetes;
mod one_of;
mod presence;
mod required_enums;
mod round_trip;
mod shared_types;
mod validation;
mod versions_alike;
