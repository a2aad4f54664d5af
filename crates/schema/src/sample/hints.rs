//! Finds in rules what a value may have to be.

use serde_json::Value;

use crate::node::Node;

/// Values that rules mention.
#[derive(Debug, Default)]
pub(super) struct Hints {
    /// Names for the object.
    pub(super) names: Vec<String>,
    /// Texts for fields.
    pub(super) texts: Vec<String>,
}

/// How many texts are tried at most.
const MOST: usize = 64;

impl Hints {
    /// Reads the rules of a schema. `object`: whose name may be part of the demanded one, or of another field.
    pub(super) fn of(root: &Node, object: &Value) -> Self {
        let mut hints = Self::default();
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let rules = [root].into_iter().chain(&root.all_of);
        let literals: Vec<String> = rules.flat_map(names).collect();
        // Most rules compare with the name; others demand a start, an end or a pattern.
        hints.names.clone_from(&literals);
        for literal in &literals {
            hints.names.extend([
                format!("{literal}{name}"),
                format!("{name}{literal}"),
                super::text::matching(literal),
            ]);
        }
        hints.names.truncate(MOST);
        hints.texts.push(name.to_owned());
        texts(root, &mut hints.texts);
        hints.texts.truncate(MOST);
        hints
    }
}

/// Returns the literals of the rules that read the metadata.
#[cfg(feature = "cel")]
fn names(node: &Node) -> Vec<String> {
    let rules = node.validations.iter().filter(|rule| rule.reads_metadata());
    rules.flat_map(crate::rule::Rule::literals).collect()
}

#[cfg(not(feature = "cel"))]
fn names(_: &Node) -> Vec<String> {
    Vec::new()
}

/// Adds the literals of all rules inside a schema.
fn texts(node: &Node, found: &mut Vec<String>) {
    #[cfg(feature = "cel")]
    for literal in node
        .validations
        .iter()
        .flat_map(crate::rule::Rule::literals)
    {
        if !found.contains(&literal) {
            found.push(literal);
        }
    }
    let inner = node.properties.values().chain(node.additional());
    let inner = inner.chain(node.items.as_deref()).chain(&node.all_of);
    inner.for_each(|node| texts(node, found));
}
