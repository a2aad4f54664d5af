//! Leaves out patterns whose automata would be too large together: each takes up to a second and many megabytes.
//!
//! How large an automaton gets is estimated: each range of characters counts as often as it may be repeated.

use std::collections::HashSet;

use kube_codegen_formats::pattern;
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::{
    cause::Cause,
    node::{Additional, Node},
    path,
    work::Limits,
};

/// How many ranges the patterns of a schema have together.
const MOST: usize = 3_000_000;

/// Leaves out patterns past what all may have together, as long as the limits last, and returns a note about them.
pub(super) fn limit(root: &Node) -> (Limits, Option<Cause>) {
    let mut limit = Limit {
        rest: MOST,
        known: HashSet::new(),
        first: None,
        left_out: HashSet::new(),
    };
    limit.walk(root, "");
    let why = match limit.left_out.len() {
        1 => "the pattern is not checked".to_owned(),
        2 => "this pattern and another one are not checked".to_owned(),
        count => format!(
            "this pattern and {} others are not checked",
            count.saturating_sub(1)
        ),
    };
    let why = format!("{why}: the patterns of the schema are too large together");
    let note = limit.first.map(|path| Cause::note(&path, &why));
    (Limits::new(limit.left_out), note)
}

struct Limit<'n> {
    rest: usize,
    /// Equal patterns have one automaton.
    known: HashSet<&'n str>,
    first: Option<String>,
    left_out: HashSet<String>,
}

impl<'n> Limit<'n> {
    fn walk(&mut self, node: &'n Node, at: &str) {
        if let Some(pattern) = &node.pattern {
            let is_new = self.known.insert(&pattern.source);
            let weight = if is_new { pattern.weight(weight) } else { 0 };
            if weight <= self.rest {
                self.rest -= weight;
            } else if !pattern.is_compiled() {
                self.left_out.insert(pattern.source.clone());
                self.first.get_or_insert_with(|| at.to_owned());
            }
        }
        for (name, inner) in &node.properties {
            self.walk(inner, &path::field(at, name));
        }
        if let Some(Additional::Schema(inner)) = &node.additional_properties {
            self.walk(inner, &path::key(at, "key"));
        }
        if let Some(items) = &node.items {
            self.walk(items, &path::index(at, 0));
        }
        let branches = node.all_of.iter().chain(&node.any_of).chain(&node.one_of);
        for branch in branches.chain(node.not.as_deref()) {
            self.walk(branch, at);
        }
    }
}

fn weight(source: &str) -> usize {
    let hir = pattern::translate(source).ok();
    let hir = hir.and_then(|it| regex_syntax::parse(&it).ok());
    hir.map_or(0, |hir| ranges(&hir))
}

fn ranges(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len(),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len(),
        HirKind::Repetition(it) => {
            let times = it.max.unwrap_or(it.min.saturating_add(1)).max(1);
            let times = usize::try_from(times).unwrap_or(usize::MAX);
            ranges(&it.sub).saturating_mul(times)
        }
        HirKind::Capture(it) => ranges(&it.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts
            .iter()
            .fold(0, |sum, part| sum.saturating_add(ranges(part))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{Extent, Schema};

    #[test]
    fn all_patterns_together_have_a_limit() {
        let large = |index| {
            let pattern = format!(r"^x{index}[\p{{L}}\p{{N}}]{{1,500}}(\.[\p{{L}}]{{1,200}})*$");
            (
                format!("p{index:02}"),
                json!({"type": "string", "pattern": pattern}),
            )
        };
        let properties: serde_json::Map<String, Value> = (0..40).map(large).collect();
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}});
        let schema = Schema::new(&schema).unwrap();
        let object = json!({"apiVersion": "e.com/v1", "kind": "A", "metadata": {"name": "a"}});
        let (sample, causes) = schema.sample(Extent::Full, &object);
        assert!(sample["spec"]["p39"].as_str().unwrap().starts_with("x39"));
        let [note] = causes.as_slice() else {
            panic!("{causes:?}");
        };
        assert!(!note.is_violation() && note.field.starts_with("spec.p"));
        let why = "others are not checked: the patterns of the schema are too large together";
        assert!(note.message.ends_with(why), "{note}");
        // Other objects are checked.
        let other = json!({"spec": {"p39": "no"}});
        assert_eq!(schema.validate(&other).len(), 1);
    }

    #[test]
    fn equal_patterns_count_once() {
        let text = json!({"type": "string", "pattern": r"^\p{L}{1,500}$"});
        let properties: serde_json::Map<String, Value> = (0..40)
            .map(|index| (format!("p{index}"), text.clone()))
            .collect();
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}});
        let schema = Schema::new(&schema).unwrap();
        let (_, causes) = schema.sample(Extent::Full, &json!({"metadata": {"name": "a"}}));
        assert!(causes.is_empty(), "{causes:?}");
    }
}
