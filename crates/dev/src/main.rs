//! The program that `kube-codegen dev` runs: an operator against an API server of its own, and what happens. Under other names it is an API
//! server for the tests of others.

mod assets;
mod child;
mod cluster;
mod folder;
mod follow;
mod history;
mod install;
mod kustomization;
mod lines;
mod operator;
mod page;
mod proxy;
mod read;
mod rights;
mod session;
mod settled;
mod sources;
mod table;
mod target;
mod view;

use std::{env, num::NonZeroUsize, path::PathBuf, process::ExitCode, time::Duration};

use clap::{ColorChoice, Parser};
use tokio::runtime;

use history::History;
use kube_codegen::private::printable;
use view::View;

/// Run an operator against an API server in memory, and show what happens
///
/// Starts an API server with TLS on 127.0.0.1, with controllers for workloads, Jobs and Pods.
/// Installs the CRDs and the manifests that `deploy/kustomization.yaml` selects (all in `deploy/` without one), and runs the operator under
/// its own account, so you notice missing permissions. With an operator, Deployments in `deploy/` are skipped, because it runs on your machine. When its sources change, it is built and restarted; when
/// CRDs, manifests or applied files change, they are applied again, and `kube-codegen generate` runs if the directory has a
/// kube-codegen.toml. You need neither a cluster nor containers. Ctrl-C stops everything.
///
/// Without an operator, with `-f` in a directory without Cargo.toml or with `--no-operator`, it serves the CRDs alone, for kubectl and
/// for programs in any language.
///
/// `kube-codegen-dev assets DIR` writes programs for envtest: the tests of operators in Go run on this API server.
#[derive(Debug, Parser)]
#[command(
    name = "kube-codegen-dev",
    bin_name = "kube-codegen dev",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  kube-codegen dev                                  # the operator in this directory
  kube-codegen dev --apply sample.yaml              # and an object for it
  kube-codegen dev --no-operator -f crd.yaml        # an API server with this CRD, for kubectl
  kube-codegen dev -f crd.yaml -- ./operator --flag # any program, with KUBECONFIG set"
)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent flags of a command"
)]
struct Args {
    /// The directory of the operator
    #[arg(default_value = ".", value_name = "DIR")]
    directory: PathBuf,

    /// Files or directories of CustomResourceDefinitions to install besides `deploy/`; can be repeated
    #[arg(short, long, value_name = "FILE|DIR")]
    file: Vec<PathBuf>,

    /// Files or directories of objects to apply when the operator runs; can be repeated [default: `deploy/sample.yaml`, if there is a
    /// `deploy/kustomization.yaml`]
    #[arg(long, value_name = "FILE|DIR")]
    apply: Vec<PathBuf>,

    /// Start a real control plane (etcd, kube-apiserver) instead; building it needs Go
    #[arg(long)]
    real: bool,

    /// Do not run the controllers for workloads, Jobs and Pods; use this if your program writes their status itself
    #[arg(long, conflicts_with = "real")]
    no_controllers: bool,

    /// Run the operator as cluster admin instead of its service account in `deploy/`
    #[arg(long)]
    admin: bool,

    /// Run no operator: only serve the CRDs and the manifests
    #[arg(long, conflicts_with_all = ["command", "once", "admin"])]
    no_operator: bool,

    /// Exit when the operator has done its work, and print the objects as `kubectl get` does
    #[arg(long)]
    once: bool,

    /// Exit with an error if `--once` is not done after this many seconds
    #[arg(long, default_value_t = 600, value_name = "SECONDS", requires = "once")]
    timeout: u64,

    /// Run several replicas of the operator, which elect a leader. Without a command after `--`, they get `--leader-elect` and no port; in a
    /// command, `{replica}` is the number of the replica
    #[arg(
        long,
        default_value = "1",
        value_name = "N",
        conflicts_with = "no_operator"
    )]
    replicas: NonZeroUsize,

    /// At the end, write a diagram of what happened: one HTML file
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,

    /// Do not serve the web page. Without `--once`, `dev` serves a page on 127.0.0.1 that shows objects, reconciles and requests, and can
    /// change objects. Its address, which contains a token, is printed
    #[arg(long)]
    no_page: bool,

    /// Show every request, not only writes and failures
    #[arg(long)]
    requests: bool,

    /// The command that runs the operator, in DIR; default: `cargo run`. A path is relative to the current directory
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,

    /// Print only errors, and the objects at the end
    #[arg(short, long)]
    quiet: bool,

    /// When to use colors: `auto` (on a terminal, unless `NO_COLOR` is set), `always` or `never`
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_possible_values = true
    )]
    color: ColorChoice,
}

impl Args {
    /// Returns whether an operator runs: the command, or the crate in the directory.
    fn has_operator(&self) -> bool {
        let has_crate = || self.directory.join("Cargo.toml").is_file();
        !self.no_operator && (!self.command.is_empty() || has_crate())
    }

    /// Returns whether a page shows what happens.
    fn has_page(&self) -> bool {
        !self.no_page && !self.once
    }
}

fn main() -> ExitCode {
    if let Some(result) = assets::run() {
        return code(result);
    }
    let first = env::args_os().nth(1);
    let result = match first.as_deref().and_then(|it| it.to_str()) {
        // For `kube-codegen`, which has no client.
        Some("read-cluster") => read::run(env::args_os().skip(1)),
        Some("assets") => assets::write(env::args_os().skip(1)),
        // `kube-codegen` itself, where this program alone is installed.
        Some("generator") => return kube_codegen::cli::run(env::args_os().skip(1)),
        _ => run(&Args::parse()),
    };
    code(result)
}

fn code(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {}", printable::lines(&message));
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    let directory = args.directory.display();
    if !args.directory.is_dir() {
        return Err(format!("{directory} is not a directory"));
    }
    let has_nothing = args.file.is_empty() && args.apply.is_empty() && !args.no_operator;
    if !args.has_operator() && (has_nothing || args.once) {
        return Err(format!(
            "{directory} has no Cargo.toml: pass the operator's directory, a command after `--`, or CRDs to serve with `-f`"
        ));
    }
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start threads: {error}"))?;
    let history = (args.has_page() || args.picture.is_some()).then(History::new);
    let measures = rights::are_measured(&args.directory);
    let view = View::new(
        args.color,
        args.quiet,
        args.replicas.get(),
        measures,
        history,
    );
    let result = runtime.block_on(session::run(args, &view));
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn arguments_are_well_defined() {
        super::Args::command().debug_assert();
    }
}
