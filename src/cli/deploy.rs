//! `kube-codegen deploy`: checks the manifests of an operator, and derives a Helm chart from them.
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{CommandError, changes::ChangeArgs, console::Console, count};
use crate::{
    deploy::{self, Tree},
    diag::{Diagnostics, Severity},
    source::Source,
    write,
};

/// Check the manifests of an operator, or make a Helm chart of them
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    Check(CheckArgs),
    Chart(ChartArgs),
}

/// Check that manifests fit together
///
/// Ports of probes, Services, network policies and monitors are ports of the containers, and those of the operator's flags;
/// selectors select Pods; roles, accounts, priority classes, namespaces and listed files exist. Needs no cluster.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Directory of the manifests
    #[arg(default_value = "deploy")]
    directory: PathBuf,
}

/// Make a Helm chart of manifests
///
/// The chart has the same objects. Image, replicas, arguments, resources and scheduling are values, whose defaults are those of the
/// manifests; so are switches for the files, on for those that kustomization.yaml lists. Change the manifests, not the chart.
#[derive(Debug, clap::Args)]
pub(super) struct ChartArgs {
    /// Directory of the manifests
    #[arg(default_value = "deploy")]
    directory: PathBuf,

    /// Directory of the chart
    #[arg(short, long, value_name = "DIR", default_value = "dist/chart")]
    output: PathBuf,

    /// Image of the operator [default: that of the Deployment]
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,

    #[command(flatten)]
    changes: ChangeArgs,
}

pub(super) fn run(command: &Command, console: &mut Console) -> Result<(), CommandError> {
    match command {
        Command::Check(args) => check(args, console),
        Command::Chart(args) => chart(args, console),
    }
}

fn check(args: &CheckArgs, console: &mut Console) -> Result<(), CommandError> {
    let mut diagnostics = Diagnostics::new();
    let tree = Tree::read(&args.directory, &mut diagnostics)?;
    deploy::check(&tree, &mut diagnostics);
    let objects = count(tree.manifests.len(), "object");
    report(diagnostics, &tree.sources, &objects, None, console)
}

fn chart(args: &ChartArgs, console: &mut Console) -> Result<(), CommandError> {
    let tree = read(&args.directory, console)?;
    let files = deploy::chart(&tree, args.image.as_deref())
        .map_err(|error| format!("`{}`: {error}", args.directory.display()))?;
    let plan = write::plan(&args.output, &files, args.changes.force)?;
    if let Some(totals) = args.changes.process(&[&plan], "deploy chart", console)? {
        let path = args.output.display().to_string();
        console.object(&json!({"type": "summary", "outcome": "chart", "path": path}));
        console.line(&format!("chart in {path}: {}", totals.text()));
    }
    Ok(())
}

/// Reads manifests that have to be valid YAML.
pub(super) fn read(directory: &Path, console: &mut Console) -> Result<Tree, CommandError> {
    let mut diagnostics = Diagnostics::new();
    let tree = Tree::read(directory, &mut diagnostics)?;
    diagnostics.locate(&tree.sources);
    console.diagnostics(&diagnostics, &tree.sources, &[]);
    if diagnostics.has_errors() {
        return Err(CommandError::Reported);
    }
    Ok(tree)
}

/// Prints the diagnostics and a summary. `checked` is what was checked, with the number of objects for programs.
pub(super) fn report(
    mut diagnostics: Diagnostics,
    sources: &[Source],
    checked: &str,
    objects: Option<usize>,
    console: &mut Console,
) -> Result<(), CommandError> {
    diagnostics.locate(sources);
    console.diagnostics(&diagnostics, sources, &[]);
    let errors = diagnostics.count(Severity::Error);
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
