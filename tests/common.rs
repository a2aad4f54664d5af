//! Finds the corpus of real and hostile CRDs, which is not part of the repository.

use std::{
    env,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Returns the folder `name` of the corpus. Without a corpus it reports the test as skipped and returns `None`.
///
/// # Panics
/// If `KUBE_CODEGEN_CORPUS` is set and the folder does not exist.
pub(crate) fn corpus(name: &str) -> Option<PathBuf> {
    let required = env::var_os("KUBE_CODEGEN_CORPUS");
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folder = required
        .as_ref()
        .map_or_else(default, PathBuf::from)
        .join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        required.is_none(),
        "KUBE_CODEGEN_CORPUS: {} is not a folder",
        folder.display()
    );
    // `eprintln!` is captured by the test harness.
    let _ = writeln!(
        io::stderr(),
        "SKIPPED {}: {} does not exist; set KUBE_CODEGEN_CORPUS to a folder that contains `{name}`",
        std::thread::current().name().unwrap_or("a test"),
        folder.display()
    );
    None
}
