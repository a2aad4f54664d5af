//! Validates a value by the keywords of its schema, with the results of `kube-openapi`'s validator.
//!
//! All checks of a value run, also after one has failed. Where the Go code visits a map in random order, the order here is that of the names.

mod combinations;
mod numbers;

use std::collections::HashSet;

use kube_codegen_formats::{
    check as check_format,
    go::{self, Number, shown},
};
use serde_json::Value;

use crate::{
    cause::{Cause, Reason},
    node::{Additional, Node},
    old::Old,
    path,
};
use combinations::combinations;
use numbers::numbers;

/// Returns the violations of a value. `path` is the field that contains it, empty at the root of an object.
pub(crate) fn validate(schema: &Node, value: &Value, old: Option<Old<'_>>, at: &str) -> Vec<Cause> {
    let mut outcome = Outcome::default();
    outcome.merge(walk(schema, value, "", old));
    let causes = outcome.problems.into_iter().map(|problem| {
        let inner = problem.path.strip_prefix('.').unwrap_or(&problem.path);
        let field = match (at, inner) {
            (at, "") => at.to_owned(),
            (at, inner) => path::field(at, inner),
        };
        let cause = Cause::new(&field, problem.reason, &problem.value, &problem.detail);
        match problem.place {
            Some(place) if at.is_empty() => cause.at(&place),
            Some(place) => cause.at(&path::field(at, &place)),
            None => cause,
        }
    });
    causes.collect()
}

/// The violations of a value and the number of checks that ran, by which the best branch of `anyOf` and `oneOf` is found.
#[derive(Default)]
struct Outcome {
    problems: Vec<Problem>,
    /// The texts of the problems.
    known: HashSet<String>,
    matched: usize,
}

struct Problem {
    /// Identifies equal problems, which are reported once.
    text: String,
    path: String,
    reason: Reason,
    /// The value in the message.
    value: String,
    detail: String,
    /// Where it is, if the validator reports it without field.
    place: Option<String>,
}

impl Problem {
    /// A problem whose text is its detail.
    fn new(path: &str, reason: Reason, value: String, detail: String) -> Self {
        Self {
            text: detail.clone(),
            path: path.to_owned(),
            reason,
            value,
            detail,
            place: None,
        }
    }

    fn invalid(path: &str, value: &Value, rule: &str) -> Self {
        let detail = format!("{path} in body {rule}");
        Self::new(path, Reason::Invalid, shown(value), detail)
    }

    /// A problem that the validator reports without field and value.
    fn nowhere(path: &str, detail: String) -> Self {
        Self {
            place: Some(path.to_owned()),
            ..Self::new("", Reason::Invalid, "\"\"".to_owned(), detail)
        }
    }

    fn wrong_type(path: &str, expected: &str, found: &str) -> Self {
        let found = go::quote(found);
        let detail = format!("{path} in body must be of type {expected}: {found}");
        Self::new(path, Reason::TypeInvalid, found, detail)
    }

    /// A problem whose message says less than its text.
    fn short(path: &str, reason: Reason, value: String, detail: String, text: &str) -> Self {
        Self {
            text: format!("{path} {text}"),
            ..Self::new(path, reason, value, detail)
        }
    }
}

impl Outcome {
    fn add(&mut self, problem: Problem) {
        if self.known.insert(problem.text.clone()) {
            self.problems.push(problem);
        }
    }

    fn merge(&mut self, other: Self) {
        self.matched += other.matched;
        for problem in other.problems {
            self.add(problem);
        }
    }

    /// Merges the outcome of one group of checks.
    fn check(&mut self, other: Self) {
        self.merge(other);
        self.matched += 1;
    }

    fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }
}

