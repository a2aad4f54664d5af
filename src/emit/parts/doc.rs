//! Doc comments: what there is to say of an item comes in, lines of `///` go out.
use super::{inline, rules, text};
use crate::ir::{Kind, Rules, TypeDef};
use serde_json::Value;

/// The lines of docs of a field, or of a type with what is said of the whole.
pub(crate) fn of(
    description: Option<&str>,
    rules: &Rules,
    default: Option<&Value>,
    fallback: impl FnOnce() -> Vec<String>,
) -> Vec<String> {
    let mut lines = description.map(text::lines).unwrap_or_default();
    if lines.is_empty() {
        lines.extend(fallback());
    }
    for paragraph in rules::paragraphs(rules, default) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(paragraph);
    }
    lines
}

/// Writes `///` lines, so many spaces from the margin. A line stays one whatever is in it.
pub(crate) fn write<S: AsRef<str>>(out: &mut String, margin: &str, lines: &[S]) {
    for line in lines {
        let line = line.as_ref();
        out.push_str(margin);
        out.push_str("///");
        if !line.is_empty() {
            out.push(' ');
        }
        if line.contains(['\n', '\r']) {
            out.push_str(&line.replace(['\n', '\r'], " "));
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
}

/// Where a type stands, and in how many other places: what there is to say of one that nothing describes.
pub(crate) fn place(def: &TypeDef, kind: Option<&Kind>, others: usize) -> Vec<String> {
    let Some(kind) = kind else {
        return Vec::new();
    };
    let path = &def.origin.path;
    let kind = inline::span(&kind.kind);
    if path.last().is_none() {
        return vec![format!("An object of kind {kind}.")];
    }
    let others = match others {
        0 => String::new(),
        1 => ", and one other place".to_owned(),
        _ => format!(", and {others} other places"),
    };
    let path = format!("{} of", inline::span(&path.to_string()));
    text::wrap(&[path, format!("{kind}{others}.")], "", "")
}
