//! A plan comes in and is shown, not carried out: what differs, and in which lines.
use super::Failure;
use super::console::Console;
use super::count;
use crate::write::{Action, Change, Plan};
use serde_json::json;
use similar::TextDiff;

/// Lines of difference shown per file.
const SHOWN: usize = 24;

/// Shows what differs; drift is a finding.
pub(super) fn check(plan: &Plan, console: &mut Console) -> Result<(), Failure> {
    for change in plan.changes() {
        let state = match change.action {
            Action::Create => "missing",
            Action::Update => "changed",
            Action::Remove => "stale",
        };
        tell(plan, change, state, console);
        if change.action == Action::Update {
            diff(change, console);
        }
    }
    let drift = plan.changes().len();
    console.object(&json!({
        "type": "summary",
        "outcome": if drift == 0 { "up-to-date" } else { "drift" },
        "differing": drift,
        "unchanged": plan.unchanged(),
    }));
    if drift == 0 {
        console.line(&format!("up to date: {}", count(plan.unchanged(), "file")));
        return Ok(());
    }
    console.line(&format!(
        "{} not as generated; run `kube-codegen generate` again without --check",
        count(drift, "file")
    ));
    Err(Failure::Findings)
}

/// Shows what would be done.
pub(super) fn announce(plan: &Plan, console: &mut Console) {
    for change in plan.changes() {
        let action = match change.action {
            Action::Create => "create",
            Action::Update => "update",
            Action::Remove => "remove",
        };
        tell(plan, change, action, console);
    }
}

fn tell(plan: &Plan, change: &Change, word: &str, console: &mut Console) {
    let path = plan.root().join(&change.path);
    console.object(&json!({ "type": "file", "state": word, "path": path.display().to_string() }));
    console.line(&format!("{word:<8} {}", path.display()));
}

fn diff(change: &Change, console: &mut Console) {
    let diff = TextDiff::from_lines(&change.old, &change.new);
    let text = diff.unified_diff().context_radius(1).to_string();
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(SHOWN) {
        // The file may hold anything; the terminal is to see text.
        let line: String = line
            .chars()
            .map(|c| {
                if c.is_control() && c != '\t' {
                    '\u{fffd}'
                } else {
                    c
                }
            })
            .collect();
        let color = match line.chars().next() {
            Some('+') => "32",
            Some('-') => "31",
            Some('@') => "36",
            _ => "0",
        };
        console.painted(color, &format!("  {line}"));
    }
    if lines.len() > SHOWN {
        console.line(&format!("  … {} more", count(lines.len() - SHOWN, "line")));
    }
}
