//! Tests of random schemas, and of random objects of the generated types.

mod definition;
mod pipeline;
mod round_trip;
