//! Looks for what the API server accepts and the conventions of Kubernetes advise against.
mod rules;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    base::diag::{Code, Diagnostics, Place, Severity},
    input::{
        crd::{Schema, SchemaType, Version},
        path::{SchemaPath, Segment},
    },
};
pub(crate) use rules::{Level, Rule};

/// Reports the findings of the versions of a CRD.
pub(crate) fn lint(
    versions: &[Version],
    levels: &BTreeMap<Rule, Level>,
    diagnostics: &mut Diagnostics,
) {
    for version in versions {
        let mut lint = Lint {
            version,
            levels,
            diagnostics,
        };
        let Some(schema) = &version.schema else {
            continue;
        };
        if let Some(status) = schema.field("status") {
            lint.status(status);
        }
        for (name, field) in schema.fields() {
            if !matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                lint.field(name, field, &SchemaPath::root());
            }
        }
    }
}

struct Lint<'a> {
    version: &'a Version,
    levels: &'a BTreeMap<Rule, Level>,
    diagnostics: &'a mut Diagnostics,
}

impl Lint<'_> {
    /// Reports a finding about what is at a path.
    fn report(&mut self, rule: Rule, path: &SchemaPath, what: &str) {
        let place = path.place(&self.version.place, &self.version.schema_pointer);
        self.report_at(rule, place, what);
    }

    fn report_at(&mut self, rule: Rule, place: Place, what: &str) {
        let level = self.levels.get(&rule).copied();
        let severity = match level.unwrap_or(rule.level()) {
            Level::Off => return,
            Level::Note => Severity::Note,
            Level::Warning => Severity::Warning,
            Level::Error => Severity::Error,
        };
        let place = Place { key: true, ..place };
        let message = format!("{}: {what}: {}", rule.name(), rule.means());
        let diagnostic = self.diagnostics.report(Code::Practice, place, message);
        diagnostic.severity = severity;
        diagnostic.rule = Some(rule.name());
        diagnostic.hint(format!("{}; see {}", rule.advice(), rule.source()));
    }

    fn status(&mut self, status: &Schema) {
        let path = SchemaPath::root().property("status");
        if !self.version.status {
            let place = self.version.place.clone();
            self.report_at(Rule::StatusSubresource, place, "`subresources`");
        }
        let conditions = status.field("conditions");
        match conditions {
            None => self.report(Rule::Conditions, &path, "`status`"),
            Some(it) if it.kubernetes.list_map_keys != ["type"] => {
                let path = path.property("conditions");
                self.report(Rule::ConditionsKey, &path, "`status.conditions`");
            }
            Some(_) => {}
        }
        let observed = |schema: &Schema| schema.field("observedGeneration").is_some();
        let items = conditions.and_then(Schema::items);
        if !observed(status) && !items.is_some_and(observed) {
            self.report(Rule::ObservedGeneration, &path, "`status`");
        }
        if !status.required.is_empty() {
            let mut place = path.place(&self.version.place, &self.version.schema_pointer);
            place.pointer.push_str("/required");
            self.report_at(Rule::StatusRequired, place, "`status`");
        }
        if status.field("phase").is_some() {
            self.report(Rule::Phase, &path.property("phase"), "`status.phase`");
        }
    }

    /// Looks at a field, and at what is below it.
    fn field(&mut self, name: &str, field: &Schema, above: &SchemaPath) {
        let at = above.property(name);
        let what = format!("`{name}`");
        let description = field.description.as_deref().unwrap_or_default();
        if description.trim().is_empty() {
            self.report(Rule::MissingDescription, &at, &what);
        }
        if !is_camel(name) {
            self.report(Rule::FieldCase, &at, &what);
        }
        self.names(name, field, &at, &what);
        self.node(field, &at, &what);
    }

    /// Looks at the name of a field and its type.
    fn names(&mut self, name: &str, field: &Schema, at: &SchemaPath, what: &str) {
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
        let is_number = matches!(field.type_, Some(SchemaType::Integer | SchemaType::Number));
        let last = MEASURED.iter().find(|word| words.ends_with(**word));
        // `storage` is not an age.
        let is_measured =
            last.is_some_and(|word| *word != "age" || matches!(&*words, "age" | "maxage"));
        let has_unit = UNITS.iter().any(|unit| words.ends_with(unit));
        if is_number && is_measured && !has_unit {
            self.report(Rule::Unit, at, what);
        }
        if field.format.as_deref() == Some("date-time") && !name.ends_with("Time") && name != "time"
        {
            self.report(Rule::TimeName, at, what);
        }
        let is_reference = ["Ref", "Reference"].iter().any(|end| name.ends_with(end));
        // A text that is one of a few values refers to nothing.
        if is_reference && field.is(SchemaType::String) && field.enum_.is_none() {
            self.report(Rule::ReferenceText, at, what);
        }
    }

    fn node(&mut self, node: &Schema, at: &SchemaPath, what: &str) {
        let (items, values) = (node.items(), node.values());
        let lacks = |bound: &str| node.bound(bound).is_none();
        let ruled = |inner: Option<&Schema>| has_rules(node) || inner.is_some_and(is_ruled);
        match &node.type_ {
            Some(SchemaType::Boolean) => self.report(Rule::Boolean, at, what),
            Some(SchemaType::Number) => self.report(Rule::Float, at, what),
            Some(SchemaType::Integer)
                if !matches!(node.format.as_deref(), Some("int32" | "int64")) =>
            {
                self.report(Rule::IntegerFormat, at, what);
            }
            Some(SchemaType::Array) => {
                let has_objects = items.is_some_and(|it| it.properties.is_some());
                if has_objects && node.kubernetes.list_type.is_none() {
                    self.report(Rule::ListType, at, what);
                }
                if ruled(items) && lacks("maxItems") {
                    self.report(Rule::Unbounded, at, what);
                }
            }
            Some(SchemaType::Object) if values.is_some() => {
                if values.is_some_and(|it| it.properties.is_some()) {
                    self.report(Rule::MapOfObjects, at, what);
                }
                if ruled(values) && lacks("maxProperties") {
                    self.report(Rule::Unbounded, at, what);
                }
            }
            Some(SchemaType::String)
                if has_rules(node) && lacks("maxLength") && node.enum_.is_none() =>
            {
                self.report(Rule::Unbounded, at, what);
            }
            _ => {}
        }
        if node.nullable {
            self.report(Rule::Nullable, at, what);
        }
        if node.kubernetes.preserve_unknown_fields && !node.kubernetes.embedded_resource {
            self.report(Rule::AnyJson, at, what);
        }
        let mut values_of_enum = node.enum_.iter().flatten().filter_map(Value::as_str);
        if values_of_enum.any(|text| !is_constant(text)) {
            self.report(Rule::EnumCase, at, what);
        }
        for (name, field) in node.fields() {
            self.field(name, field, at);
        }
        for (inner, segment) in [(items, Segment::Items), (values, Segment::Values)] {
            if let Some(inner) = inner {
                self.node(inner, &at.join(segment), what);
            }
        }
    }
}

