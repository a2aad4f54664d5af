//! Parses label and field selectors and matches objects against them.

use std::{collections::BTreeMap, hash::Hasher as _};

use fnv::FnvHasher;
use kube::core::{Selector as LabelSelector, SelectorExt as _};
use kube_codegen_record::label_selector;
use serde::Deserialize as _;
use serde_json::Value;

use crate::{
    kinds::{events, target::Target},
    request::Query,
    values::{
        object::{at, list, strings, text},
        status::{Answer, bad_request, internal},
    },
};

/// The selectors of a list, a watch or the deletion of a collection.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    labels: LabelSelector,
    fields: Vec<FieldTerm>,
    shards: Shards,
}

/// The ranges of hashes of a `shardSelector`, and of what; none for all objects.
#[derive(Clone, Debug, Default)]
struct Shards {
    pointer: &'static str,
    ranges: Vec<(u128, u128)>,
}

#[derive(Clone, Debug)]
struct FieldTerm {
    pointer: String,
    value: String,
    equal: bool,
    /// How an absent field is compared: Go's zero value.
    absent: &'static str,
}

impl Selector {
    pub(crate) fn read(query: &Query, target: &Target) -> Answer<Self> {
        let supported = &target.version()?.fields;
        let field = |(path, value, equal): (&str, String, bool)| {
            if !matches!(path, "metadata.name" | "metadata.namespace")
                && !supported.iter().any(|supported| supported == path)
            {
                // Kinds without fields of their own have the texts of the default conversion.
                return Err(bad_request(
                    &if supported.is_empty() && !target.kind.custom {
                        format!(
                            "{path:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                        )
                    } else {
                        format!("field label not supported: {path}")
                    },
                ));
            }
            let (path, absent) = match path {
                _ if target.kind.custom => (path.to_owned(), ""),
                "spec.hostNetwork" | "spec.unschedulable" => (path.to_owned(), "false"),
                "status.replicas" => (path.to_owned(), "0"),
                "status.successful" => ("status.succeeded".to_owned(), "0"),
                path => (events::stored_path(&target.kind, path), ""),
            };
            let pointer = format!("/{}", path.replace('.', "/"));
            Ok(FieldTerm {
                pointer,
                value,
                equal,
                absent,
            })
        };
        let terms = split_terms(query.get("fieldSelector").unwrap_or_default());
        let terms: Vec<_> = terms.into_iter().map(parse_field).collect::<Answer<_>>()?;
        Ok(Self {
            labels: parse_labels(query.get("labelSelector").unwrap_or_default())?,
            fields: terms.into_iter().map(field).collect::<Answer<_>>()?,
            shards: Shards::default(),
        })
    }

    /// Reads the `shardSelector`, too.
    pub(crate) fn with_shards(mut self, query: &Query) -> Answer<Self> {
        if let Some(text) = query.get("shardSelector").filter(|text| !text.is_empty()) {
            let wrong = || internal(&format!("cannot read the shardSelector {text:?}"));
            self.shards = Shards::parse(text).ok_or_else(wrong)?;
        }
        Ok(self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.selects_all() && self.fields.is_empty() && self.shards.ranges.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = BTreeMap::deserialize(at(object, "/metadata/labels")).unwrap_or_default();
        self.labels.matches(&labels)
            && self.fields.iter().all(|field| field.matches(object))
            && self.shards.matches(object)
    }
}

impl Shards {
    /// Parses `shardRange(object.metadata.uid, '0x…', '0x…') || …`.
    fn parse(text: &str) -> Option<Self> {
        let mut shards = Self::default();
        for term in text.split("||") {
            let arguments = term.trim().strip_prefix("shardRange(")?.strip_suffix(')')?;
            let mut arguments = arguments.split(',').map(str::trim);
            let pointer = match arguments.next()? {
                "object.metadata.uid" => "/metadata/uid",
                "object.metadata.namespace" => "/metadata/namespace",
                _ => return None,
            };
            let mut bound = || {
                let quoted = arguments.next()?.strip_prefix('\'')?.strip_suffix('\'')?;
                let digits = quoted.strip_prefix("0x")?;
                let is_long = digits.len() == 16 || quoted == "0x10000000000000000";
                is_long.then(|| u128::from_str_radix(digits, 16).ok())?
            };
            let (start, end) = (bound()?, bound()?);
            let is_same = shards.ranges.is_empty() || shards.pointer == pointer;
            if !is_same || start >= end || arguments.next().is_some() {
                return None;
            }
            shards.pointer = pointer;
            shards.ranges.push((start, end));
        }
        Some(shards)
    }

    fn matches(&self, object: &Value) -> bool {
        if self.ranges.is_empty() {
            return true;
        }
        let mut hasher = FnvHasher::default();
        hasher.write(text(object, self.pointer).as_bytes());
        let hash = u128::from(hasher.finish());
        self.ranges
            .iter()
            .any(|(start, end)| (*start..*end).contains(&hash))
    }
}

impl FieldTerm {
    fn matches(&self, object: &Value) -> bool {
        let found = match at(object, &self.pointer) {
            Value::String(text) => text.clone(),
            Value::Null | Value::Array(_) | Value::Object(_) => self.absent.to_owned(),
            scalar => scalar.to_string(),
        };
        (found == self.value) == self.equal
    }
}

/// Splits a field selector at its commas, but for those after a backslash.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut is_escaped) = (0, false);
    for (at, char) in text.char_indices() {
        if char == ',' && !is_escaped {
            terms.push(&text[start..at]);
            start = at + 1;
        }
        is_escaped = char == '\\' && !is_escaped;
    }
    terms.push(&text[start..]);
    terms.retain(|term| !term.is_empty());
    terms
}

/// Takes a term apart at its first operator.
fn parse_field(term: &str) -> Answer<(&str, String, bool)> {
    let places = term.char_indices().map(|(at, _)| term.split_at(at));
    for (path, rest) in places {
        for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
            if let Some(value) = rest.strip_prefix(operator) {
                return Ok((path, unescape(value)?, equal));
            }
        }
    }
    Err(bad_request(&format!(
        "invalid selector: '{term}'; can't understand '{term}'"
    )))
}

