//! What all templates share: directories of replacements, and errors with the line of a template.
use std::{fs, path::Path};

use minijinja::Error;

/// Fails if a directory does not exist, or has templates that replace none.
pub(crate) fn check_names(directory: &Path, known: &[&str]) -> Result<(), String> {
    let cannot_read = |error| format!("cannot read `{}`: {error}", directory.display());
    if !directory.is_dir() {
        let directory = directory.display();
        return Err(format!(
            "the template directory `{directory}` does not exist"
        ));
    }
    let extension = |name: &str| name.rsplit_once('.').map(|(_, it)| it.to_owned());
    let mut unknown = Vec::new();
    for entry in fs::read_dir(directory).map_err(cannot_read)? {
        let name = entry.map_err(cannot_read)?.file_name();
        let name = name.to_string_lossy();
        let is_part = known.iter().any(|it| extension(it) == extension(&name));
        if is_part && !known.contains(&&*name) {
            unknown.push(format!("`{}`", name.escape_debug()));
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    unknown.sort();
    Err(format!(
        "{} in `{}` replaces no built-in template; the names are {}",
        unknown.join(", "),
        directory.display(),
        known.join(", ")
    ))
}

/// Formats an error with the name and line of the template.
pub(crate) fn message(error: &Error) -> String {
    let name = error.name().unwrap_or("template");
    let line = error
        .line()
        .map_or_else(String::new, |line| format!(":{line}"));
    format!("{name}{line}: {error}")
}
