//! `kube-codegen dev`: runs an operator against an API server of its own, and follows what happens.

mod child;
mod cluster;
mod install;
mod settled;
mod sources;
mod table;
mod view;

use std::{path::PathBuf, process::ExitStatus, time::Duration};

use tokio::{runtime, signal, sync::mpsc, time};

use super::{CommandError, console::Console};
use child::Child;
use cluster::Cluster;
use install::Manifests;
use settled::Settled;
use sources::Change;
use view::View;

/// Run an operator against an API server in memory, and show what happens
///
/// Starts an API server with TLS on 127.0.0.1, with controllers for workloads, Jobs and Pods.
/// Installs the CRDs and the manifests in `deploy/`, and runs the operator under its own account, so that a missing right shows.
/// Deployments in `deploy/` are not installed: the operator runs here. When its sources change, it is built and restarted; when
/// CRDs, manifests or applied files change, they are applied again, and `kube-codegen generate` runs if the directory has a
/// kube-codegen.toml. Needs no cluster and no container. Ctrl-C ends everything.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kube-codegen dev                                  # the operator in this directory
  kube-codegen dev --apply sample.yaml              # and an object for it
  kube-codegen dev -f crd.yaml -- ./operator --flag # any program, with KUBECONFIG set")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent flags of a command"
)]
pub(super) struct Args {
    /// The directory of the operator
    #[arg(default_value = ".", value_name = "DIR")]
    directory: PathBuf,

    /// Files or directories of CustomResourceDefinitions to install besides `deploy/`; can be repeated
    #[arg(short, long, value_name = "FILE|DIR")]
    file: Vec<PathBuf>,

    /// Files or directories of objects to apply when the operator runs; can be repeated
    #[arg(long, value_name = "FILE|DIR")]
    apply: Vec<PathBuf>,

    /// Start a real control plane (etcd, kube-apiserver) instead; building it needs Go
    #[arg(long)]
    real: bool,

    /// Run the operator as administrator instead of as its account in `deploy/`
    #[arg(long)]
    admin: bool,

    /// Exit when the operator has done its work, and print the objects as `kubectl get` does
    #[arg(long)]
    once: bool,

    /// Exit with an error if `--once` is not done after this many seconds
    #[arg(long, default_value_t = 600, value_name = "SECONDS", requires = "once")]
    timeout: u64,

    /// Show every request, not only writes and failures
    #[arg(long)]
    requests: bool,

    /// The command that runs the operator; default: `cargo run` in DIR
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Why `dev` ended without an error.
enum End {
    Interrupted,
    Done,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    if !args.directory.is_dir() {
        return Err(CommandError::Usage(format!(
            "{} is not a directory",
            args.directory.display()
        )));
    }
    if args.command.is_empty() && !args.directory.join("Cargo.toml").is_file() {
        return Err(CommandError::Usage(format!(
            "{} has no Cargo.toml: name the directory of the operator, or a command after `--`",
            args.directory.display()
        )));
    }
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::Usage(format!("cannot start threads: {error}")))?;
    let view = View::new(console);
    let result = runtime.block_on(dev(args, &view));
    runtime.shutdown_timeout(Duration::from_secs(1));
    result.map_err(CommandError::Usage)
}

async fn dev(args: &Args, view: &View) -> Result<(), String> {
    let cluster = Cluster::start(args.real).await?;
    view.note(&format!(
        "API server: {} (KUBECONFIG={})",
        cluster.url(),
        cluster.kubeconfig().display()
    ));
    let mut child = None;
    let end = tokio::select! {
        end = session(args, view, &cluster, &mut child) => end,
        result = interrupted() => result.map(|()| End::Interrupted),
    };
    if let Some(child) = child {
        child.stop().await;
    }
    match end? {
        End::Interrupted => view.note("interrupted: the operator and the API server have ended"),
        End::Done => view.tables(&cluster).await?,
    }
    cluster.stop();
    Ok(())
}