fn walk(schema: &Node, value: &Value, path: &str, old: Option<Old<'_>>) -> Outcome {
    let mut outcome = Outcome::default();
    if value.is_null() {
        outcome.merge(null(schema, path));
        outcome.merge(enumeration(schema, value, path));
        return outcome;
    }
    if !schema.types().is_empty() || schema.format.is_some() {
        outcome.check(type_of_value(schema, value, path));
    }
    outcome.check(combinations(schema, value, path));
    match value {
        Value::String(text) => {
            outcome.check(string(schema, text, path));
            if let Some(format) = schema.format.as_deref()
                && let Some(is_valid) = check_format(format, text)
            {
                let mut found = Outcome::default();
                if !is_valid {
                    found.add(Problem::wrong_type(path, format, text));
                }
                outcome.check(found);
            }
        }
        Value::Number(_) => {
            if let Some(number) = Number::of(value) {
                outcome.check(numbers(schema, number, value, path));
            }
        }
        Value::Array(items) => outcome.check(list(schema, items, path, old)),
        _ => {}
    }
    outcome.check(enumeration(schema, value, path));
    if let Value::Object(fields) = value {
        outcome.check(object(schema, fields, path, old));
    }
    outcome.matched += 1;
    if old.is_some_and(Old::is_equal) {
        outcome.problems.clear();
        outcome.known.clear();
    }
    outcome
}

fn null(schema: &Node, path: &str) -> Outcome {
    let mut outcome = Outcome::default();
    outcome.matched += 1;
    let types = schema.types();
    if !types.is_empty() && !schema.nullable {
        outcome = Outcome::default();
        outcome.add(Problem::wrong_type(path, &types.join(","), "null"));
    }
    outcome
}

/// Returns the name of a value's JSON type and its Go type, if that is a number.
fn names(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::Number(_) => match Number::of(value) {
            Some(Number::Int(_)) => ("integer", "int64"),
            _ => ("number", "float64"),
        },
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
    }
}

fn type_of_value(schema: &Node, value: &Value, path: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let types = schema.types();
    let (found, size) = names(value);
    let is_float_int = match Number::of(value) {
        Some(Number::Float(float)) => types.contains(&"integer") && numbers::is_integral(float),
        Some(Number::Int(_)) => types.contains(&"number"),
        None => false,
    };
    let is_match = types.contains(&found) || is_float_int;
    let is_numeric = types.contains(&"number") || types.contains(&"integer");
    let is_text = value.is_string() || value.is_array();
    match schema.format.as_deref() {
        Some(format) if !is_text && !is_match && format != size => {
            outcome.add(Problem::wrong_type(path, format, size));
        }
        // The validator of the format reports these.
        Some(_) if is_text && !is_numeric => outcome.matched += 1,
        _ if is_match => outcome.matched += 1,
        _ => outcome.add(Problem::wrong_type(path, &types.join(","), found)),
    }
    outcome
}

/// An enum matches after a conversion to the type of its value, as Go converts.
fn enumeration(schema: &Node, value: &Value, path: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let matches = |expected: &Value| match (Number::of(expected), Number::of(value)) {
        (Some(Number::Int(expected)), Some(Number::Float(found))) => expected == go::int(found),
        (Some(Number::Float(expected)), Some(found)) => {
            expected.to_bits() == found.as_f64().to_bits()
        }
        (None, Some(Number::Int(found))) => expected.as_str().is_some_and(|expected| {
            let letter = u32::try_from(found).ok().and_then(char::from_u32);
            expected == letter.unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
        }),
        _ => !expected.is_null() && expected == value,
    };
    if !schema.values.is_empty() && !schema.values.iter().any(matches) {
        let listed = schema.values.iter().map(|value| match value {
            Value::String(text) => go::quote(text),
            value => go::quote(&go::json(value)),
        });
        let listed: Vec<_> = listed.collect();
        let listed = listed.join(", ");
        let detail = format!("supported values: {listed}");
        outcome.add(Problem::short(
            path,
            Reason::NotSupported,
            shown(value),
            detail,
            &format!("enum {listed}"),
        ));
    }
    outcome
}

