//! What is known of kustomizations everywhere: their names, and which of their fields would change objects.
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// The names that kustomize knows. A file of these names needs no `kind`.
pub const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Fields that change no object: they are about the file itself, or the order of the output.
const HARMLESS: [&str; 7] = [
    "apiVersion",
    "kind",
    "metadata",
    "buildMetadata",
    "crds",
    "openapi",
    "sortOptions",
];

/// Whether a file is a kustomization, by its name.
pub fn is_one(path: &Path) -> bool {
    NAMES.iter().any(|name| path.ends_with(name))
}

/// Returns the kustomization of a directory, if it has one.
///
/// # Errors
/// If it has several.
pub fn of(directory: &Path) -> Result<Option<PathBuf>, String> {
    let paths = NAMES.iter().map(|name| directory.join(name));
    let found: Vec<PathBuf> = paths.filter(|it| it.is_file()).collect();
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        [one, two, ..] => Err(format!(
            "{} has several kustomizations: remove {} or {}",
            directory.display(),
            one.display(),
            two.display()
        )),
    }
}

/// Returns the fields of a kustomization that would change objects, besides those that are applied.
pub fn not_applied<'k>(
    fields: &'k Map<String, Value>,
    applied: &'k [&str],
) -> impl Iterator<Item = &'k str> {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let others = fields.iter().filter(move |(name, value)| {
        let name = name.as_str();
        !HARMLESS.contains(&name) && !applied.contains(&name) && !is_empty(value)
    });
    others.map(|(name, _)| name.as_str())
}

/// Says that a program does not apply fields.
pub fn message<'k>(program: &str, fields: impl Iterator<Item = &'k str>) -> String {
    let fields: Vec<String> = fields
        .map(|it| format!("`{}`", it.escape_debug()))
        .collect();
    format!(
        "`{program}` does not apply {}: the objects stay as they are in their files",
        fields.join(", ")
    )
}
