//! Creates one crate of types and clients from a directory of CRDs, and compiles it with each feature alone.
mod check;
mod library;

use crate::corpus::input;
use crate::target;
use check::Outcome;
use clap::Args;
use library::Library;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of the task.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directory with `crds/<repository>/*.yaml`, or any directory of CRDs
    folder: PathBuf,

    /// Use only repositories whose name contains this text; can be repeated
    #[arg(long, value_name = "REPOSITORY")]
    only: Vec<String>,

    /// Compile only with features whose name contains this text; can be repeated
    #[arg(long, value_name = "TEXT")]
    feature: Vec<String>,

    /// Directory for the crates and the list of failures [default: features in cargo's target directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs the task and returns whether nothing failed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| target().join("features"));
    // The corpus also contains hostile inputs in other directories.
    let real = arguments.folder.join("crds");
    let folder = if real.is_dir() {
        &real
    } else {
        &arguments.folder
    };
    let made = library::make(input::find(folder, &arguments.only)?, &out)?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for library in &made.libraries {
        for features in selected(library, &arguments.feature) {
            let outcome = check::check(library, features)?;
            eprintln!("{outcome}");
            outcomes.push(outcome);
        }
    }
    let report = out.join("failures.txt");
    let failures: Vec<&Outcome> = outcomes
        .iter()
        .filter(|it| !it.diagnostics.is_empty())
        .collect();
    let texts = failures.iter().flat_map(|it| it.diagnostics.iter());
    fs::write(&report, texts.cloned().collect::<String>())?;

    let row = |name: &str, value: String| println!("{name:<32} {value:>12}");
    row("files", made.files.to_string());
    row("rejected", made.refused.to_string());
    for library in &made.libraries {
        row(
            &format!("features of {}", library.name),
            library.features.len().to_string(),
        );
    }
    row(
        "compiled",
        format!("{} of {}", outcomes.len() - failures.len(), outcomes.len()),
    );
    let total: Duration = outcomes.iter().map(|it| it.time).sum();
    row("seconds", format!("{:.1}", total.as_secs_f64()));
    println!("failures: {}", report.display());
    Ok(failures.is_empty())
}

/// Returns the feature sets to compile with: none, each feature and all, or only the selected features.
fn selected<'l>(library: &'l Library, only: &[String]) -> Vec<&'l str> {
    let each = library.features.iter().map(String::as_str);
    if only.is_empty() {
        return [""].into_iter().chain(each).chain(["full"]).collect();
    }
    each.filter(|feature| only.iter().any(|part| feature.contains(part.as_str())))
        .collect()
}
