//! Changes real CRDs in compatible ways, and checks that programs that use the generated types still compile.
mod change;
mod compile;
mod program;
mod workspace;

use crate::corpus::{input, slice};
use crate::target;
use change::{Change, Input};
use clap::Args;
use kube_codegen::diag::Severity;
use kube_codegen::options::{Emitter, Options};
use kube_codegen::pipeline::{self, Output};
use kube_codegen::private::ir::Kind;
use kube_codegen::source::Source;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

/// Arguments of the task.
///
/// For each CRD, a program names every type, builds every struct with `..Default::default()`, and borrows every field by the type it
/// has at first. Then an optional field is added somewhere, a CRD, a version, or a version with moved fields, or `--kubernetes` is
/// raised, and the same program is compiled again, with the conversion between the versions.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directory with `crds/<repository>/*.yaml`, or any directory of CRDs
    folder: PathBuf,

    /// Use only repositories whose name contains this text; can be repeated
    #[arg(long, value_name = "REPOSITORY")]
    only: Vec<String>,

    /// Make other random changes, and use only a slice selected by this number, such as the day
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Size of the slice in KiB of CRDs
    #[arg(long, default_value_t = 256, value_name = "KIB")]
    slice: u64,

    /// Number of CRDs per crate
    #[arg(long, default_value_t = 12, value_name = "N")]
    batch: usize,

    /// Directory for the crates and the list of failures [default: trial in cargo's target directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What is compiled for one CRD.
pub(crate) struct Subject {
    /// The name of the CRD.
    pub(crate) crd: String,
    /// The generated files after each change, each with its program.
    pub(crate) variants: Vec<Variant>,
}

/// The generated files after a change.
pub(crate) struct Variant {
    /// The name of the change, and of its module.
    pub(crate) change: &'static str,
    module: &'static str,
    /// What was changed where.
    pub(crate) what: String,
    pub(crate) files: Vec<pipeline::File>,
    pub(crate) program: String,
}

/// A change that broke a program.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Failure {
    pub(crate) crd: String,
    pub(crate) change: &'static str,
    pub(crate) what: String,
    pub(crate) message: String,
}

/// Runs the task and returns whether no change broke a program.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let default = || target().join("trial");
    let out = arguments.out.clone().unwrap_or_else(default);
    // The corpus also contains hostile inputs in other directories.
    let real = arguments.folder.join("crds");
    let folder = if real.is_dir() {
        &real
    } else {
        &arguments.folder
    };
    let manifests = input::find(folder, &arguments.only)?;
    let manifests = slice::select(manifests, arguments.seed, arguments.slice << 10);
    let mut random = fastrand::Rng::with_seed(arguments.seed.unwrap_or_default());
    let mut failures = Vec::new();
    let mut subjects = Vec::new();
    for manifest in manifests {
        let source = manifest.source;
        let output = generate(&source.name, source.text.clone(), &Options::default());
        // A CRD once, by its storage version.
        for kind in output.model.kinds.iter().filter(|kind| kind.storage) {
            subjects.extend(subject(kind, &mut random, &mut failures));
        }
    }
    let used = subjects.iter().flat_map(|it| &it.variants);
    let used: usize = used.map(|it| it.program.lines().count()).sum();
    println!("{:<40} {:>8}", "CRDs", subjects.len());
    println!("{:<40} {used:>8}", "lines of programs");
    let crates: Vec<&[Subject]> = subjects.chunks(arguments.batch.max(1)).collect();
    let places = workspace::write(&out, &crates)?;
    compile::check(&out, &subjects, &places, &mut failures)?;
    failures.sort();
    failures.dedup();
    let report = out.join("failures.txt");
    fs::write(&report, listing(&failures))?;
    for change in Change::ALL {
        let of_change = failures.iter().filter(|it| it.change == change.name());
        let mut crds: Vec<&str> = of_change.map(|it| it.crd.as_str()).collect();
        crds.dedup();
        println!(
            "{:<40} {:>8}",
            format!("broken by: {}", change.name()),
            crds.len()
        );
    }
    println!("failures: {}", report.display());
    Ok(failures.is_empty())
}

/// Generates the types of a CRD after each change.
fn subject(
    kind: &Kind,
    random: &mut fastrand::Rng,
    failures: &mut Vec<Failure>,
) -> Option<Subject> {
    let crd = kind.definition();
    let name = crd["metadata"]["name"].as_str()?.to_owned();
    let mut subject = Subject {
        crd: name.clone(),
        variants: Vec::new(),
    };
    let base = generate(&name, crd.to_string(), &Options::default());
    for change in Change::ALL {
        let Some(Input {
            text,
            options,
            what,
        }) = change.apply(&crd, random)
        else {
            continue;
        };
        let after = generate(&name, text, &options);
        let errors: Vec<String> = after
            .diagnostics
            .iter()
            .filter(|it| it.severity == Severity::Error)
            .map(|it| it.message.clone())
            .collect();
        if errors.is_empty() {
            subject.variants.push(Variant {
                change: change.name(),
                module: change.module(),
                what,
                program: program::of(&base.model, &after.model, false),
                files: after.files,
            });
        } else {
            failures.push(Failure {
                crd: name.clone(),
                change: change.name(),
                what,
                message: errors.join("\n"),
            });
        }
    }
    Some(subject)
}

fn generate(name: &str, text: String, options: &Options) -> Output {
    let source = Source::new(name, text);
    let mut options = options.clone();
    options.emit = vec![Emitter::Conversion];
    pipeline::run(&[source], &options)
}

fn listing(failures: &[Failure]) -> String {
    let lines = failures.iter().map(|failure| {
        let Failure {
            crd,
            change,
            what,
            message,
        } = failure;
        let message = message.trim().replace('\n', "\n\t");
        format!("{crd}\t{change}: {what}\n\t{message}\n")
    });
    lines.collect()
}
