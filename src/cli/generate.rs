//! `kube-codegen generate`: generates modules from the flags and the config file.
use std::{path::Path, time::Instant};

use serde_json::json;

use super::{
    CommandError,
    changes::{ChangeArgs, Totals},
    config::OptionArgs,
    console::Console,
    count, crds, lock,
};
use crate::{
    base::{
        diag::{Diagnostics, Severity},
        options::{Allow, Deny, Settings},
        source::Source,
    },
    operator::scaffold,
    output::write::{self, Root},
    pipeline::{self, Output},
    run::{self, Run},
};

/// Generate modules from CustomResourceDefinitions
///
/// Without --file, options are read from kube-codegen.toml in the working directory. Its keys are the names of the flags;
/// flags take precedence.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    options: OptionArgs,

    #[command(flatten)]
    changes: ChangeArgs,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let settings = args.options.read(console)?.settings()?;
    let started = Instant::now();
    let root = Root::new(&settings.output);
    let _lock = lock([&root], console)?;
    let mut run = generate(&settings, &settings.output, console)?;
    // Only diagnostics refer to the texts.
    run.sources = Vec::new();
    let plan = run.plan(&root, &run.output.files, args.changes.force)?;
    let is_first = !settings.output.join(write::FILE_LIST).exists();
    if let Some(totals) = args.changes.process(&[&plan], "generate", console)? {
        summary(totals, &run, args.changes.dry_run, started, console);
        if is_first && !args.changes.dry_run && console.prints_lines() {
            let files = &run.output.files;
            let dependencies = scaffold::dependencies(files, settings.options.kubernetes)?;
            console.line(&format!(
                "\nThe generated modules need these dependencies in Cargo.toml:\n\n{}",
                dependencies.trim_end()
            ));
        }
    }
    finish(&run, console)
}

/// Fails if some of the input is missing in the output.
pub(super) fn finish(run: &Run, console: &mut Console) -> Result<(), CommandError> {
    if !run.is_partial() {
        return Ok(());
    }
    let failed = run.output.left_out.len() + run.problems.len();
    let failed = count(failed, "file");
    let kept = match run.kept.as_slice() {
        [] => String::new(),
        names => format!(
            "; the code for {} was kept from the last run without errors",
            names.join(", ")
        ),
    };
    console.summary_error(&format!("{failed} left out because of errors{kept}"));
    Err(CommandError::Reported)
}

/// Reads the inputs, runs the pipeline and prints diagnostics. `directory` contains the generated files of the last run.
pub(super) fn generate(
    settings: &Settings,
    directory: &Path,
    console: &mut Console,
) -> Result<Run, CommandError> {
    let run = run::run(settings, directory)?;
    let output = &run.output;
    console.diagnostics(&output.diagnostics, &run.sources, &settings.deny);
    for problem in &run.problems {
        console.error(&problem.to_string());
    }
    crds::unused(&run.unused, console);
    let findings = output.diagnostics.iter().len();
    if run.has_failed() {
        console.object(&json!({ "type": "summary", "outcome": "invalid", "findings": findings }));
        return Err(rejected(&output.diagnostics, run.problems.len(), console));
    }
    let denied = Deny::count(&settings.deny, &output.diagnostics);
    if denied > 0 {
        console.object(&json!({
            "type": "summary",
            "outcome": "denied",
            "findings": findings,
            "denied": denied,
        }));
        let diagnostics = count(denied, "diagnostic");
        console.summary_error(&format!("{diagnostics} denied; nothing was written"));
        return Err(CommandError::Reported);
    }
    Ok(run)
}

/// Says how many errors there are, and that nothing was written because of them. `more` have been printed beside the diagnostics.
pub(super) fn rejected(
    diagnostics: &Diagnostics,
    more: usize,
    console: &mut Console,
) -> CommandError {
    let errors = diagnostics
        .iter()
        .filter(|it| it.severity == Severity::Error);
    let errors = count(errors.count() + more, "error");
    console.summary_error(&format!("{errors}; nothing was written"));
    CommandError::Reported
}

/// Generates again, after an edit of the texts that were read; these had no errors.
pub(super) fn regenerate(
    run: &mut Run,
    sources: &[Source],
    settings: &Settings,
    console: &mut Console,
) -> Result<(), CommandError> {
    let mut output = pipeline::run_without(&Output::default(), sources, &settings.options);
    Allow::apply(&settings.allow, sources, &mut output.diagnostics);
    // Warnings were shown before the edit.
    if output.diagnostics.has_errors() || !output.left_out.is_empty() {
        console.diagnostics(&output.diagnostics, sources, &settings.deny);
        return Err(rejected(&output.diagnostics, 0, console));
    }
    run.output = output;
    Ok(())
}

fn summary(totals: Totals, run: &Run, dry_run: bool, started: Instant, console: &mut Console) {
    let elapsed = started.elapsed().as_millis();
    let output = &run.output;
    let counts = output.model.counts();
    console.object(&json!({
        "type": "summary",
        "outcome": match (run.is_partial(), dry_run) {
            (true, _) => "partial",
            (false, true) => "dry-run",
            (false, false) => "generated",
        },
        "leftOut": output.left_out.len() + run.problems.len(),
        "kinds": output.model.kinds.len(),
        "types": counts.types(),
        "reused": counts.reused,
        "shared": counts.shared,
        "findings": output.diagnostics.iter().len(),
        "written": totals.written,
        "unchanged": totals.unchanged,
        "removed": totals.removed,
        "milliseconds": u64::try_from(elapsed).unwrap_or(u64::MAX),
    }));
    let verb = if dry_run {
        "would generate"
    } else {
        "generated"
    };
    let kinds = count(output.model.kinds.len(), "kind");
    let types = count(counts.types(), "type");
    let elsewhere = match (counts.reused, counts.shared) {
        (0, 0) => String::new(),
        (reused, 0) => format!(" ({reused} reused)"),
        (0, shared) => format!(" ({shared} shared)"),
        (reused, shared) => format!(" ({reused} reused, {shared} shared)"),
    };
    let totals = totals.text();
    console.line(&format!(
        "{verb} {kinds}, {types}{elsewhere}: {totals} ({elapsed} ms)"
    ));
}
