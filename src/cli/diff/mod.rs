//! `kube-codegen diff`: compares two releases of an API.
mod markdown;
mod progress;
mod releases;
mod stored;
mod text;

use std::path::PathBuf;

use super::{CommandError, console::Console, levels};
use crate::api::compat::{Level, Rule};

/// Compare two releases of an API
///
/// Shows what changed, what it breaks for stored objects and clients, and what it breaks in Rust code, with an object that proves it where
/// one is found: accepted before and rejected now. The exit code is 1 if a change is as bad as --fail-on.
///
/// With --cluster, the old release is what the cluster of the kubeconfig has, and its stored objects are read, too: which of them the new
/// release rejects, and which fields it drops or sets. Nothing is written to the cluster.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The old release: a file, a directory, a pattern, `git:REVISION:PATH`, `cluster` or `cluster:PATTERN` for CRDs of the cluster of the
    /// kubeconfig, or `-` for standard input. With --cluster, the new release
    #[arg(value_name = "OLD")]
    old: String,

    /// The new release
    #[arg(
        value_name = "NEW",
        required_unless_present = "cluster",
        conflicts_with = "cluster"
    )]
    new: Option<String>,

    /// Compare with the cluster of the kubeconfig, and read its stored objects
    #[arg(long)]
    cluster: bool,

    /// Keep in this file what --cluster has read, and go on from there after an interruption
    #[arg(long, value_name = "FILE", requires = "cluster")]
    resume: Option<PathBuf>,

    /// The kind [default: all]
    #[arg(long)]
    kind: Option<String>,

    /// Least level of a change that makes the exit code 1: `compatible`, `risk`, `breaking`
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "breaking",
        hide_possible_values = true
    )]
    fail_on: Level,

    /// Another level for a rule, such as `column-removed=compatible`; can be repeated. The config file has them in `[diff.levels]`
    #[arg(long, value_name = "RULE=LEVEL", value_parser = level)]
    level: Vec<(Rule, Level)>,

    /// Options that Rust code is generated with, and levels [default: kube-codegen.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print Markdown, for a comment of a pull request
    #[arg(long)]
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
    let releases = match &args.new {
        Some(new) => [&*args.old, new],
        None => [releases::CLUSTER, &args.old],
    };
    releases::run(args, releases, console)
}
