//! Writes to the terminal of a test: what `println!` and `eprintln!` write there, the test runner shows only where a test fails.

use std::io::{self, Write as _};

/// Writes a line, also where the test passes.
pub(crate) fn say(line: &str) {
    // Where stderr is closed, the line is lost.
    let _ = writeln!(io::stderr(), "{line}");
}
