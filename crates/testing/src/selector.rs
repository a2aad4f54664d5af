//! Label and field selectors in query form in, a yes or no per object out; it never reads the store.
use serde_json::Value;

use super::failure::{Answer, bad_request};
use super::object::{at, text};
use super::request::{Query, Target};

/// Both selectors of a list, watch or delete of a collection.
#[derive(Clone, Debug, Default)]
pub(super) struct Selector {
    labels: Vec<Label>,
    fields: Vec<Field>,
}

#[derive(Clone, Debug)]
enum Label {
    In(String, Vec<String>),
    /// Also true where the label is absent.
    NotIn(String, Vec<String>),
    Exists(String),
    Absent(String),
}

#[derive(Clone, Debug)]
struct Field {
    pointer: String,
    value: String,
    equal: bool,
}

impl Selector {
    pub(super) fn read(query: &Query, target: &Target) -> Answer<Self> {
        let labels = split(query.get("labelSelector").unwrap_or_default())
            .into_iter()
            .map(label)
            .collect::<Answer<_>>()?;
        let mut fields = Vec::new();
        let allowed = &target.version()?.fields;
        for term in query
            .get("fieldSelector")
            .unwrap_or_default()
            .split(',')
            .filter(|term| !term.is_empty())
        {
            let field = field(term)?;
            let known = matches!(field.0, "metadata.name" | "metadata.namespace")
                || allowed.iter().any(|path| path == field.0);
            if !known {
                return Err(bad_request(&format!(
                    "field label not supported: {}",
                    field.0
                )));
            }
            fields.push(Field {
                pointer: format!("/{}", field.0.replace('.', "/")),
                value: field.1.to_owned(),
                equal: field.2,
            });
        }
        Ok(Self { labels, fields })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(super) fn matches(&self, object: &Value) -> bool {
        let labels = at(object, "/metadata/labels");
        self.labels.iter().all(|label| label.matches(labels))
            && self.fields.iter().all(|field| field.matches(object))
    }
}

impl Label {
    fn matches(&self, labels: &Value) -> bool {
        let value = |key: &str| labels.get(key).and_then(Value::as_str);
        match self {
            Self::In(key, values) => {
                value(key).is_some_and(|found| values.iter().any(|value| value == found))
            }
            Self::NotIn(key, values) => {
                value(key).is_none_or(|found| values.iter().all(|value| value != found))
            }
            Self::Exists(key) => value(key).is_some(),
            Self::Absent(key) => value(key).is_none(),
        }
    }
}

impl Field {
    fn matches(&self, object: &Value) -> bool {
        let same = match at(object, &self.pointer) {
            Value::Bool(found) => found.to_string() == self.value,
            Value::Number(found) => found.to_string() == self.value,
            _ => text(object, &self.pointer) == self.value,
        };
        same == self.equal
    }
}

fn field(term: &str) -> Answer<(&str, &str, bool)> {
    for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
        if let Some((path, value)) = term.split_once(operator) {
            return Ok((path, value, equal));
        }
    }
    Err(bad_request(&format!(
        "invalid selector: '{term}'; can't understand '{term}'"
    )))
}

fn label(term: &str) -> Answer<Label> {
    let bad = || bad_request(&format!("unable to parse requirement: {term:?}"));
    if let Some((head, tail)) = term.split_once('(') {
        let values = tail
            .strip_suffix(')')
            .ok_or_else(bad)?
            .split(',')
            .map(|value| value.trim().to_owned())
            .collect();
        return match head.split_whitespace().collect::<Vec<_>>().as_slice() {
            [key, "in"] => Ok(Label::In((*key).to_owned(), values)),
            [key, "notin"] => Ok(Label::NotIn((*key).to_owned(), values)),
            _ => Err(bad()),
        };
    }
    let one = |text: &str| vec![text.trim().to_owned()];
    if let Some((key, value)) = term.split_once("!=") {
        return Ok(Label::NotIn(key.trim().to_owned(), one(value)));
    }
    if let Some((key, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        return Ok(Label::In(key.trim().to_owned(), one(value)));
    }
    let name = term.trim_start_matches('!').trim();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(bad());
    }
    Ok(if term.starts_with('!') {
        Label::Absent(name.to_owned())
    } else {
        Label::Exists(name.to_owned())
    })
}

/// Splits at the commas outside brackets.
fn split(selector: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = selector.split(|letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}
