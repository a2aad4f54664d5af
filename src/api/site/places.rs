//! The places in a schema: their anchors, and Kubernetes' own types there.
use std::{collections::HashMap, fmt::Write as _};

use crate::{input::crd::Schema, model::pass};

/// A place in a schema.
#[derive(Clone)]
pub(super) struct At<'a> {
    /// The names of the fields around it.
    pub(super) path: Vec<String>,
    /// The path in k8s-openapi of the type there.
    pub(super) known: Option<&'static str>,
    /// The types of k8s-openapi by the anchors of their places.
    reused: &'a HashMap<String, &'static str>,
}

impl<'a> At<'a> {
    pub(super) fn root(reused: &'a HashMap<String, &'static str>) -> Self {
        Self {
            path: Vec::new(),
            known: None,
            reused,
        }
    }

    pub(super) fn field(&self, name: &str) -> Self {
        let mut path = self.path.clone();
        path.push(name.to_owned());
        let part = self.known.and_then(|known| pass::known_part(known, name));
        let known = part.or_else(|| self.reused.get(&anchor(&path)).copied());
        Self {
            path,
            known,
            reused: self.reused,
        }
    }
}

/// Returns the anchor of a path: its names, separated by dots. What is not a letter, digit, `_`, `-` or `$` is written as in a URL;
/// a name that is empty, as two quotes.
pub(super) fn anchor<S: AsRef<str>>(path: &[S]) -> String {
    let mut out = String::new();
    for name in path {
        if !out.is_empty() {
            out.push('.');
        }
        if name.as_ref().is_empty() {
            out.push_str("%27%27");
        }
        for byte in name.as_ref().bytes() {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$') {
                out.push(char::from(byte));
            } else {
                _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Returns what lists and maps contain in the end.
pub(super) fn innermost(mut node: &Schema) -> &Schema {
    while let Some(inner) = node.element() {
        node = inner;
    }
    node
}

/// Returns the anchors of all fields, with those of types that have a section.
pub(super) fn anchors(schema: &Schema) -> Vec<String> {
    fn walk(node: &Schema, path: &mut Vec<String>, out: &mut Vec<String>) {
        for (name, field) in innermost(node).fields() {
            path.push(name.clone());
            out.push(anchor(path));
            walk(field, path, out);
            path.pop();
        }
    }
    let mut out = Vec::new();
    walk(schema, &mut Vec::new(), &mut out);
    out
}
