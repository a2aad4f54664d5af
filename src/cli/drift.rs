//! Plans come in and are shown, not carried out: what differs, and in which lines.
use super::Failure;
use super::console::Console;
use super::count;
use crate::write::{Action, Change, Plan};
use clap::builder::styling::{AnsiColor, Style};
use serde_json::json;
use similar::TextDiff;

/// Lines of difference shown per file.
const SHOWN: usize = 24;

/// Shows what differs; drift is a finding, which the command of this name mends.
pub(super) fn check(plans: &[&Plan], command: &str, console: &mut Console) -> Result<(), Failure> {
    for (plan, change) in changes(plans) {
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
    let drift = changes(plans).count();
    let unchanged = plans.iter().map(|plan| plan.unchanged()).sum();
    console.object(&json!({
        "type": "summary",
        "outcome": if drift == 0 { "up-to-date" } else { "drift" },
        "differing": drift,
        "unchanged": unchanged,
    }));
    if drift == 0 {
        console.line(&format!("up to date: {}", count(unchanged, "file")));
        return Ok(());
    }
    console.line(&format!(
        "{} not as generated; run `kube-codegen {command}` again without --check",
        count(drift, "file")
    ));
    Err(Failure::Findings)
}

/// Shows what would be done.
pub(super) fn announce(plans: &[&Plan], console: &mut Console) {
    for (plan, change) in changes(plans) {
        let action = match change.action {
            Action::Create => "create",
            Action::Update => "update",
            Action::Remove => "remove",
        };
        tell(plan, change, action, console);
    }
}

fn changes<'p>(plans: &'p [&'p Plan]) -> impl Iterator<Item = (&'p Plan, &'p Change)> {
    plans
        .iter()
        .flat_map(|plan| plan.changes().iter().map(move |change| (*plan, change)))
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
        let style = match line.chars().next() {
            Some('+') => AnsiColor::Green.on_default(),
            Some('-') => AnsiColor::Red.on_default(),
            Some('@') => AnsiColor::Cyan.on_default(),
            _ => Style::new(),
        };
        console.line(&format!("{style}  {line}{style:#}"));
    }
    if lines.len() > SHOWN {
        console.line(&format!("  … {} more", count(lines.len() - SHOWN, "line")));
    }
}
