//! Prints the findings of `validate`, `deploy check` and `rbac --check`, and a summary.
use serde_json::json;

use super::{CommandError, console::Console, count};
use crate::base::{
    diag::{Diagnostic, Diagnostics},
    options::Deny,
    source::Source,
};

/// Prints the diagnostics and a summary. `checked` names what was checked, such as "3 objects"; `objects` is their number, for JSON.
pub(super) fn report(
    diagnostics: &Diagnostics,
    sources: &[Source],
    deny: &[Deny],
    checked: &str,
    objects: Option<usize>,
    console: &mut Console,
) -> Result<(), CommandError> {
    console.diagnostics(diagnostics, sources, deny);
    let fails = |it: &&Diagnostic| Deny::fails(deny, it);
    let errors = diagnostics.iter().filter(fails).count();
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
