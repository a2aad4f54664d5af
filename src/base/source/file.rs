//! Reads files and standard input: bounded in size, UTF-8, without a byte order mark.
use super::{MAX_BYTES, Problem, Source};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Name of standard input in diagnostics.
const STDIN: &str = "<stdin>";

pub(super) fn read(path: &Path) -> Result<Source, Problem> {
    let failed = |source| Problem::Io {
        path: path.to_path_buf(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    Ok(Source::file(path, read_text(file, path)?))
}

/// Reads standard input.
pub(super) fn read_stdin() -> Result<Source, Problem> {
    Ok(Source::new(
        STDIN,
        read_text(io::stdin().lock(), Path::new(STDIN))?,
    ))
}

/// Reads a stream to its end; `path` appears in messages.
fn read_text(from: impl Read, path: &Path) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| Problem::Io {
            path: path.to_path_buf(),
            source,
        })?;
    // Reading leaves up to half of the capacity unused.
    bytes.shrink_to_fit();
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Problem::TooLarge {
            path: path.to_path_buf(),
        });
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..offset];
        Problem::Utf8 {
            path: path.to_path_buf(),
            offset,
            line: before.split(|byte| *byte == b'\n').count(),
        }
    })?;
    Ok(without_mark(text))
}

/// Removes the byte order mark that some editors write.
pub(super) fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}
