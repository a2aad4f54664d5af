//! What a schema says about a value apart from its type: bounds, enums, defaults, keys of lists, rules.
use serde::Serialize;
use serde_json::{Value, json};

use crate::{input::crd::Constraints, model::ir::Rules, output::emit};

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
pub(super) fn facts(node: &Value) -> Vec<Fact> {
    let mut facts = own(node, "");
    let mut which = "Each entry".to_owned();
    let mut inner = element(node);
    while let Some(node) = inner {
        facts.extend(own(node, &which));
        which.push_str(" of each entry");
        inner = element(node);
    }
    facts
}

/// Returns the schema of the entries of a list or a map.
pub(super) fn element(node: &Value) -> Option<&Value> {
    let inner = node
        .get("items")
        .or_else(|| node.get("additionalProperties"));
    inner.filter(|inner| inner.is_object())
}

fn own(node: &Value, which: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |label: &str, value: String| {
        let label = match (which, label) {
            ("", label) => label.to_owned(),
            (which, "") => which.to_owned(),
            (which, label) => format!("{which}: {}", label.to_lowercase()),
        };
        facts.push(Fact { label, value });
    };
    for sentence in emit::sentences(&rules(node), node.get("default")) {
        let sentence = sentence.strip_suffix('.').unwrap_or(&sentence);
        match sentence.split_once(": ") {
            Some((label, value)) if !label.contains('`') => add(label, value.to_owned()),
            _ => add("", sentence.to_owned()),
        }
    }
    let flag = |keyword: &str| node[keyword] == true;
    if flag("nullable") {
        add("", "May be null".to_owned());
    }
    if node["x-kubernetes-list-type"] == "atomic" || node["x-kubernetes-map-type"] == "atomic" {
        add("", "Replaced as a whole by server-side apply".to_owned());
    }
    if flag("x-kubernetes-preserve-unknown-fields") {
        add("", "Keeps fields that are not listed here".to_owned());
    }
    if flag("x-kubernetes-embedded-resource") {
        add(
            "",
            "A whole object, with `apiVersion`, `kind` and `metadata`".to_owned(),
        );
    }
    for (keyword, label) in [
        ("allOf", "All of"),
        ("anyOf", "At least one of"),
        ("oneOf", "Exactly one of"),
        ("not", "Must not match"),
    ] {
        let is_known = keyword == "not" && is_word(&node["not"])
            || flag("x-kubernetes-int-or-string") && is_pair(&node[keyword])
            || matches!(keyword, "anyOf" | "oneOf") && is_choice(&node[keyword]);
        if let Some(schema) = node.get(keyword).filter(|_| !is_known) {
            let text = schema.to_string();
            let text = if text.len() > LONGEST {
                "a schema that is too long for this page".to_owned()
            } else {
                emit::span(&text)
            };
            add(label, text);
        }
    }
    if let Some(required) = node
        .pointer("/not/required")
        .and_then(Value::as_array)
        .filter(|_| is_word(&node["not"]))
    {
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

fn rules(node: &Value) -> Rules {
    let bounds = Constraints::KEYWORDS.iter().copied();
    let keywords = ["enum"].into_iter().chain(bounds).chain(["oneOf", "anyOf"]);
    // They are named as the type.
    let is_type = |keyword: &str| matches!(keyword, "oneOf" | "anyOf") && is_pair(&node[keyword]);
    let texts = |keyword: &str| {
        let list = node[keyword].as_array().into_iter().flatten();
        list.filter_map(|it| it.as_str().map(str::to_owned))
            .collect()
    };
    Rules {
        constraints: keywords
            .filter(|keyword| !is_type(keyword))
            .filter_map(|keyword| Some((keyword, node.get(keyword)?.clone())))
            .collect(),
        list_type: node["x-kubernetes-list-type"].as_str().map(str::to_owned),
        list_map_keys: texts("x-kubernetes-list-map-keys"),
        ..Rules::NONE
    }
}

/// Returns the validation rules of a value, and of its entries.
pub(super) fn validations(node: &Value) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut node = Some(node);
    while let Some(at) = node {
        let list = at["x-kubernetes-validations"]
            .as_array()
            .into_iter()
            .flatten();
        rules.extend(list.filter_map(rule));
        node = element(at);
    }
    rules
}

fn rule(validation: &Value) -> Option<Rule> {
    let text = |key: &str| {
        validation[key]
            .as_str()
            .map(str::trim)
            .filter(|it| !it.is_empty())
    };
    let cel = text("rule")?.to_owned();
    let message = text("message").map(emit::line);
    let words = message.unwrap_or_default();
    Some(Rule { words, cel })
}

/// Returns whether a rule of a value, or one of its parent about this field, says that it never changes.
pub(super) fn is_immutable(node: &Value, parent: &Value, name: &str) -> bool {
    let has = |node: &Value, rule: &str| {
        let mut list = node["x-kubernetes-validations"]
            .as_array()
            .into_iter()
            .flatten();
        list.any(|it| {
            it["rule"]
                .as_str()
                .is_some_and(|it| it.split_whitespace().collect::<String>() == rule)
        })
    };
    has(node, "self==oldSelf")
        || has(node, "oldSelf==self")
        || has(parent, &format!("self.{name}==oldSelf.{name}"))
        || has(parent, &format!("oldSelf.{name}==self.{name}"))
}
