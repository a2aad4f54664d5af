//! Reports what a command found in manifests that it checked.
use serde_json::json;

use super::{CommandError, console::Console, count};
use crate::base::{
    diag::{Diagnostic, Diagnostics, Severity},
    options::Deny,
    source::Source,
};

/// Prints the diagnostics and a summary. `checked` is what was checked, with the number of objects for programs.
pub(super) fn report(
    mut diagnostics: Diagnostics,
    sources: &[Source],
    deny: &[Deny],
    checked: &str,
    objects: Option<usize>,
    console: &mut Console,
) -> Result<(), CommandError> {
    diagnostics.locate(sources);
    console.diagnostics(&diagnostics, sources, deny);
    let is_error = |it: &&Diagnostic| it.severity == Severity::Error || Deny::denies(deny, it);
    let errors = diagnostics.iter().filter(is_error).count();
    let mut summary = json!({
        "type": "summary",
        "outcome": if errors > 0 { "invalid" } else { "valid" },
        "findings": diagnostics.iter().len(),
    });
    if let Some(objects) = objects {
        summary["objects"] = objects.into();
    }
    console.object(&summary);
    if errors > 0 {
        console.summary_error(&format!("{} in {checked}", count(errors, "problem")));
        return Err(CommandError::Reported);
    }
    console.line(&format!("{checked} checked: no problems"));
    Ok(())
}