fn has_rules(node: &Schema) -> bool {
    !node.kubernetes.validations.is_empty()
}

/// Returns whether a schema, or what is below it, has rules.
fn is_ruled(node: &Schema) -> bool {
    let fields = node.fields().map(|(_, field)| field);
    let mut inner = fields.chain(node.items()).chain(node.values());
    has_rules(node) || inner.any(is_ruled)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::source::Source, input::crd};

    #[test]
    fn findings_of_v1beta1_are_where_the_text_has_the_field() {
        let text = "
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  version: v1
  names: {kind: Widget, plural: widgets}
  preserveUnknownFields: false
  validation:
    openAPIV3Schema:
      type: object
      properties:
        spec: {type: object}
";
        let sources = [Source::new("crd.yaml", text)];
        let mut diagnostics = Diagnostics::new();
        let crds = crd::parse(&sources, &mut diagnostics);
        lint(&crds[0].versions, &BTreeMap::new(), &mut diagnostics);
        let mut found = diagnostics.iter().filter(|it| it.rule.is_some());
        let place = &found.next().unwrap().place;
        let pointer = "/spec/validation/openAPIV3Schema/properties/spec";
        assert_eq!(place.pointer, pointer);
        assert_eq!(place.schema_path.as_deref(), Some("spec"));
        assert!(found.next().is_none());
    }
}
