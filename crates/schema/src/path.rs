//! Paths of values in an object, such as `spec.items[0].name`.

use kube_codegen_formats::pointer;
use serde_json::Value;

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

/// Returns the JSON pointer of a path in an object. Names may contain dots and brackets, so the longest name that the object has is
/// taken.
pub fn pointer(path: &str, object: &Value) -> String {
    let (mut pointer, mut rest, mut value) = (String::new(), path, Some(object));
    while !rest.is_empty() {
        let (name, tail, next) =
            if let (Some(Value::Array(items)), Some((index, tail))) = (value, step(rest)) {
                let item = index.parse().ok().and_then(|index: usize| items.get(index));
                (index, tail, item)
            } else {
                let inner = rest.trim_start_matches(['.', '[']);
                let known = value.and_then(Value::as_object).into_iter().flatten();
                let known = known.filter_map(|(name, value)| {
                    let tail = inner.strip_prefix(name.as_str())?;
                    let is_end = tail.is_empty() || tail.starts_with(['.', '[', ']']);
                    is_end.then_some((name.as_str(), tail, Some(value)))
                });
                let end = inner.find(['.', '[', ']']).unwrap_or(inner.len());
                known.max_by_key(|(name, ..)| name.len()).unwrap_or((
                    &inner[..end],
                    &inner[end..],
                    None,
                ))
            };
        pointer::push(&mut pointer, name);
        rest = tail.strip_prefix(']').unwrap_or(tail);
        value = next;
    }
    pointer
}

/// Splits off an index such as `[0]`.
fn step(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix('[')?.split_once(']')
}
