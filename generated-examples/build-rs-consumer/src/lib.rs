//! What the build script generated, as if it stood here.
include!(concat!(env!("OUT_DIR"), "/mod.rs"));
