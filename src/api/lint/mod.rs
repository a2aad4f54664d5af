//! Looks for what the API server accepts and the conventions of Kubernetes advise against.
mod rules;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    base::diag::{Code, Diagnostics, Place, Severity, pointer},
    input::crd::schema_path,
};
pub(crate) use rules::{Level, Rule};

/// Reports the findings of a CRD whose place is given.
pub(crate) fn lint(
    crd: &Value,
    place: &Place,
    levels: &BTreeMap<Rule, Level>,
    diagnostics: &mut Diagnostics,
) {
    let mut lint = Lint {
        place: place.clone(),
        root: String::new(),
        levels,
        diagnostics,
    };
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    for (index, version) in versions.enumerate() {
        lint.place.version = version["name"].as_str().map(str::to_owned);
        let at = format!("/spec/versions/{index}");
        let schema = &version["schema"]["openAPIV3Schema"];
        let root = format!("{at}/schema/openAPIV3Schema");
        lint.root.clone_from(&root);
        lint.status(version, schema, &at, &root);
        for (name, field) in properties(schema) {
            if !matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                lint.field(name, field, &root);
            }
        }
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

struct Lint<'a> {
    place: Place,
    /// The pointer of the schema.
    root: String,
    levels: &'a BTreeMap<Rule, Level>,
    diagnostics: &'a mut Diagnostics,
}

