//! Paths of values in an object, such as `spec.items[0].name`.

/// Returns the path of a field.
pub(crate) fn field(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Returns the path of an item of a list.
pub(crate) fn index(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// Returns the path of a key of a map.
pub(crate) fn key(path: &str, key: &str) -> String {
    format!("{path}[{key}]")
}
