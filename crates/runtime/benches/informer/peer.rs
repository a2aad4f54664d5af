//! The client in Go: the module in `peer/`, which is built on first use.
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::Failure;

/// Builds the module and returns the program.
///
/// # Errors
/// If Go is not installed, or cannot build the module.
pub fn build() -> Result<PathBuf, Failure> {
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/informer/peer");
    // Beside this program, in Cargo's target folder.
    let program = env::current_exe()?.with_file_name("informer-client-go");
    let output = Command::new("go")
        .args(["build", "-trimpath", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(module)
        .envs([("CGO_ENABLED", "0"), ("GOWORK", "off")])
        .output()
        .map_err(|error| format!("Go is needed (https://go.dev/dl): {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    Ok(program)
}
