//! Parses label and field selectors and matches objects against them.

use std::collections::BTreeMap;

use kube::core::{Expression, Selector as LabelSelector, SelectorExt as _};
use serde::Deserialize as _;
use serde_json::Value;

use crate::{
    object::at,
    request::{Query, Target},
    status::{Answer, bad_request},
};

/// The selectors of a list, a watch or the deletion of a collection.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    labels: LabelSelector,
    fields: Vec<FieldTerm>,
}

#[derive(Clone, Debug)]
struct FieldTerm {
    pointer: String,
    value: String,
    equal: bool,
}

impl Selector {
    pub(crate) fn read(query: &Query, target: &Target) -> Answer<Self> {
        let supported = &target.version()?.fields;
        let field = |term| {
            let (path, value, equal) = parse_field(term)?;
            if !matches!(path, "metadata.name" | "metadata.namespace")
                && !supported.iter().any(|supported| supported == path)
            {
                return Err(bad_request(&format!("field label not supported: {path}")));
            }
            let pointer = format!("/{}", path.replace('.', "/"));
            let value = value.to_owned();
            Ok(FieldTerm {
                pointer,
                value,
                equal,
            })
        };
        let labels = split(query.get("labelSelector").unwrap_or_default());
        let fields = query.get("fieldSelector").unwrap_or_default().split(',');
        Ok(Self {
            labels: labels.map(parse_label).collect::<Answer<_>>()?,
            fields: fields
                .filter(|term| !term.is_empty())
                .map(field)
                .collect::<Answer<_>>()?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.selects_all() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = BTreeMap::deserialize(at(object, "/metadata/labels")).unwrap_or_default();
        self.labels.matches(&labels) && self.fields.iter().all(|field| field.matches(object))
    }
}

impl FieldTerm {
    fn matches(&self, object: &Value) -> bool {
        let found = match at(object, &self.pointer) {
            Value::String(text) => text.clone(),
            Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
            scalar => scalar.to_string(),
        };
        (found == self.value) == self.equal
    }
}

fn parse_field(term: &str) -> Answer<(&str, &str, bool)> {
    for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
        if let Some((path, value)) = term.split_once(operator) {
            return Ok((path, value, equal));
        }
    }
    Err(bad_request(&format!(
        "invalid selector: '{term}'; can't understand '{term}'"
    )))
}

fn parse_label(term: &str) -> Answer<Expression> {
    let invalid = || bad_request(&format!("unable to parse requirement: {term:?}"));
    if let Some((head, tail)) = term.split_once('(') {
        let values = tail.strip_suffix(')').ok_or_else(invalid)?;
        let values = values
            .split(',')
            .map(|value| value.trim().to_owned())
            .collect();
        return match head.split_whitespace().collect::<Vec<_>>().as_slice() {
            [key, "in"] => Ok(Expression::In((*key).to_owned(), values)),
            [key, "notin"] => Ok(Expression::NotIn((*key).to_owned(), values)),
            _ => Err(invalid()),
        };
    }
    let owned = |text: &str| text.trim().to_owned();
    if let Some((key, value)) = term.split_once("!=") {
        return Ok(Expression::NotEqual(owned(key), owned(value)));
    }
    if let Some((key, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        return Ok(Expression::Equal(owned(key), owned(value)));
    }
    let key = term.trim_start_matches('!').trim();
    if key.is_empty() || key.contains(char::is_whitespace) {
        return Err(invalid());
    }
    Ok(if term.starts_with('!') {
        Expression::DoesNotExist(key.to_owned())
    } else {
        Expression::Exists(key.to_owned())
    })
}

/// Splits at the commas outside parentheses.
fn split(selector: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let terms = selector.split(move |letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    });
    terms.map(str::trim).filter(|term| !term.is_empty())
}
