//! Renders diagnostics as JSON objects, for editors and CI.

use serde_json::{Value, json};

use super::{Diagnostic, Diagnostics};
use crate::base::source::Source;

/// Renders one JSON object per line. The keys are stable: `code`, `severity`, `message`, `file`, `line`, `column`, `crd`,
/// `version`, `schemaPath` and `hint` are always present, and null where the value is unknown; findings of `lint` have a `rule`, too.
pub fn render(diagnostics: &Diagnostics, sources: &[Source]) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| object(diagnostic, sources).to_string() + "\n")
        .collect()
}

/// Returns one diagnostic as a JSON object.
pub fn object(diagnostic: &Diagnostic, sources: &[Source]) -> Value {
    let place = &diagnostic.place;
    let mut object = json!({
        "code": diagnostic.code.as_str(),
        "severity": diagnostic.severity.as_str(),
        "message": diagnostic.message,
        "file": place.source.and_then(|id| id.of(sources)).map(|source| &source.name),
        "line": place.position.map(|position| position.line),
        "column": place.position.map(|position| position.column),
        "crd": place.crd,
        "version": place.version,
        "schemaPath": place.schema_path,
        "hint": diagnostic.hint,
    });
    if let Some(rule) = diagnostic.rule {
        object["rule"] = rule.into();
    }
    object
}