/// Removes the backslashes before a comma, an equals sign or a backslash.
fn unescape(value: &str) -> Answer<String> {
    let mut out = String::new();
    let mut chars = value.chars();
    while let Some(char) = chars.next() {
        match (char, chars.clone().next()) {
            ('\\', Some(next @ ('\\' | ',' | '='))) => {
                out.push(next);
                chars.next();
            }
            ('\\', next) => {
                let next = next.map(String::from).unwrap_or_default();
                return Err(bad_request(&format!(
                    "invalid field selector: invalid escape sequence: \\{next}"
                )));
            }
            (',' | '=', _) => {
                let code = u32::from(char);
                return Err(bad_request(&format!(
                    "invalid field selector: unescaped character in value: {code}"
                )));
            }
            _ => out.push(char),
        }
    }
    Ok(out)
}

/// Parses a label selector as kube's, which matches objects.
fn parse_labels(text: &str) -> Answer<LabelSelector> {
    let selector = label_selector::parse(text)
        .map_err(|error| bad_request(&format!("unable to parse requirement: {error}")))?;
    LabelSelector::try_from(selector).map_err(|error| bad_request(&error.to_string()))
}

/// Returns whether a `LabelSelector` matches labels.
pub(crate) fn selects(selector: &Value, labels: &Value) -> bool {
    let equal = at(selector, "/matchLabels")
        .as_object()
        .into_iter()
        .flatten()
        .all(|(key, value)| labels.get(key) == Some(value));
    equal
        && list(selector, "/matchExpressions").iter().all(|rule| {
            let found = labels.get(text(rule, "/key")).and_then(Value::as_str);
            let listed =
                found.is_some_and(|found| strings(rule, "/values").iter().any(|it| it == found));
            match text(rule, "/operator") {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => found.is_some(),
                _ => found.is_none(),
            }
        })
}
