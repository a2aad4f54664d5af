//! Replaces what differs between two runs of one server.

use std::{collections::BTreeMap, fmt::Write as _, sync::LazyLock};

use regex::Regex;
use serde_json::{Map, Value};

/// Stands for the version of a list, which grows with any write to the server.
pub(crate) const LIST: &str = "rvLIST";

#[expect(clippy::expect_used, reason = "constant patterns")]
static UUID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").expect("valid")
});
#[expect(clippy::expect_used, reason = "constant patterns")]
static VERSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(resourceVersion\\*":\\*"|in record \()\d+"#).expect("valid"));
/// A message about versions.
#[expect(clippy::expect_used, reason = "constant patterns")]
static QUOTES_VERSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?i)resource ?version").expect("valid"));
#[expect(clippy::expect_used, reason = "constant patterns")]
static TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z").expect("valid"));

#[expect(clippy::expect_used, reason = "constant patterns")]
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b10\.(0|96)\.\d+\.\d+\b").expect("valid"));
/// A value in a message. For built-in kinds, a real server prints Go's internal types.
#[expect(clippy::expect_used, reason = "constant patterns")]
static PRINTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(Invalid|Unsupported|Duplicate) value: (null|[\[{].*[\]}]): ").expect("valid")
});
/// The start of one bound after another in a message of a `LimitRange`.
#[expect(clippy::expect_used, reason = "constant patterns")]
static BOUND: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r", (maximum |minimum |\S+ max limit )").expect("valid"));
/// The value of a duplicate item, at the end of a message.
#[expect(clippy::expect_used, reason = "constant patterns")]
static REPEATED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"Duplicate value: \{.*\}$").expect("valid"));

/// A cell with the time since a date, as `kubectl get` shows it. It depends on the day of the run.
#[expect(clippy::expect_used, reason = "constant patterns")]
static AGE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\d+(s|y(\d+d)?)$").expect("valid"));

/// The placeholders of one run. Equal values have equal placeholders, numbered by first occurrence.
#[derive(Debug, Default)]
pub struct Normal {
    namespace: String,
    uids: BTreeMap<String, usize>,
    addresses: BTreeMap<String, usize>,
    node_ports: BTreeMap<i64, usize>,
    versions: BTreeMap<String, usize>,
}

