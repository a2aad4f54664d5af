//! Tests on a real control plane: one program, so that those that wait run beside those that compute. The harness starts them in the
//! order of their names, and so the longest first.

mod chaos;
mod cluster;
#[cfg(target_os = "linux")]
mod processes;
