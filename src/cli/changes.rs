//! Applies planned changes, or shows them for `--check` and `--dry-run`.
use std::fmt::Write;

use clap::builder::styling::{AnsiColor, Style};
use diffy::DiffOptions;
use serde_json::{Value, json};

use super::{CommandError, console::Console, count};
use crate::output::write::{Action, Change, Plan};

/// The number of diff lines shown per file.
const MAX_LINES: usize = 24;

/// What to do with changes.
#[derive(Debug, clap::Args)]
pub(super) struct ChangeArgs {
    /// Write nothing; show a diff and exit with code 1 if the output is not up to date
    #[arg(long, conflicts_with_all = ["dry_run", "force"])]
    pub(super) check: bool,

    /// Write nothing; list the files that would be created, updated or removed
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Overwrite files that kube-codegen did not write
    #[arg(long)]
    pub(super) force: bool,
}

/// The number of files by what happened to them, or with `--dry-run` would happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub(super) written: usize,
    pub(super) unchanged: usize,
    pub(super) removed: usize,
    dry_run: bool,
}

impl ChangeArgs {
    /// Returns the options to apply changes, or to list them only.
    pub(super) fn apply(dry_run: bool) -> Self {
        Self {
            check: false,
            dry_run,
            force: false,
        }
    }

    /// Applies the plans unless an option says otherwise. Returns nothing if `--check` found no drift.
    ///
    /// # Errors
    /// If writing fails, or `--check` finds drift; running `command` without it resolves that.
    pub(super) fn process(
        &self,
        plans: &[&Plan],
        command: &str,
        console: &mut Console,
    ) -> Result<Option<Totals>, CommandError> {
        if self.check {
            check(plans, command, console)?;
            return Ok(None);
        }
        for (plan, change) in changes(plans) {
            if self.dry_run {
                let action = match change.action {
                    Action::Create => "create",
                    Action::Update => "update",
                    Action::Remove => "remove",
                };
                show(plan, change, action, console);
            }
        }
        if !self.dry_run {
            for plan in plans {
                plan.apply()?;
            }
        }
        let is_removal = |(_, change): &(&Plan, &Change)| change.action == Action::Remove;
        let removed = changes(plans).filter(is_removal).count();
        Ok(Some(Totals {
            written: changes(plans).count() - removed,
            unchanged: plans.iter().map(|plan| plan.unchanged()).sum(),
            removed,
            dry_run: self.dry_run,
        }))
    }
}

/// Names the files that were written or removed. The generated modules, of which there can be hundreds, are one line for people.
pub(super) fn list_written(own: &Plan, generated: Option<&Plan>, console: &mut Console) {
    let word = |action| match action {
        Action::Create => "created",
        Action::Update => "updated",
        Action::Remove => "removed",
    };
    for change in own.changes() {
        show(own, change, word(change.action), console);
    }
    let Some(generated) = generated else {
        return;
    };
    for change in generated.changes() {
        console.object(&file_object(generated, change, word(change.action)));
    }
    let mut changes = generated.changes().iter();
    if let Some(first) = changes.next() {
        let is_same = changes.all(|it| it.action == first.action);
        let word = if is_same {
            word(first.action)
        } else {
            word(Action::Update)
        };
        let files = count(generated.changes().len(), "file");
        console.line(&format!(
            "{word:<8} {} ({files})",
            generated.root().display()
        ));
    }
}

impl Totals {
    /// Whether a file was written or removed.
    pub(super) fn has_changed(self) -> bool {
        self.written + self.removed > 0
    }

    /// Formats the numbers, such as `3 files written, 11 unchanged`.
    pub(super) fn text(self) -> String {
        let (written, removed) = if self.dry_run {
            ("to write", "to remove")
        } else {
            ("written", "removed")
        };
        let mut text = format!(
            "{} {written}, {} unchanged",
            count(self.written, "file"),
            self.unchanged
        );
        if self.removed > 0 {
            _ = write!(text, ", {} {removed}", self.removed);
        }
        text
    }
}

fn check(plans: &[&Plan], command: &str, console: &mut Console) -> Result<(), CommandError> {
    for (plan, change) in changes(plans) {
        let state = match change.action {
            Action::Create => "missing",
            Action::Update => "changed",
            Action::Remove => "stale",
        };
        show(plan, change, state, console);
        if change.action == Action::Update {
            diff(&plan.present(change), &change.new, console);
        }
    }
    let differing = changes(plans).count();
    let unchanged = plans.iter().map(|plan| plan.unchanged()).sum();
    console.object(&json!({
        "type": "summary",
        "outcome": if differing == 0 { "up-to-date" } else { "drift" },
        "differing": differing,
        "unchanged": unchanged,
    }));
    if differing == 0 {
        console.line(&format!("up to date: {}", count(unchanged, "file")));
        return Ok(());
    }
    console.line(&format!(
        "not up to date: {}; run `kube-codegen {command}` without --check",
        count(differing, "file")
    ));
    Err(CommandError::Reported)
}

fn changes<'p>(plans: &'p [&'p Plan]) -> impl Iterator<Item = (&'p Plan, &'p Change)> {
    let plans = plans.iter();
    plans.flat_map(|plan| plan.changes().iter().map(move |change| (*plan, change)))
}

fn file_object(plan: &Plan, change: &Change, word: &str) -> Value {
    let path = plan.root().join(&change.path);
    json!({ "type": "file", "state": word, "path": path.display().to_string() })
}

fn show(plan: &Plan, change: &Change, word: &str, console: &mut Console) {
    let path = plan.root().join(&change.path);
    console.object(&file_object(plan, change, word));
    console.line(&format!("{word:<8} {}", path.display()));
}

fn diff(old: &str, new: &str, console: &mut Console) {
    let patch = DiffOptions::new()
        .set_context_len(1)
        .create_patch(old, new)
        .to_string();
    // Without the names of the two files.
    let lines: Vec<&str> = patch
        .lines()
        .skip_while(|line| !line.starts_with('@'))
        .collect();
    for line in lines.iter().take(MAX_LINES) {
        let style = match line.chars().next() {
            Some('+') => AnsiColor::Green.on_default(),
            Some('-') => AnsiColor::Red.on_default(),
            Some('@') => AnsiColor::Cyan.on_default(),
            _ => Style::new(),
        };
        console.styled_line(style, &format!("  {line}"));
    }
    if lines.len() > MAX_LINES {
        let more = count(lines.len() - MAX_LINES, "line");
        console.line(&format!("  … {more} more"));
    }
}
