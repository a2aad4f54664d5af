//! Doc comments: descriptions and constraints of the schema as Markdown that is safe in rustdoc.
mod emphasis;
mod inline;
mod markdown;
mod markers;
mod rules;
mod span;
mod wrap;

#[cfg(feature = "cli")]
pub(crate) use markdown::lines as description;
#[cfg(feature = "cli")]
pub(crate) use rules::sentences;
pub(crate) use span::span;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::model::ir::{Kind, Rules, TypeDef};

/// Returns the lines that document a field, or a type with the rules of the whole.
pub(crate) fn of(
    description: Option<&str>,
    rules: &Rules,
    default: Option<&Value>,
    fallback: impl FnOnce() -> Vec<String>,
) -> Vec<String> {
    let mut lines = description.map(markdown::lines).unwrap_or_default();
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

/// Returns a text as one line.
pub(crate) fn line(text: &str) -> String {
    let text = span::clean(text);
    wrap::wrap(&inline::words(&text), "", "").join(" ")
}

/// The other schema locations of a type.
#[derive(Default)]
pub(crate) struct Others<'m> {
    /// How many there are in its own version.
    pub(crate) places: usize,
    /// The other versions that have it.
    pub(crate) versions: BTreeSet<&'m str>,
}

/// Describes a type that has no description by its schema location and the other ones.
pub(crate) fn place(
    def: &TypeDef,
    kind: Option<&Kind>,
    others: Option<&Others<'_>>,
) -> Vec<String> {
    let Some(kind) = kind else {
        return Vec::new();
    };
    let path = &def.origin.path;
    let kind = span(&kind.kind);
    if path.last().is_none() {
        return vec![format!("An object of kind {kind}.")];
    }
    let more = match others.map_or(0, |others| others.places) {
        0 => String::new(),
        1 => ", and one other place".to_owned(),
        places => format!(", and {places} other places"),
    };
    let path = format!("{} of", span(&path.to_string()));
    let versions = others.iter().flat_map(|others| &others.versions);
    let versions: Vec<String> = versions.map(|version| span(version)).collect();
    let words = if versions.is_empty() {
        vec![path, format!("{kind}{more}.")]
    } else {
        let versions = format!("in {} too.", versions.join(", "));
        vec![path, format!("{kind}{more};"), versions]
    };
    wrap::wrap(&words, "", "")
}
