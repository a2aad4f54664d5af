//! `generate`: options of flags and config file come in, files and a summary go out.
use super::config;
use super::console::Console;
use super::drift;
use super::layer::Layer;
use super::{Failure, count};
use crate::ir::Counts;
use crate::options::{Deny, Settings};
use crate::write::{Action, Plan};
use crate::{pipeline, source, write};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Generate code from CustomResourceDefinitions
///
/// Without --file, inputs and all other options are read from kube-codegen.toml in the working directory; flags win over
/// the file, whose keys have the flags' names.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    layer: Layer,

    /// Read options from this file, whether --file is given or not [default: kube-codegen.toml, without --file]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Write nothing; show what differs, and exit with 1 if anything does
    #[arg(long, conflicts_with_all = ["dry_run", "force"])]
    check: bool,

    /// Write nothing; show what would be written and removed
    #[arg(long)]
    dry_run: bool,

    /// Replace files that kube-codegen did not write
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: Args, console: &mut Console) -> Result<(), Failure> {
    let settings = settings(layer(args.layer, args.config.as_deref())?)?;
    let started = Instant::now();
    let output = generate(&settings, console)?;
    let plan = write::plan(&settings.output, &output.files, args.force)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    if args.check {
        return drift::check(&[&plan], "generate", console);
    }
    if args.dry_run {
        drift::announce(&[&plan], console);
    } else {
        plan.apply()
            .map_err(|error| Failure::Usage(error.to_string()))?;
    }
    summary(&plan, &output, args.dry_run, started, console);
    Ok(())
}

/// Reads the inputs and runs the pipeline; tells the findings.
pub(super) fn generate(
    settings: &Settings,
    console: &mut Console,
) -> Result<pipeline::Output, Failure> {
    let sources =
        source::load(&settings.inputs()).map_err(|error| Failure::Usage(error.to_string()))?;
    let output = pipeline::run(&sources, &settings.options);
    console.findings(&output.diagnostics, &sources);
    let findings = output.diagnostics.iter().len();
    if output.diagnostics.has_errors() {
        let message = json!({ "type": "summary", "outcome": "invalid", "findings": findings });
        console.object(&message);
        return Err(Failure::Findings);
    }
    let denied = Deny::count(&settings.deny, &output.diagnostics);
    if denied > 0 {
        let message = json!({ "type": "summary", "outcome": "denied", "findings": findings, "denied": denied });
        console.object(&message);
        console.denied(denied);
        return Err(Failure::Findings);
    }
    Ok(output)
}

/// The flags, and below them what the config file says.
pub(super) fn layer(flags: Layer, config: Option<&Path>) -> Result<Layer, Failure> {
    let file = match config {
        Some(path) => Some(path),
        None if flags.file.is_none() => Some(Path::new(config::FILE)),
        None => None,
    };
    let below = match file {
        Some(path) if config.is_none() && !path.exists() => {
            return Err(Failure::Usage(format!(
                "no input: name one with --file, or run where a {} lies",
                config::FILE
            )));
        }
        Some(path) => config::read(path).map_err(Failure::Usage)?,
        None => Layer::default(),
    };
    Ok(flags.over(below))
}

/// The settings of a run, which has to have an input.
pub(super) fn settings(layer: Layer) -> Result<Settings, Failure> {
    let settings = layer.settings();
    if settings.file.is_empty() {
        return Err(Failure::Usage(
            "no input: name one with --file, or by the key `file` of the config file".to_owned(),
        ));
    }
    Ok(settings)
}

fn summary(
    plan: &Plan,
    output: &pipeline::Output,
    dry_run: bool,
    started: Instant,
    console: &mut Console,
) {
    let removed = plan
        .changes()
        .iter()
        .filter(|change| change.action == Action::Remove)
        .count();
    let written = plan.changes().len() - removed;
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
        "written": written,
        "unchanged": plan.unchanged(),
        "removed": removed,
        "milliseconds": u64::try_from(elapsed).unwrap_or(u64::MAX),
    }));
    let (verb, done) = if dry_run {
        ("would generate", "to write")
    } else {
        ("generated", "written")
    };
    let removed = if removed > 0 {
        format!(
            ", {removed} {}",
            if dry_run { "to remove" } else { "removed" }
        )
    } else {
        String::new()
    };
    let about = about(output.model.kinds.len(), counts);
    console.line(&format!(
        "{verb} {about}: {} {done}, {} unchanged{removed} ({elapsed} ms)",
        count(written, "file"),
        plan.unchanged(),
    ));
}

/// What was generated, and how many places have a type that stands elsewhere.
fn about(kinds: usize, counts: Counts) -> String {
    let mut spared = Vec::new();
    if counts.reused > 0 {
        spared.push(format!("{} reused", counts.reused));
    }
    if counts.shared > 0 {
        spared.push(format!("{} shared", counts.shared));
    }
    let spared = if spared.is_empty() {
        String::new()
    } else {
        format!(" ({})", spared.join(", "))
    };
    format!(
        "{}, {}{spared}",
        count(kinds, "kind"),
        count(counts.types(), "type")
    )
}
