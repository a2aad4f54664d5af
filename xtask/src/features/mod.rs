//! A folder of definitions comes in, a table goes out: the crate of types and clients made of all of them, compiled with each feature alone.
mod check;
mod library;

use crate::corpus::input;
use crate::folders::target;
use check::Outcome;
use clap::Args;
use library::Library;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// What a run of the task is told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder with `crds/<repository>/*.yaml`, or any folder of definitions
    folder: PathBuf,

    /// Only repositories whose name contains this; can be repeated
    #[arg(long, value_name = "REPOSITORY")]
    only: Vec<String>,

    /// Only features whose name contains this, and neither none nor all of them; can be repeated
    #[arg(long, value_name = "TEXT")]
    feature: Vec<String>,

    /// Folder of the crates and of the file of failures [default: features in cargo's target folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs the task; says whether nothing failed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| target().join("features"));
    // Hostile inputs lie beside the real definitions, and are none of them.
    let real = arguments.folder.join("crds");
    let folder = if real.is_dir() {
        &real
    } else {
        &arguments.folder
    };
    let made = library::make(input::find(folder, &arguments.only)?, &out)?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for library in &made.libraries {
        for features in chosen(library, &arguments.feature) {
            let outcome = check::check(library, features)?;
            eprintln!("{outcome}");
            outcomes.push(outcome);
        }
    }
    let report = out.join("failures.txt");
    let failures: Vec<&Outcome> = outcomes
        .iter()
        .filter(|it| !it.findings.is_empty())
        .collect();
    let texts = failures.iter().flat_map(|it| it.findings.iter());
    fs::write(&report, texts.cloned().collect::<String>())?;

    let row = |name: &str, value: String| println!("{name:<32} {value:>12}");
    row("files", made.files.to_string());
    row("refused", made.refused.to_string());
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
    println!("what did not compile: {}", report.display());
    Ok(failures.is_empty())
}

/// The sets of features to compile with: none, each alone, and all; or those that are asked for.
fn chosen<'l>(library: &'l Library, only: &[String]) -> Vec<&'l str> {
    let each = library.features.iter().map(String::as_str);
    if only.is_empty() {
        return [""].into_iter().chain(each).chain(["full"]).collect();
    }
    each.filter(|feature| only.iter().any(|part| feature.contains(part.as_str())))
        .collect()
}
