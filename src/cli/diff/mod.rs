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
/// Shows what changed, and what that breaks for stored objects, clients and Rust code. Where it can, it proves a break by an object that
/// the old release accepts and the new one rejects. The exit code is 1 if a change is at least as bad as --fail-on.
///
/// With --cluster, the old release is whatever the cluster of the kubeconfig has installed. Its stored objects are read as well, to show
/// which of them the new release rejects, and which of their fields it drops or sets. Nothing is written to the cluster.
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

    /// Save the progress of --cluster in this file, and resume from it after an interruption
    #[arg(long, value_name = "FILE", requires = "cluster")]
    resume: Option<PathBuf>,

    /// The kind [default: all]
    #[arg(long)]
    kind: Option<String>,

    /// Exit with code 1 if a change has this level or a worse one: `compatible`, `risk`, `breaking`
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "breaking",
        hide_possible_values = true
    )]
    fail_on: Level,

    /// Change the level of a rule, such as `column-removed=compatible`; can be repeated. In the config file: `[diff.levels]`
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