/// Waits for a signal that ends the command.
async fn interrupted() -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot wait for signals: {error}");
    #[cfg(unix)]
    {
        let mut terminate =
            signal::unix::signal(signal::unix::SignalKind::terminate()).map_err(failed)?;
        let mut hang_up =
            signal::unix::signal(signal::unix::SignalKind::hangup()).map_err(failed)?;
        tokio::select! {
            result = signal::ctrl_c() => result.map_err(failed),
            _ = terminate.recv() => Ok(()),
            _ = hang_up.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    signal::ctrl_c().await.map_err(failed)
}

/// Installs everything, and runs the operator until it has done its work or a signal ends this.
async fn session(
    args: &Args,
    view: &View,
    cluster: &Cluster,
    child: &mut Option<Child>,
) -> Result<End, String> {
    let deploy = args.directory.join("deploy");
    let installed: Vec<PathBuf> = args
        .file
        .iter()
        .cloned()
        .chain(deploy.is_dir().then_some(deploy))
        .collect();
    let mut manifests = Manifests::read(&installed)?;
    manifests.leave_out_deployments(view);
    if let Some(problem) = manifests.install(cluster, view).await.err() {
        view.error(&problem);
    }
    let (changes, mut seen) = mpsc::unbounded_channel();
    view.follow(cluster, &manifests, args.requests, &changes);
    let kubeconfig = match manifests.account().filter(|_| !args.admin) {
        Some((namespace, name)) => {
            view.note(&format!(
                "the operator runs as serviceaccount {namespace}/{name}"
            ));
            cluster.kubeconfig_of(&namespace, &name).await?
        }
        None => cluster.kubeconfig().to_owned(),
    };
    let operator = Operator {
        args,
        view,
        kubeconfig,
    };
    let mut sources = sources::watch(&args.directory, &[&installed[..], &args.apply[..]].concat())?;
    operator.restart(child).await?;
    let applied = Manifests::read(&args.apply)?;
    applied.install(cluster, view).await?;
    let mut settled = Settled::default();
    let limit = time::sleep(Duration::from_secs(args.timeout));
    tokio::pin!(limit);
    loop {
        tokio::select! {
            status = exit_of(child) => {
                operator.ended(child, status?);
                if args.once {
                    return Err("the operator ended".to_owned());
                }
            }
            Some(change) = seen.recv() => settled.seen(change),
            () = settled.done(), if args.once => return Ok(End::Done),
            () = &mut limit, if args.once => {
                return Err(format!("the operator was not done after {} s", args.timeout));
            }
            Some(change) = sources.next() => {
                if let Err(problem) = changed(args, cluster, &operator, child, &installed, &change).await {
                    view.error(&problem);
                }
            }
        }
    }
}

/// Does what a change of files asks for.
async fn changed(
    args: &Args,
    cluster: &Cluster,
    operator: &Operator<'_>,
    child: &mut Option<Child>,
    installed: &[PathBuf],
    change: &Change,
) -> Result<(), String> {
    let view = operator.view;
    if change.manifests {
        if args.directory.join("kube-codegen.toml").is_file() {
            view.note("manifests changed: generate");
            child::generate(&args.directory).await?;
        }
        let mut manifests = Manifests::read(installed)?;
        manifests.leave_out_deployments(view);
        manifests.install(cluster, view).await?;
        Manifests::read(&args.apply)?.install(cluster, view).await?;
    }
    if change.code {
        view.note("sources changed: build");
        operator.restart(child).await?;
    }
    Ok(())
}

/// Waits until the operator ends, for ever if it does not run.
async fn exit_of(child: &mut Option<Child>) -> Result<ExitStatus, String> {
    match child {
        Some(child) => child.exit().await,
        None => std::future::pending().await,
    }
}

/// How the operator is run.
struct Operator<'a> {
    args: &'a Args,
    view: &'a View,
    kubeconfig: PathBuf,
}

impl Operator<'_> {
    /// Builds the operator while the old one runs, and replaces it if that succeeds.
    async fn restart(&self, child: &mut Option<Child>) -> Result<(), String> {
        if self.args.command.is_empty() && !child::build(&self.args.directory).await? {
            self.view.error("cargo build failed; waiting for a change");
            return Ok(());
        }
        if let Some(old) = child.take() {
            old.stop().await;
        }
        let command = match self.args.command.as_slice() {
            [] => vec!["cargo".to_owned(), "run".to_owned(), "--quiet".to_owned()],
            command => command.to_vec(),
        };
        self.view.note(&format!("run: {}", command.join(" ")));
        *child = Some(Child::start(
            &command,
            &self.args.directory,
            &self.kubeconfig,
            self.view,
        )?);
        Ok(())
    }

    fn ended(&self, child: &mut Option<Child>, status: ExitStatus) {
        *child = None;
        self.view.error(&format!(
            "the operator ended ({status}); a change of its sources starts it again"
        ));
    }
}
