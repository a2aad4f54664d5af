//! The output for each of `fixtures/*.yaml`, one module per file, which the build script generates.
include!(concat!(env!("OUT_DIR"), "/lib.rs"));