/// Only the first violation is reported.
fn string(schema: &Node, text: &str, path: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let invalid = |rule: &str| Problem::invalid(path, &Value::from(text), rule);
    if let Some(bound) = schema.max_length.filter(|bound| length() > *bound) {
        let unit = if bound == 1 { "byte" } else { "bytes" };
        let detail = format!("may not be more than {bound} {unit}");
        outcome.add(Problem::short(
            path,
            Reason::TooLong,
            String::new(),
            detail,
            "maxLength",
        ));
    } else if let Some(bound) = schema.min_length.filter(|bound| length() < *bound) {
        outcome.add(invalid(&format!("should be at least {bound} chars long")));
    } else if let Some(pattern) = &schema.pattern {
        match pattern.is_match(text) {
            Ok(true) => {}
            Ok(false) => outcome.add(invalid(&format!("should match '{}'", pattern.source))),
            Err(why) => outcome.add(invalid(&format!(
                "should match '{}, but pattern is invalid: {why}'",
                pattern.source
            ))),
        }
    }
    outcome
}

fn list(schema: &Node, items: &[Value], path: &str, old: Option<Old<'_>>) -> Outcome {
    let mut outcome = Outcome::default();
    if let Some(inner) = &schema.items {
        for (index, item) in items.iter().enumerate() {
            let old = old.and_then(|old| old.index(index));
            outcome.merge(walk(inner, item, &path::index(path, index), old));
        }
    }
    outcome.too_few(schema.min_items, items.len(), "items", path);
    outcome.too_many(schema.max_items, items.len(), "maxItems", path);
    outcome.matched += 1;
    outcome
}

fn object(
    schema: &Node,
    fields: &serde_json::Map<String, Value>,
    path: &str,
    old: Option<Old<'_>>,
) -> Outcome {
    let mut outcome = Outcome::default();
    outcome.too_few(schema.min_properties, fields.len(), "properties", path);
    outcome.too_many(schema.max_properties, fields.len(), "maxProperties", path);
    let old_field = |name: &str| {
        let is_type = path.is_empty() && matches!(name, "apiVersion" | "kind");
        old.filter(|_| !is_type).and_then(|old| old.field(name))
    };
    let undeclared = fields
        .iter()
        .filter(|(name, _)| !schema.properties.contains_key(*name));
    for (name, value) in undeclared {
        let path = format!("{path}.{name}");
        match &schema.additional_properties {
            Some(Additional::Schema(inner)) => {
                outcome.merge(walk(inner, value, &path, old_field(name)));
            }
            Some(Additional::Allowed(false)) => {
                let detail = format!("{path} in body is a forbidden property");
                let parent = path.strip_suffix(&format!(".{name}")).unwrap_or_default();
                outcome.add(Problem::new(
                    parent,
                    Reason::Invalid,
                    go::quote(name),
                    detail,
                ));
            }
            _ => {}
        }
    }
    for (name, inner) in &schema.properties {
        if let Some(value) = fields.get(name) {
            outcome.merge(walk(
                inner,
                value,
                &path::field(path, name),
                old_field(name),
            ));
        }
    }
    for name in &schema.required {
        if !fields.contains_key(name) {
            let path = format!("{path}.{name}");
            outcome.add(Problem::short(
                &path,
                Reason::Required,
                String::new(),
                String::new(),
                "required",
            ));
        }
    }
    outcome
}

impl Outcome {
    fn too_few(&mut self, bound: Option<i64>, size: usize, what: &str, path: &str) {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        if let Some(bound) = bound.filter(|bound| size < *bound) {
            let rule = format!("should have at least {bound} {what}");
            self.add(Problem::invalid(path, &size.into(), &rule));
        }
    }

    fn too_many(&mut self, bound: Option<i64>, size: usize, keyword: &str, path: &str) {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        if let Some(bound) = bound.filter(|bound| size > *bound) {
            let items = if bound == 1 { "item" } else { "items" };
            let detail = format!("must have at most {bound} {items}");
            self.add(Problem::short(
                path,
                Reason::TooMany,
                size.to_string(),
                detail,
                keyword,
            ));
        }
    }
}