impl Lint<'_> {
    fn report(&mut self, rule: Rule, at: &str, what: &str) {
        let level = self.levels.get(&rule).copied();
        let severity = match level.unwrap_or(rule.level()) {
            Level::Off => return,
            Level::Note => Severity::Note,
            Level::Warning => Severity::Warning,
            Level::Error => Severity::Error,
        };
        let place = Place {
            pointer: format!("{}{at}", self.place.pointer),
            key: true,
            schema_path: at.strip_prefix(&self.root).map(schema_path),
            ..self.place.clone()
        };
        let message = format!("{}: {what}: {}", rule.name(), rule.means());
        let diagnostic = self.diagnostics.report(Code::Practice, place, message);
        diagnostic.severity = severity;
        diagnostic.rule = Some(rule.name());
        diagnostic.hint(format!("{}; see {}", rule.advice(), rule.source()));
    }

    fn status(&mut self, version: &Value, schema: &Value, at: &str, root: &str) {
        let status = &schema["properties"]["status"];
        if !status.is_object() {
            return;
        }
        let path = format!("{root}/properties/status");
        if version["subresources"].get("status").is_none() {
            self.report(Rule::StatusSubresource, at, "`subresources`");
        }
        let conditions = &status["properties"]["conditions"];
        if !conditions.is_object() {
            self.report(Rule::Conditions, &path, "`status`");
        } else if conditions["x-kubernetes-list-map-keys"] != serde_json::json!(["type"]) {
            let path = format!("{path}/properties/conditions");
            self.report(Rule::ConditionsKey, &path, "`status.conditions`");
        }
        let own = &status["properties"]["observedGeneration"];
        let inner = &conditions["items"]["properties"]["observedGeneration"];
        if !own.is_object() && !inner.is_object() {
            self.report(Rule::ObservedGeneration, &path, "`status`");
        }
        if status["required"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
        {
            self.report(
                Rule::StatusRequired,
                &format!("{path}/required"),
                "`status`",
            );
        }
        if status["properties"]["phase"].is_object() {
            self.report(
                Rule::Phase,
                &format!("{path}/properties/phase"),
                "`status.phase`",
            );
        }
    }

    /// Looks at a field, and at what is below it.
    fn field(&mut self, name: &str, field: &Value, above: &str) {
        let mut at = format!("{above}/properties");
        pointer::push(&mut at, name);
        let what = format!("`{name}`");
        let is_described = field["description"]
            .as_str()
            .is_some_and(|text| !text.trim().is_empty());
        if !is_described {
            self.report(Rule::MissingDescription, &at, &what);
        }
        if !is_camel(name) {
            self.report(Rule::FieldCase, &at, &what);
        }
        self.names(name, field, &at, &what);
        self.node(field, &at, &what);
    }

    /// Looks at the name of a field and its type.
    fn names(&mut self, name: &str, field: &Value, at: &str, what: &str) {
        const MEASURED: [&str; 7] = [
            "timeout", "interval", "delay", "period", "duration", "ttl", "age",
        ];
        const UNITS: [&str; 12] = [
            "seconds",
            "minutes",
            "hours",
            "days",
            "milliseconds",
            "nanoseconds",
            "microseconds",
            "millis",
            "bytes",
            "percent",
            "count",
            "mb",
        ];
        let words = name.to_ascii_lowercase();
        let is_number = matches!(field["type"].as_str(), Some("integer" | "number"));
        let last = MEASURED.iter().find(|word| words.ends_with(**word));
        // `storage` is not an age.
        let is_measured =
            last.is_some_and(|word| *word != "age" || matches!(&*words, "age" | "maxage"));
        let has_unit = UNITS.iter().any(|unit| words.ends_with(unit));
        if is_number && is_measured && !has_unit {
            self.report(Rule::Unit, at, what);
        }
        if field["format"] == "date-time" && !name.ends_with("Time") && name != "time" {
            self.report(Rule::TimeName, at, what);
        }
        let is_reference = ["Ref", "Reference"].iter().any(|end| name.ends_with(end));
        // A text that is one of a few values refers to nothing.
        if is_reference && field["type"] == "string" && field.get("enum").is_none() {
            self.report(Rule::ReferenceText, at, what);
        }
    }

    fn node(&mut self, node: &Value, at: &str, what: &str) {
        let has_rules = node["x-kubernetes-validations"]
            .as_array()
            .is_some_and(|all| !all.is_empty());
        match node["type"].as_str() {
            Some("boolean") => self.report(Rule::Boolean, at, what),
            Some("number") => self.report(Rule::Float, at, what),
            Some("integer") if !matches!(node["format"].as_str(), Some("int32" | "int64")) => {
                self.report(Rule::IntegerFormat, at, what);
            }
            Some("array") => {
                if node["items"]["properties"].is_object()
                    && node.get("x-kubernetes-list-type").is_none()
                {
                    self.report(Rule::ListType, at, what);
                }
                if (has_rules || has_rules_below(&node["items"])) && node.get("maxItems").is_none()
                {
                    self.report(Rule::Unbounded, at, what);
                }
            }
            Some("object") if node["additionalProperties"].is_object() => {
                let values = &node["additionalProperties"];
                if values["properties"].is_object() {
                    self.report(Rule::MapOfObjects, at, what);
                }
                if (has_rules || has_rules_below(values)) && node.get("maxProperties").is_none() {
                    self.report(Rule::Unbounded, at, what);
                }
            }
            Some("string")
                if has_rules && node.get("maxLength").is_none() && node.get("enum").is_none() =>
            {
                self.report(Rule::Unbounded, at, what);
            }
            _ => {}
        }
        if node["nullable"] == true {
            self.report(Rule::Nullable, at, what);
        }
        if node["x-kubernetes-preserve-unknown-fields"] == true
            && node["x-kubernetes-embedded-resource"] != true
        {
            self.report(Rule::AnyJson, at, what);
        }
        let mut values = node["enum"].as_array().into_iter().flatten();
        if values.any(|value| value.as_str().is_some_and(|text| !is_constant(text))) {
            self.report(Rule::EnumCase, at, what);
        }
        for (name, field) in properties(node) {
            self.field(name, field, at);
        }
        for inner in ["items", "additionalProperties"] {
            if node[inner].is_object() {
                self.node(&node[inner], &format!("{at}/{inner}"), what);
            }
        }
    }
}

/// Returns whether a schema, or what is below it, has rules.
fn has_rules_below(node: &Value) -> bool {
    let own = node["x-kubernetes-validations"].as_array();
    own.is_some_and(|all| !all.is_empty())
        || properties(node).any(|(_, field)| has_rules_below(field))
        || ["items", "additionalProperties"]
            .iter()
            .any(|inner| node[*inner].is_object() && has_rules_below(&node[*inner]))
}

fn is_camel(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns whether an enum value is in CamelCase. Empty means that nothing was chosen.
fn is_constant(text: &str) -> bool {
    text.is_empty()
        || (text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.chars().all(|c| c.is_ascii_alphanumeric()))
}
