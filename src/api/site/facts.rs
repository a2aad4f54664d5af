//! What a schema says about a value apart from its type: bounds, enums, defaults, keys of lists, rules.
use serde::Serialize;
use serde_json::{Value, json};

use crate::{input::crd::Schema, model::ir::Rules, output::emit};

/// The longest schema that is shown as it is, in bytes.
const LONGEST: usize = 2000;

/// A constraint, as `Minimum` and `1`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Fact {
    /// What it is about; empty for a sentence.
    pub(super) label: String,
    /// The value, as Markdown.
    pub(super) value: String,
}

/// A validation rule.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Rule {
    /// What it asks for, as Markdown; empty if nothing is known.
    pub(super) words: String,
    /// The expression.
    pub(super) cel: String,
}

/// Returns the constraints of a value, and those of the entries of lists and maps.
pub(super) fn facts(node: &Schema) -> Vec<Fact> {
    let mut facts = own(node, "");
    let mut which = "Each entry".to_owned();
    let mut inner = node.element();
    while let Some(node) = inner {
        facts.extend(own(node, &which));
        which.push_str(" of each entry");
        inner = node.element();
    }
    facts
}

fn own(node: &Schema, which: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |label: &str, value: String| {
        let label = match (which, label) {
            ("", label) => label.to_owned(),
            (which, "") => which.to_owned(),
            (which, label) => format!("{which}: {}", label.to_lowercase()),
        };
        facts.push(Fact { label, value });
    };
    for sentence in emit::sentences(&rules(node), node.default.as_ref()) {
        let sentence = sentence.strip_suffix('.').unwrap_or(&sentence);
        match sentence.split_once(": ") {
            Some((label, value)) if !label.contains('`') => add(label, value.to_owned()),
            _ => add("", sentence.to_owned()),
        }
    }
    if node.nullable {
        add("", "May be null".to_owned());
    }
    let kubernetes = &node.kubernetes;
    let merges = [&kubernetes.list_type, &kubernetes.map_type];
    if merges.iter().any(|it| it.as_deref() == Some("atomic")) {
        add("", "Replaced as a whole by server-side apply".to_owned());
    }
    if kubernetes.preserve_unknown_fields {
        add("", "Keeps fields that are not listed here".to_owned());
    }
    if kubernetes.embedded_resource {
        add(
            "",
            "A whole object, with `apiVersion`, `kind` and `metadata`".to_owned(),
        );
    }
    let logic = &node.logic;
    let list = |list: &[Value]| (!list.is_empty()).then(|| Value::from(list));
    for (keyword, label, schema) in [
        ("allOf", "All of", list(&logic.all_of)),
        ("anyOf", "At least one of", list(&logic.any_of)),
        ("oneOf", "Exactly one of", list(&logic.one_of)),
        ("not", "Must not match", logic.not.clone()),
    ] {
        let is_known = |schema: &Value| {
            keyword == "not" && is_word(schema)
                || kubernetes.int_or_string && is_pair(schema)
                || matches!(keyword, "anyOf" | "oneOf") && is_choice(schema)
        };
        if let Some(schema) = schema.filter(|it| !is_known(it)) {
            let text = schema.to_string();
            let text = if text.len() > LONGEST {
                "a schema that is too long for this page".to_owned()
            } else {
                emit::span(&text)
            };
            add(label, text);
        }
    }
    let word = logic.not.as_ref().filter(|not| is_word(not));
    if let Some(required) = word.and_then(|it| it["required"].as_array()) {
        let names: Vec<String> = required
            .iter()
            .filter_map(Value::as_str)
            .map(emit::span)
            .collect();
        add(
            "",
            format!(
                "{} must not be set{}",
                names.join(", "),
                if names.len() > 1 { " together" } else { "" }
            ),
        );
    }
    facts
}

/// Returns whether a schema consists of `required`.
fn is_word(schema: &Value) -> bool {
    schema
        .as_object()
        .is_some_and(|it| it.len() == 1 && it.contains_key("required"))
}

/// Returns whether each branch requires one property, which a sentence says.
fn is_choice(branches: &Value) -> bool {
    let Some(branches) = branches.as_array() else {
        return false;
    };
    let is_one = |branch: &Value| {
        branch["required"]
            .as_array()
            .is_some_and(|it| it.len() == 1)
    };
    branches
        .iter()
        .all(|branch| is_word(branch) && is_one(branch))
}

/// Returns whether branches are the two types of an integer or string, as `anyOf` or in the only branch of `allOf`.
fn is_pair(branches: &Value) -> bool {
    let branches = branches.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_type = |branch: &Value, name| *branch == json!({"type": name});
    match branches {
        [a, b] => is_type(a, "integer") && is_type(b, "string"),
        [only] => only.as_object().is_some_and(|it| it.len() == 1) && is_pair(&only["anyOf"]),
        _ => false,
    }
}

fn rules(node: &Schema) -> Rules {
    let list = |list: &[Value]| Value::from(list);
    let choices = [("oneOf", &node.logic.one_of), ("anyOf", &node.logic.any_of)];
    // They are named as the type.
    let choices = choices
        .into_iter()
        .map(|(keyword, branches)| (keyword, list(branches)))
        .filter(|(_, it)| !it.as_array().is_some_and(Vec::is_empty) && !is_pair(it));
    let values = node.enum_.iter().map(|it| ("enum", list(it)));
    let bounds = node.constraints.all.iter().cloned();
    Rules {
        constraints: values.chain(bounds).chain(choices).collect(),
        list_type: node.kubernetes.list_type.clone(),
        list_map_keys: node.kubernetes.list_map_keys.clone(),
        ..Rules::NONE
    }
}

/// Returns the validation rules of a value, and of its entries.
pub(super) fn validations(node: &Schema) -> Vec<Rule> {
    let layers = std::iter::successors(Some(node), |it| it.element());
    let rules = layers.flat_map(Schema::rules).filter_map(|it| {
        let text = |text: &str| Some(text.trim().to_owned()).filter(|it| !it.is_empty());
        let words = it.message.and_then(text);
        Some(Rule {
            cel: text(it.rule)?,
            words: words.map(|it| emit::line(&it)).unwrap_or_default(),
        })
    });
    rules.collect()
}

/// Returns whether a rule of a value, or one of its parent about this field, says that it never changes.
pub(super) fn is_immutable(node: &Schema, parent: &Schema, name: &str) -> bool {
    let has = |node: &Schema, rule: &str| {
        let compact = |text: &str| text.split_whitespace().collect::<String>();
        node.rules().any(|it| compact(it.rule) == rule)
    };
    has(node, "self==oldSelf")
        || has(node, "oldSelf==self")
        || has(parent, &format!("self.{name}==oldSelf.{name}"))
        || has(parent, &format!("oldSelf.{name}==self.{name}"))
}
