//! `kube-codegen generate`: generates modules from the flags and the config file.
use std::time::Instant;

use serde_json::json;

use super::{
    CommandError,
    changes::{ChangeArgs, Totals},
    console::Console,
    count,
    layer::OptionArgs,
};
use crate::{
    options::{Deny, Settings},
    pipeline, scaffold, source, write,
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
    let output = generate(&settings, console)?;
    let plan = write::plan(&settings.output, &output.files, args.changes.force)?;
    let is_first = !settings.output.join(write::FILE_LIST).exists();
    let Some(totals) = args.changes.process(&[&plan], "generate", console)? else {
        return Ok(());
    };
    summary(totals, &output, args.changes.dry_run, started, console);
    if is_first && !args.changes.dry_run {
        let dependencies = scaffold::dependencies(&output.files, settings.options.kubernetes)?;
        console.line(&format!(
            "\nThe generated modules need these dependencies in Cargo.toml:\n\n{}",
            dependencies.trim_end()
        ));
    }
    Ok(())
}

/// Reads the inputs, runs the pipeline and prints diagnostics.
pub(super) fn generate(
    settings: &Settings,
    console: &mut Console,
) -> Result<pipeline::Output, CommandError> {
    let sources = source::load(&settings.inputs())?;
    let output = pipeline::run(&sources, &settings.options);
    console.diagnostics(&output.diagnostics, &sources);
    let findings = output.diagnostics.iter().len();
    if output.diagnostics.has_errors() {
        console.object(&json!({ "type": "summary", "outcome": "invalid", "findings": findings }));
        return Err(CommandError::Reported);
    }
    let denied = Deny::count(&settings.deny, &output.diagnostics);
    if denied > 0 {
        console.object(&json!({
            "type": "summary",
            "outcome": "denied",
            "findings": findings,
            "denied": denied,
        }));
        console.denied(denied);
        return Err(CommandError::Reported);
    }
    Ok(output)
}

fn summary(
    totals: Totals,
    output: &pipeline::Output,
    dry_run: bool,
    started: Instant,
    console: &mut Console,
) {
    let elapsed = started.elapsed().as_millis();
    let counts = output.model.counts();
    console.object(&json!({
        "type": "summary",
        "outcome": if dry_run { "dry-run" } else { "generated" },
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
