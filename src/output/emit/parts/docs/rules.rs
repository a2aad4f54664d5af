//! Describes constraints and defaults in short sentences.
use std::{borrow::Cow, fmt::Write};

use serde_json::Value;

use super::{
    span::{clean, span},
    wrap::wrap,
};
use crate::model::ir::{Element, Rules};

/// The longest default that the docs show.
const LONGEST_DEFAULT: usize = 200;

/// The longest CEL rule that the docs show, in characters.
const LONGEST_RULE: usize = 300;

/// The most values or names that the docs list.
const MOST_NAMES: usize = 100;

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
pub(crate) fn sentences(rules: &Rules, default: Option<&Value>) -> Vec<String> {
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
    let shown = names.iter().take(MOST_NAMES);
    let spans: Vec<String> = shown.map(|name| span(name)).collect();
    let mut text = spans.join(", ");
    if let Some(more) = names.len().checked_sub(MOST_NAMES + 1) {
        _ = write!(text, " and {} more", more + 1);
    }
    text
}

/// Returns the message of a validation rule and the rule itself.
fn check(validation: &Value) -> Option<Vec<String>> {
    let text = |key: &str| {
        let text = validation.get(key).and_then(Value::as_str);
        text.map(str::trim).filter(|it| !it.is_empty())
    };
    let mut words = Vec::new();
    if let Some(message) = text("message") {
        let message = clean(message);
        let message = super::inline::words(&message).into_iter();
        words.extend(message.map(Cow::into_owned));
    }
    if let Some(word) = words.last_mut()
        && word.ends_with(char::is_alphanumeric)
        && text("rule").is_some()
    {
        word.push(':');
    }
    if let Some(rule) = text("rule") {
        // The indentation of a rule of several lines says nothing in one line.
        let lines = rule.lines().map(str::trim).filter(|line| !line.is_empty());
        let rule = lines.collect::<Vec<_>>().join(" ");
        match rule.char_indices().nth(LONGEST_RULE) {
            Some((end, _)) => words.extend([span(rule[..end].trim_end()), "…".to_owned()]),
            None => words.push(span(&rule)),
        }
    }
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(validation: &Value) -> String {
        check(validation).unwrap_or_default().join(" ")
    }

    #[test]
    fn a_rule_follows_its_message() {
        for (validation, expected) in [
            (
                json!({"message": "Must be small.", "rule": "self < 3"}),
                "Must be small. `self < 3`",
            ),
            (
                json!({"message": "must be small", "rule": "self < 3"}),
                "must be small: `self < 3`",
            ),
            (json!({"rule": "self < 3", "message": " "}), "`self < 3`"),
            (json!({"message": "*bold*"}), "\\*bold\\*"),
            (
                json!({"rule": "has(self.a)\n    && self.a == '`'\r\n"}),
                "``has(self.a) && self.a == '`'``",
            ),
            (
                json!({"rule": "```\n# x\n```", "message": "m"}),
                "m: ```` ``` # x ``` ````",
            ),
            (json!({"rule": 1}), ""),
        ] {
            assert_eq!(shown(&validation), expected, "{validation}");
        }
    }

    #[test]
    fn what_is_long_is_cut() {
        let rule = "é`a".repeat(200);
        let shown = shown(&json!({"rule": rule}));
        assert!(
            shown.starts_with("``é`aé") && shown.ends_with("a`` …"),
            "{shown}"
        );
        assert!(shown.chars().count() < LONGEST_RULE + 10);
        let names: Vec<String> = (0..150).map(|it| it.to_string()).collect();
        assert!(spans(&names).ends_with(", `99` and 50 more"));
        assert!(spans(&names[..101]).ends_with("`99` and 1 more"));
        assert!(spans(&names[..100]).ends_with("`99`"));
    }
}
