//! Doc comments: what there is to say of an item comes in, lines of `///` go out.
use super::{inline, rules, text};
use crate::ir::{Kind, Rules, TypeDef};
use serde_json::Value;
use std::collections::BTreeSet;

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

/// The other places of a type.
#[derive(Default)]
pub(crate) struct Others<'m> {
    /// How many there are in its own version.
    pub(crate) places: usize,
    /// The other versions that have it.
    pub(crate) versions: BTreeSet<&'m str>,
}

/// Where a type stands, and where else: what there is to say of one that nothing describes.
pub(crate) fn place(
    def: &TypeDef,
    kind: Option<&Kind>,
    others: Option<&Others<'_>>,
) -> Vec<String> {
    let Some(kind) = kind else {
        return Vec::new();
    };
    let path = &def.origin.path;
    let kind = inline::span(&kind.kind);
    if path.last().is_none() {
        return vec![format!("An object of kind {kind}.")];
    }
    let more = match others.map_or(0, |others| others.places) {
        0 => String::new(),
        1 => ", and one other place".to_owned(),
        places => format!(", and {places} other places"),
    };
    let mut shown = String::with_capacity(text::WIDTH);
    path.write(&mut shown);
    let mut path = inline::span(&shown);
    path.push_str(" of");
    let versions = others.iter().flat_map(|others| &others.versions);
    let versions: Vec<String> = versions.map(|version| inline::span(version)).collect();
    let words = if versions.is_empty() {
        vec![path, format!("{kind}{more}.")]
    } else {
        let versions = format!("in {} too.", versions.join(", "));
        vec![path, format!("{kind}{more};"), versions]
    };
    text::wrap(&words, "", "")
}
