//! `kube-codegen diff`: compares two releases of an API, or the versions of a CRD.
mod markdown;
mod progress;
mod releases;
mod stored;
mod text;
mod versions;

use std::path::PathBuf;

use super::{CommandError, console::Console, levels};
use crate::api::compat::{Level, Rule};

/// Compare two releases of an API, or the versions of a CRD
///
/// With OLD and NEW, shows what changed, what it breaks for stored objects and clients, and what it breaks in Rust code, with an object
/// that proves it where one is found: accepted before and refused now. The exit code is 1 if a change is as bad as --deny.
///
/// With --cluster, the old release is what the cluster of the kubeconfig has, and its stored objects are read, too: which of them the new
/// release refuses, and which fields it drops or sets. Nothing is written to the cluster.
///
/// With --file, compares the versions of each CRD, path by path: what moved, has a new name, accepts more or fewer values, or exists in
/// one version only. A line that starts with `!` needs a decision before objects can be converted: a declaration in kube-codegen.toml,
/// or a method of the generated trait.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The old release: a file, a directory, a pattern, `git:REVISION:PATH`, `cluster` or `cluster:PATTERN` for CRDs of the cluster of the
    /// kubeconfig, or `-` for standard input. With --cluster, the new release
    #[arg(value_name = "OLD", required_unless_present = "file")]
    old: Option<String>,

    /// The new release
    #[arg(
        value_name = "NEW",
        required_unless_present_any = ["file", "cluster"],
        conflicts_with = "cluster"
    )]
    new: Option<String>,

    /// Compare with the cluster of the kubeconfig, and read its stored objects
    #[arg(long, conflicts_with = "file")]
    cluster: bool,

    /// Keep in this file what --cluster has read, and go on from there after an interruption
    #[arg(long, value_name = "FILE", requires = "cluster")]
    resume: Option<PathBuf>,

    /// Compare the versions of the CRDs in these files, directories or patterns; `-` for standard input; can be repeated
    #[arg(short, long, value_name = "FILE|DIR|GLOB|-", conflicts_with = "old")]
    file: Vec<String>,

    /// The kind [default: all]
    #[arg(long)]
    kind: Option<String>,

    /// The version to compare from [default: each version with the next newer one]
    #[arg(long, value_name = "VERSION", requires = "to", requires = "file")]
    from: Option<String>,

    /// The version to compare to
    #[arg(long, value_name = "VERSION", requires = "from", requires = "file")]
    to: Option<String>,

    /// Least level of a change that makes the exit code 1: `compatible`, `risk`, `breaking`
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "breaking",
        hide_possible_values = true,
        conflicts_with = "file"
    )]
    deny: Level,

    /// Another level for a rule, such as `column-removed=compatible`; can be repeated. The config file has them in `[diff.levels]`
    #[arg(long, value_name = "RULE=LEVEL", value_parser = level, conflicts_with = "file")]
    level: Vec<(Rule, Level)>,

    /// Options that Rust code is generated with, and levels [default: kube-codegen.toml, if it exists]
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    config: Option<PathBuf>,

    /// Print Markdown, for a comment of a pull request
    #[arg(long, conflicts_with = "file")]
    markdown: bool,
}

fn level(text: &str) -> Result<(Rule, Level), String> {
    levels::parse(
        text,
        "column-removed=compatible",
        "`compatible`, `risk` or `breaking`",
    )
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    match (&args.old, &args.new) {
        (Some(new), None) if args.cluster => releases::run(args, [releases::CLUSTER, new], console),
        (Some(old), Some(new)) => releases::run(args, [old, new], console),
        _ => versions::run(args, console),
    }
}
