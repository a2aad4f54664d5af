//! Findings come in, lines of JSON go out: one object a finding, for editors and CI.
use super::{Diagnostic, Diagnostics};
use crate::source::Source;
use serde_json::{Value, json};

/// One JSON object a line; keys are stable: `code`, `severity`, `message`, `file`, `line`, `column`, `crd`, `version`,
/// `schemaPath`, `hint`, each always there, null where nothing is known.
pub fn render(findings: &Diagnostics, sources: &[Source]) -> String {
    findings
        .iter()
        .map(|finding| object(finding, sources).to_string() + "\n")
        .collect()
}

/// One finding.
pub fn object(finding: &Diagnostic, sources: &[Source]) -> Value {
    let place = &finding.place;
    json!({
        "code": finding.code.as_str(),
        "severity": finding.severity.as_str(),
        "message": finding.message,
        "file": place.source.and_then(|id| id.of(sources)).map(|source| &source.name),
        "line": place.position.map(|position| position.line),
        "column": place.position.map(|position| position.column),
        "crd": place.crd,
        "version": place.version,
        "schemaPath": place.schema_path,
        "hint": finding.hint,
    })
}
