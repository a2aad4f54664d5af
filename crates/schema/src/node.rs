//! The schema of one value, read from `openAPIV3Schema`.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, OnceLock},
};

use kube_codegen_formats::{Rejected, pattern};
use regex::Regex;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[cfg(feature = "cel")]
use crate::rule::Rule;
#[cfg(feature = "sample")]
use crate::work;

/// A validation rule, which is not evaluated.
#[cfg(not(feature = "cel"))]
type Rule = serde::de::IgnoredAny;

/// A `JSONSchemaProps` without most keywords that concern documentation only.
#[allow(clippy::struct_excessive_bools)] // The API's fields.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    #[serde(rename = "type")]
    pub(crate) type_: Option<String>,
    pub(crate) format: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) nullable: bool,
    #[serde(rename = "enum", deserialize_with = "or_default")]
    pub(crate) values: Vec<Value>,
    pub(crate) minimum: Option<f64>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) exclusive_minimum: bool,
    pub(crate) maximum: Option<f64>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) required: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) properties: BTreeMap<String, Node>,
    pub(crate) additional_properties: Option<Additional>,
    pub(crate) items: Option<Box<Node>>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) all_of: Vec<Node>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) any_of: Vec<Node>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) one_of: Vec<Node>,
    pub(crate) not: Option<Box<Node>>,
    pub(crate) default: Option<Value>,
    #[cfg(feature = "sample")]
    pub(crate) example: Option<Value>,
    #[serde(
        rename = "x-kubernetes-preserve-unknown-fields",
        deserialize_with = "or_default"
    )]
    pub(crate) preserve_unknown_fields: bool,
    #[serde(
        rename = "x-kubernetes-embedded-resource",
        deserialize_with = "or_default"
    )]
    pub(crate) embedded_resource: bool,
    #[serde(rename = "x-kubernetes-int-or-string", deserialize_with = "or_default")]
    pub(crate) int_or_string: bool,
    #[serde(rename = "x-kubernetes-list-type")]
    pub(crate) list_type: Option<String>,
    #[serde(rename = "x-kubernetes-list-map-keys", deserialize_with = "or_default")]
    pub(crate) list_map_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-validations", deserialize_with = "or_default")]
    pub(crate) validations: Vec<Rule>,
    #[serde(skip)]
    pub(crate) has_rules: OnceLock<bool>,
    /// A text that pattern, format and bounds together permit, looked for once.
    #[cfg(feature = "sample")]
    #[serde(skip)]
    pub(crate) text: OnceLock<Option<String>>,
}

/// `additionalProperties`: a schema or a boolean.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Additional {
    Allowed(bool),
    Schema(Box<Node>),
}

/// A regular expression in Go's syntax, compiled when it is first used.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Pattern {
    pub(crate) source: String,
    compiled: Arc<Matcher>,
}

/// What is made of a pattern when it is first used.
#[derive(Debug, Default)]
struct Matcher {
    /// None of a pattern that is left out: it matches everything.
    regex: OnceLock<Result<Regex, Rejected>>,
    #[cfg(feature = "sample")]
    example: OnceLock<String>,
    /// About how large the automaton is.
    #[cfg(feature = "sample")]
    weight: OnceLock<usize>,
}

impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Self {
            source,
            compiled: Arc::default(),
        }
    }
}

/// What is compiled when it is first used, by its text: equal rules and patterns share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compiled {
    patterns: HashMap<String, Arc<Matcher>>,
    #[cfg(feature = "cel")]
    rules: crate::rule::Known,
}

impl Pattern {
    pub(crate) fn is_match(&self, text: &str) -> Result<bool, &Rejected> {
        #[cfg(feature = "sample")]
        if work::is_left_out(&self.source) {
            return Ok(true);
        }
        let regex = &self.compiled.regex;
        match regex.get_or_init(|| pattern::compile(&self.source)) {
            Ok(regex) => Ok(regex.is_match(text)),
            Err(why) => Err(why),
        }
    }

    /// Returns about how large the automaton is.
    #[cfg(feature = "sample")]
    pub(crate) fn weight(&self, count: impl FnOnce(&str) -> usize) -> usize {
        let weight = &self.compiled.weight;
        *weight.get_or_init(|| count(&self.source))
    }

    #[cfg(feature = "sample")]
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.regex.get().is_some()
    }

    /// Returns a text that matches, made once.
    #[cfg(feature = "sample")]
    pub(crate) fn example(&self, make: impl FnOnce(&str) -> String) -> &str {
        let example = &self.compiled.example;
        example.get_or_init(|| make(&self.source))
    }
}

/// Reads null as absent.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl Node {
    /// Shares what is compiled of rules and patterns, which is the greater part of the work to read a schema and use it once.
    pub(crate) fn share(&mut self, known: &mut Compiled) {
        if let Some(pattern) = &mut self.pattern {
            let shared = known.patterns.entry(pattern.source.clone());
            pattern.compiled = shared.or_insert(Arc::clone(&pattern.compiled)).clone();
        }
        #[cfg(feature = "cel")]
        for rule in &mut self.validations {
            rule.share(&mut known.rules);
        }
        let inner = [&mut self.all_of, &mut self.any_of, &mut self.one_of];
        let inner = inner
            .into_iter()
            .flatten()
            .chain(self.properties.values_mut());
        inner.for_each(|node| node.share(known));
        let inner = [&mut self.items, &mut self.not];
        inner
            .into_iter()
            .flatten()
            .for_each(|node| node.share(known));
        if let Some(Additional::Schema(node)) = &mut self.additional_properties {
            node.share(known);
        }
    }

    /// Returns the schema of a field that is declared or an additional property.
    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or_else(|| self.additional())
    }

    /// Returns the schema of additional properties.
    pub(crate) fn additional(&self) -> Option<&Self> {
        match &self.additional_properties {
            Some(Additional::Schema(node)) => Some(node),
            _ => None,
        }
    }

    /// Returns whether this schema or one inside it has validation rules; each place of an object asks.
    pub(crate) fn has_rules(&self) -> bool {
        *self.has_rules.get_or_init(|| {
            !self.validations.is_empty()
                || self.properties.values().any(Self::has_rules)
                || self.additional().is_some_and(Self::has_rules)
                || self.items.as_deref().is_some_and(Self::has_rules)
                || self.all_of.iter().any(Self::has_rules)
        })
    }

    /// Returns the JSON types that a value may have, without `null`.
    pub(crate) fn types(&self) -> &[&str] {
        match self.type_.as_deref() {
            _ if self.int_or_string => &["integer", "string"],
            Some("string") => &["string"],
            Some("integer") => &["integer"],
            Some("number") => &["number"],
            Some("boolean") => &["boolean"],
            Some("object") => &["object"],
            Some("array") => &["array"],
            _ => &[],
        }
    }
}
