//! Generates, compiles and round-trips a directory of CRDs and sample objects, and reports failures.
pub(crate) mod batch;
pub(crate) mod compile;
mod differ;
pub(crate) mod generate;
pub(crate) mod input;
mod rejections;
pub(crate) mod round_trip;
pub(crate) mod samples;
pub(crate) mod slice;
mod table;

use crate::{root, target};
use batch::Batch;
use clap::Args;
use kube_codegen::options::Options;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Arguments of the task.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Arguments {
    /// Directory with `crds/<repository>/*.yaml`, `samples/` and `samples.tsv`, or any directory of CRDs
    folder: PathBuf,

    /// Approximate number of CRDs per crate; a repository is never split
    #[arg(long, default_value_t = 40, value_name = "N")]
    batch: usize,

    /// Use only repositories whose name contains this text; can be repeated
    #[arg(long, value_name = "REPOSITORY")]
    only: Vec<String>,

    /// Use only a slice selected by this number, such as the day
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Size of the slice in KiB of CRDs
    #[arg(long, default_value_t = 512, value_name = "KIB")]
    slice: u64,

    /// Run clippy with its default lints too
    #[arg(long)]
    lints: bool,

    /// Build the documentation too
    #[arg(long)]
    docs: bool,

    /// Only generate; do not compile or round-trip
    #[arg(long, conflicts_with_all = ["lints", "docs"])]
    generate_only: bool,

    /// Only generate and compile; do not round-trip samples
    #[arg(long, conflicts_with = "generate_only")]
    compile_only: bool,

    /// Table of the rejections that are expected: input, code and reason, separated by tabs [default: those of the corpus that
    /// this repository is tested with]
    #[arg(long, value_name = "FILE")]
    rejected: Option<PathBuf>,

    /// Directory for the crates and the list of failures [default: corpus in cargo's target directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A failure at one of the stages.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    /// The stage.
    pub(crate) stage: &'static str,
    /// The file, or the location in a crate.
    pub(crate) subject: String,
    /// The message.
    pub(crate) message: String,
}

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs the task and returns whether nothing failed.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| target().join("corpus"));
    let mut failures = Vec::new();
    let inputs = input::find(&arguments.folder, &arguments.only)?;
    let inputs = slice::select(inputs, arguments.seed, arguments.slice << 10);
    let started = Instant::now();
    let mut corpus = generate::generate(inputs, &Options::default(), &mut failures);
    let generating = started.elapsed();
    let samples = samples::find(&arguments.folder, &mut corpus, &mut failures)?;
    let expected = rejections::expected(arguments.rejected.as_deref())?;
    failures.extend(rejections::compare(
        &expected,
        &corpus.rejections,
        &corpus.inputs,
    ));
    let mut table = table::Table::new(&corpus, samples.len(), generating);
    let batches = batch::pack(&corpus, &samples, arguments.batch);
    if !arguments.generate_only {
        batch::write(&out, &corpus, &batches, false)?;
        compile_and_run(arguments, &out, &batches, &mut table, &mut failures)?;
    }
    failures.sort();
    failures.dedup();
    let report = out.join("failures.txt");
    fs::create_dir_all(&out)?;
    fs::write(&report, listing(&failures))?;
    let types = out.join("types.tsv");
    fs::write(&types, table::types(&corpus))?;
    print!("{table}");
    println!("{:<32} {:>12}", "failures", failures.len());
    println!("failures: {}", report.display());
    println!("types of each repository: {}", types.display());
    Ok(failures.is_empty())
}

fn compile_and_run(
    arguments: &Arguments,
    out: &std::path::Path,
    batches: &[Batch<'_>],
    table: &mut table::Table<'_>,
    failures: &mut Vec<Problem>,
) -> Result<()> {
    let all: Vec<&Batch<'_>> = batches.iter().collect();
    let mut steps = vec![compile::CHECK];
    steps.extend(arguments.lints.then_some(compile::CLIPPY));
    steps.extend(arguments.docs.then_some(compile::DOC));
    for step in steps {
        let started = Instant::now();
        let compiled = compile::compile(out, &step, &all, failures)?;
        table.compiled(&step, &compiled.faulty, started.elapsed());
    }
    let with_samples: Vec<&Batch<'_>> = all
        .into_iter()
        .filter(|batch| !batch.samples.is_empty())
        .collect();
    if with_samples.is_empty() || arguments.compile_only {
        return Ok(());
    }
    let started = Instant::now();
    let built = compile::compile(out, &compile::BUILD, &with_samples, failures)?;
    for batch in with_samples {
        let program = built.programs.get(&batch.name).map(PathBuf::as_path);
        table.equal(round_trip::run(out, batch, program, failures)?);
    }
    table.ran(started.elapsed());
    Ok(())
}

pub(crate) fn listing(failures: &[Problem]) -> String {
    let line = |failure: &Problem| {
        let Problem {
            stage,
            subject,
            message,
        } = failure;
        format!(
            "{stage}\t{subject}\t{}\n",
            message.trim().replace('\n', "\n\t")
        )
    };
    failures.iter().map(line).collect()
}
