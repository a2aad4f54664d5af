//! Standard input, read to its end.
use super::{Problem, Source, file};
use std::io;
use std::path::Path;

/// Shown in findings for standard input.
const NAME: &str = "<stdin>";

pub(super) fn read() -> Result<Source, Problem> {
    Ok(Source {
        name: NAME.to_owned(),
        path: None,
        text: file::read_text(io::stdin().lock(), Path::new(NAME))?,
    })
}
