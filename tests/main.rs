//! Tests of the generator: one program, which is linked once, and whose tests that start other programs run beside those that compute.

mod build_rs;
mod cli;
mod common;
mod corpus;
mod docs;
mod fuzz;
mod input;
mod output;
mod site;

use std::{env, process::Command};

/// Returns `cargo` with the environment of a shell. With the variables that cargo sets for this program, the build script of ring would run
/// again, and cargo would compile whatever depends on it twice: here, and in the next run of the tests.
fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}
