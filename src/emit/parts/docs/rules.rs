//! Describes constraints and defaults in short sentences.
use std::borrow::Cow;

use serde_json::Value;

use super::{
    span::{clean, span},
    wrap::wrap,
};
use crate::ir::{Element, Rules};

/// The longest default that the docs show.
const LONGEST_DEFAULT: usize = 200;

/// Returns the paragraphs about constraints and the default, each as lines.
pub(crate) fn paragraphs(rules: &Rules, default: Option<&Value>) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let words = sentences(rules, default);
    if !words.is_empty() {
        all.push(wrap(&words, "", ""));
    }
    let mut which = "Each entry".to_owned();
    let mut element = rules.element.as_deref();
    while let Some(Element { rules, default, .. }) = element {
        let words = sentences(rules, default.as_ref());
        if !words.is_empty() {
            all.push(wrap(&words, &format!("{which}: "), ""));
        }
        which.push_str(" of each entry");
        element = rules.element.as_deref();
    }
    let checks: Vec<String> = rules
        .validations
        .iter()
        .filter_map(check)
        .flat_map(|words| wrap(&words, "- ", "  "))
        .collect();
    if !checks.is_empty() {
        all.push(vec!["Validation:".into()]);
        all.push(checks);
    }
    all
}

/// Returns the sentences, between which lines may break.
fn sentences(rules: &Rules, default: Option<&Value>) -> Vec<String> {
    let mut sentences: Vec<String> = rules
        .constraints
        .iter()
        .filter_map(|(keyword, value)| constraint(keyword, value, rules))
        .collect();
    match rules.list_type.as_deref() {
        Some("set") => sentences.push("Items are unique.".into()),
        Some("map") if !rules.list_map_keys.is_empty() => {
            sentences.push(format!(
                "Items are unique by {}.",
                spans(&rules.list_map_keys)
            ));
        }
        _ => {}
    }
    if let Some(default) = default {
        let text = default.to_string();
        sentences.push(if text.len() > LONGEST_DEFAULT {
            "Has a default.".into()
        } else {
            format!("Default: {}.", span(&text))
        });
    }
    sentences
}

fn constraint(keyword: &str, value: &Value, rules: &Rules) -> Option<String> {
    let exclusive = |keyword: &str| {
        let is_set =
            |(name, value): &(&str, Value)| *name == keyword && *value == Value::Bool(true);
        if rules.constraints.iter().any(is_set) {
            " (exclusive)"
        } else {
            ""
        }
    };
    let code = |value: &Value| span(value.as_str().unwrap_or(&value.to_string()));
    Some(match keyword {
        // Zero constrains nothing.
        "minLength" | "minItems" | "minProperties" if value.as_u64() == Some(0) => return None,
        "minimum" => format!("Minimum: {value}{}.", exclusive("exclusiveMinimum")),
        "maximum" => format!("Maximum: {value}{}.", exclusive("exclusiveMaximum")),
        "multipleOf" => format!("Multiple of: {value}."),
        "minLength" => format!("Minimum length: {value}."),
        "maxLength" => format!("Maximum length: {value}."),
        "minItems" => format!("Minimum items: {value}."),
        "maxItems" => format!("Maximum items: {value}."),
        "minProperties" => format!("Minimum properties: {value}."),
        "maxProperties" => format!("Maximum properties: {value}."),
        "uniqueItems" if *value == Value::Bool(true) => "Items are unique.".into(),
        "pattern" => format!("Pattern: {}.", code(value)),
        "format" => format!("Format: {}.", code(value)),
        "enum" => {
            let values = value.as_array()?.iter().map(Value::to_string);
            format!("One of: {}.", spans(&values.collect::<Vec<_>>()))
        }
        "required" => format!("Required: {}.", spans(&names(value)?)),
        "oneOf" => set("Exactly one of ", &alternatives(value)?),
        "anyOf" => set("At least one of ", &alternatives(value)?),
        _ => return None,
    })
}

/// Describes properties that exclude or need each other. A single one is required.
fn set(how_many: &str, names: &[String]) -> String {
    let how_many = if names.len() == 1 { "" } else { how_many };
    format!("{how_many}{} must be set.", spans(names))
}

/// Returns the property that each branch requires, if no branch says anything else.
fn alternatives(branches: &Value) -> Option<Vec<String>> {
    branches
        .as_array()?
        .iter()
        .map(|branch| {
            let branch = branch.as_object()?;
            let mut names = names(branch.get("required")?)?;
            (branch.len() == 1 && names.len() == 1).then(|| names.remove(0))
        })
        .collect()
}

fn names(value: &Value) -> Option<Vec<String>> {
    let names = value.as_array()?.iter();
    names.map(|name| name.as_str().map(str::to_owned)).collect()
}

fn spans(names: &[String]) -> String {
    let spans: Vec<String> = names.iter().map(|name| span(name)).collect();
    spans.join(", ")
}

/// Returns the message of a validation rule, or the rule itself.
fn check(validation: &Value) -> Option<Vec<String>> {
    let text = |key: &str| validation.get(key).and_then(Value::as_str);
    let message = text("message").map(str::trim).filter(|it| !it.is_empty());
    match (message, text("rule")) {
        (Some(message), _) => {
            let message = clean(message);
            let words = super::inline::words(&message).into_iter();
            Some(words.map(Cow::into_owned).collect())
        }
        (None, Some(rule)) => Some(vec![span(rule.trim())]),
        (None, None) => None,
    }
}
