//! One run: installs manifests, runs the operator, and does what changes of files ask for.

use std::{
    path::PathBuf,
    process::ExitStatus,
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::{
    signal,
    sync::{mpsc, oneshot},
    time,
};

use crate::{
    Args,
    child::{self, Child},
    cluster::Cluster,
    follow,
    history::{History, Operator as State},
    install::Manifests,
    page::{Actions, Order, Page},
    proxy::Proxy,
    settled::Settled,
    sources::{self, Change},
    view::View,
};

/// Why `dev` ended without an error.
enum End {
    Interrupted,
    Done,
}

/// What the page has asked for, and where the answer goes.
type Orders = mpsc::UnboundedReceiver<(Order, oneshot::Sender<Result<(), String>>)>;

/// Starts an API server, and runs the operator against it until it is done or a signal ends the command.
pub(super) async fn run(args: &Args, view: &View) -> Result<(), String> {
    let cluster = Arc::new(Cluster::start(args.real, !args.no_controllers).await?);
    view.note(&format!(
        "API server: {} (KUBECONFIG={})",
        cluster.url(),
        cluster.kubeconfig().display()
    ));
    let (orders, ordered) = mpsc::unbounded_channel();
    let proxy = Arc::new(OnceLock::new());
    let page = match view.history() {
        Some(history) => {
            history.set_url(cluster.url());
            let actions = Actions {
                cluster: Arc::downgrade(&cluster),
                proxy: proxy.clone(),
                orders,
                simulates: args.directory.join("tests/simulate.rs").is_file(),
            };
            let page = Page::start(history.clone(), actions).await?;
            view.note(&format!("page: {}", page.url()));
            Some(page)
        }
        None => None,
    };
    let mut child = None;
    let end = tokio::select! {
        end = session(args, view, &cluster, &mut child, &proxy, ordered) => end,
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
    drop(page);
    if let Some(cluster) = Arc::into_inner(cluster) {
        cluster.stop();
    }
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
    proxy: &OnceLock<Proxy>,
    mut orders: Orders,
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
    follow::follow(
        view,
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
        None => cluster.kubeconfig_of_administrator()?,
    };
    if let Some(history) = view.history().filter(|_| args.has_operator()) {
        let started = Proxy::start(&kubeconfig, history.clone()).await?;
        proxy.get_or_init(|| started);
    }
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
            Some((order, answer)) = orders.recv() => {
                // Whoever asked may have gone.
                answer.send(operator.obey(order, child).await).ok();
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
    fn state(&self, state: State, text: &str, failed: bool) {
        if let Some(history) = self.view.history() {
            history.set_operator(state, text, failed);
        }
    }

    /// Does what the page has asked for.
    async fn obey(&self, order: Order, child: &mut Option<Child>) -> Result<(), String> {
        let paused = self.view.history().map(History::operator) == Some(State::Paused);
        match order {
            Order::Restart if !self.args.has_operator() => Err("no operator runs here".to_owned()),
            Order::Restart => {
                self.view.note("restart the operator");
                self.restart(child).await
            }
            Order::Pause | Order::Continue => {
                let is_pause = matches!(order, Order::Pause);
                if is_pause == paused {
                    return Ok(());
                }
                let child = child.as_ref().ok_or("the operator does not run")?;
                #[cfg(not(unix))]
                return Err("pausing a program needs Unix".to_owned());
                #[cfg(unix)]
                {
                    child.set_paused(is_pause);
                    let (state, text) = if is_pause {
                        (State::Paused, "the operator is paused")
                    } else {
                        (State::Running, "the operator goes on")
                    };
                    self.state(state, text, false);
                    Ok(())
                }
            }
            Order::Simulate(state) => {
                let (directory, view) = (self.args.directory.clone(), self.view.clone());
                view.note("simulate the operator from this state");
                tokio::spawn(async move {
                    match child::simulate(&directory, &state, &view).await {
                        Ok(true) => view.note("the simulation has found nothing"),
                        Ok(false) => view.error("the simulation has failed"),
                        Err(error) => view.error(&error),
                    }
                });
                Ok(())
            }
        }
    }

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
        self.state(State::Running, "the operator starts", false);
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
        self.state(
            State::Ended,
            &format!("the operator ended ({status})"),
            true,
        );
        self.view.error(&format!(
            "the operator ended ({status}); a change of its sources starts it again"
        ));
    }
}
