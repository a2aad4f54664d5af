//! One run: installs manifests, runs the operator, and does what changes of files ask for.

use std::{path::PathBuf, process::ExitStatus, time::Duration};

use tokio::{signal, sync::mpsc, time};

use crate::{
    Args,
    child::{self, Child},
    cluster::Cluster,
    install::Manifests,
    settled::Settled,
    sources::{self, Change},
    view::View,
};

/// Why `dev` ended without an error.
enum End {
    Interrupted,
    Done,
}

/// Starts an API server, and runs the operator against it until it is done or a signal ends the command.
pub(super) async fn run(args: &Args, view: &View) -> Result<(), String> {
    let cluster = Cluster::start(args.real, !args.no_controllers).await?;
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
        End::Interrupted if args.has_operator() => {
            view.note("interrupted: the operator and the API server have ended");
        }
        End::Interrupted => view.note("interrupted: the API server has ended"),
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
    if args.has_operator() {
        manifests.leave_out_deployments(view);
    }
    if let Some(problem) = manifests.install(cluster, view).await.err() {
        view.error(&problem);
    }
    let (changes, mut seen) = mpsc::unbounded_channel();
    view.follow(
        cluster,
        manifests.custom_resources(),
        args.requests,
        &changes,
    );
    let kubeconfig = match manifests
        .account()
        .filter(|_| args.has_operator() && !args.admin)
    {
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
    if args.has_operator() {
        operator.restart(child).await?;
    } else {
        view.note("no operator: the API server runs until Ctrl-C");
    }
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
        if args.has_operator() {
            manifests.leave_out_deployments(view);
        }
        manifests.install(cluster, view).await?;
        Manifests::read(&args.apply)?.install(cluster, view).await?;
    }
    if change.code && args.has_operator() {
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