impl Normal {
    /// Creates the placeholders of a run in a namespace.
    pub fn new(namespace: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            ..Self::default()
        }
    }

    /// Replaces what differs between two runs in an answer.
    pub fn value(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => self.fields(fields),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::String(text) => *text = self.text(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn fields(&mut self, fields: &mut Map<String, Value>) {
        if fields.contains_key("items")
            && let Some(Value::Object(metadata)) = fields.get_mut("metadata")
            && metadata.contains_key("resourceVersion")
        {
            metadata.insert("resourceVersion".to_owned(), LIST.into());
        }
        for (name, value) in fields.iter_mut() {
            match (name.as_str(), &mut *value) {
                ("resourceVersion", Value::String(text)) if text == LIST => {}
                ("resourceVersion", Value::String(text)) => *text = self.version(text),
                ("cells", Value::Array(cells)) => {
                    for cell in cells {
                        match cell {
                            Value::String(text) if AGE.is_match(text) => "AGE".clone_into(text),
                            _ => self.value(cell),
                        }
                    }
                }
                ("continue", Value::String(text)) if !text.is_empty() => *text = "CONTINUE".into(),
                ("nodePort" | "healthCheckNodePort", Value::Number(number)) => {
                    let next = self.node_ports.len();
                    let number = number.as_i64().unwrap_or_default();
                    let index = self.node_ports.entry(number).or_insert(next);
                    *value = format!("nodePort{index}").into();
                }
                _ => self.value(value),
            }
        }
        // Messages of built-in kinds show the value as Go's internal type, and a difference of such values.
        if let Some(Value::String(message)) = fields.get_mut("message") {
            if let Some(end) = message.find("\n@@") {
                message.replace_range(end.., "\n");
            }
            // Go reads maps in any order, and stops at the first item without a key.
            if message.contains(" does not contain declared merge key: ") {
                "an item does not contain the declared merge key".clone_into(message);
            }
            *message = REPEATED
                .replace(message, "Duplicate value: VALUE")
                .into_owned();
            *message = PRINTED
                .replace_all(message, "$1 value: VALUE: ")
                .into_owned();
        }
        // For built-in kinds, Go writes the fields of a patched object in another order.
        if let Some(Value::String(message)) = fields.get_mut("message") {
            sort_patched(message);
        }
        // Go reads the bounds of a LimitRange in any order.
        if let Some(Value::String(message)) = fields.get_mut("message")
            && let Some((start, bounds)) = message.split_once(" is forbidden: [")
        {
            let bounds = BOUND.replace_all(bounds.trim_end_matches(']'), "\n$1");
            let mut bounds: Vec<&str> = bounds.lines().collect();
            bounds.sort_unstable();
            *message = format!("{start} is forbidden: [{}]", bounds.join("; "));
        }
        // Entries of one second have no order.
        if let Some(Value::Array(entries)) = fields.get_mut("managedFields") {
            entries.sort_by_key(|entry| {
                ["operation", "manager", "apiVersion", "subresource"]
                    .map(|key| entry[key].to_string())
            });
        }
        // Go reads the fields of a typed object in any order.
        if let Some(Value::String(message)) = fields.get_mut("message")
            && let Some((start, errors)) = message.split_once("errors:\n  ")
        {
            let mut errors: Vec<&str> = errors.split("\n  ").collect();
            errors.sort_unstable();
            *message = format!("{start}errors:\n  {}", errors.join("\n  "));
        }
        // The compilers of rules and patterns have words of their own.
        if let Some(Value::String(message)) = fields.get_mut("message") {
            for start in [
                "compilation failed: ",
                "must be a valid regular expression, but isn't: ",
            ] {
                if let Some(at) = message.find(start) {
                    message.truncate(at + start.len());
                }
            }
        }
        // Go reads maps in any order, and stops at the first undeclared field.
        if let Some(Value::String(message)) = fields.get_mut("message")
            && message.contains("field not declared in schema")
            && let Some(end) = message.find("): ")
        {
            message.replace_range(end.., "): field not declared in schema");
        }
        if fields.get("kind").is_some_and(|kind| kind == "Status")
            && let Some(Value::Array(causes)) = fields
                .get_mut("details")
                .and_then(|details| details.get_mut("causes"))
        {
            // Go validates maps in any order.
            causes.sort_by_key(ToString::to_string);
            if causes.len() > 1
                && let Some(Value::String(message)) = fields.get_mut("message")
                && let Some((start, _)) = message.split_once(" is invalid: [")
            {
                *message = format!("{start} is invalid: [CAUSES]");
            }
        }
    }

    fn version(&mut self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let next = self.versions.len();
        format!("rv{}", self.versions.entry(text.to_owned()).or_insert(next))
    }

    fn text(&mut self, text: &str) -> String {
        let text = if self.namespace.is_empty() {
            text.to_owned()
        } else {
            text.replace(&self.namespace, "NS")
        };
        let uids = &mut self.uids;
        let text = UUID.replace_all(&text, |found: &regex::Captures<'_>| {
            let next = uids.len();
            format!("uid{}", uids.entry(found[0].to_owned()).or_insert(next))
        });
        let addresses = &mut self.addresses;
        let text = ADDRESS.replace_all(&text, |found: &regex::Captures<'_>| {
            let next = addresses.len();
            let index = addresses.entry(found[0].to_owned()).or_insert(next);
            format!("address{index}")
        });
        let text = TIME.replace_all(&text, "TIME");
        let text = VERSION.replace_all(&text, "${1}VERSION");
        // Any other number, as in "RFC 1123", is the same in each run.
        if !QUOTES_VERSION.is_match(&text) {
            return text.into_owned();
        }
        let versions = &self.versions;
        let is_digit = |c: char| c.is_ascii_digit();
        // Numbers below 100 are values of the object.
        let mut out = String::with_capacity(text.len());
        let mut rest = &*text;
        while let Some(start) = rest.find(is_digit) {
            let end = rest[start..]
                .find(|c| !is_digit(c))
                .map_or(rest.len(), |at| start + at);
            let number = &rest[start..end];
            out.push_str(&rest[..start]);
            // Neither is one with a unit, such as 500m, or one in a word, such as DNS-1035.
            let has_unit = rest[end..].starts_with(char::is_alphabetic);
            let is_in_word = out.ends_with(|c: char| c == '-' || c.is_alphabetic());
            let is_version = number.len() > 2 && !has_unit && !is_in_word;
            match versions.get(number).filter(|_| is_version) {
                Some(index) => _ = write!(out, "rv{index}"),
                None => out.push_str(number),
            }
            rest = &rest[end..];
        }
        out + rest
    }
}

/// Sorts the fields of the object that the rejection of a patch shows. That of a scale has owners on a real server alone.
fn sort_patched(message: &mut String) {
    const START: &str = "Invalid value: \"{";
    let Some(start) = message.find(START).map(|at| at + START.len() - 2) else {
        return;
    };
    let mut texts = serde_json::Deserializer::from_str(&message[start..]).into_iter::<String>();
    let Some(Ok(text)) = texts.next() else {
        return;
    };
    let end = start + texts.byte_offset();
    let Ok(mut object) = serde_json::from_str::<Value>(&text) else {
        return;
    };
    if object["kind"] == "Scale"
        && let Some(Value::Object(metadata)) = object.get_mut("metadata")
    {
        metadata.remove("managedFields");
    }
    let sorted = Value::from(object.to_string()).to_string();
    message.replace_range(start..end, &sorted);
}
