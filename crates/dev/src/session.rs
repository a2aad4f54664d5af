//! One run: installs manifests, runs the operator, and does what changes of files ask for.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures::future::join_all;
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
    install::{Files, Installed, Manifests, Waiting},
    operator::{Operator, Replicas, exit_of},
    page::{Actions, Order, Page, picture},
    proxy::Proxy,
    settled::Settled,
    sources::{self, Sources},
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
    let cluster =
        Arc::new(Cluster::start(args.real, !args.no_controllers, args.has_operator()).await?);
    view.note(&format!(
        "API server: {} (KUBECONFIG={})",
        cluster.url(),
        cluster.kubeconfig().display()
    ));
    let (orders, ordered) = mpsc::unbounded_channel();
    let proxies = Arc::new(OnceLock::new());
    if let Some(history) = view.history() {
        history.set_server(cluster.url(), cluster.kubeconfig());
    }
    let page = match view.history().filter(|_| args.has_page()) {
        Some(history) => {
            let actions = Actions {
                cluster: Arc::downgrade(&cluster),
                proxies: proxies.clone(),
                orders,
                simulates: args.directory.join("tests/simulate.rs").is_file(),
            };
            let page = Page::start(history.clone(), actions).await?;
            // A picture of the run may go to others: the address has the token.
            view.say(&format!("page: {}", page.url()));
            Some(page)
        }
        None => None,
    };
    let mut replicas: Replicas = (0..args.replicas.get()).map(|_| None).collect();
    let end = tokio::select! {
        end = session(args, view, &cluster, &mut replicas, &proxies, ordered) => end,
        result = interrupted() => result.map(|()| End::Interrupted),
    };
    join_all(replicas.into_iter().flatten().map(Child::stop)).await;
    if let Some((file, history)) = args.picture.as_ref().zip(view.history()) {
        std::fs::write(file, picture::picture(history))
            .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        view.note(&format!("picture: {}", file.display()));
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
    replicas: &mut Replicas,
    proxies: &OnceLock<Vec<Proxy>>,
    mut orders: Orders,
) -> Result<End, String> {
    let files = Files::new(&args.directory, &args.file, &args.apply);
    let (watched, read) = files.read();
    let mut read = read?;
    read.prepare(args.has_operator(), view);
    let mut not_applied = read.installed.install(cluster, view).await;
    if let Err(problem) = not_applied.check() {
        view.error(&problem);
    }
    let (changes, mut seen) = mpsc::unbounded_channel();
    follow::follow(
        view,
        cluster,
        read.installed.custom_resources(),
        args.requests,
        &changes,
    );
    let operator = prepare(args, view, cluster, &read.installed, proxies).await?;
    let mut sources = sources::watch(&args.directory, &watched)?;
    if args.has_operator() {
        operator.restart(replicas, None).await?;
    } else {
        view.note("no operator: the API server runs until Ctrl-C");
    }
    let applied = read.applied.install(cluster, view).await;
    if let Err(problem) = applied.check() {
        // A sample that nobody has named may be wrong: a change is applied again.
        if args.once || !args.apply.is_empty() {
            return Err(problem);
        }
        view.error(&problem);
    }
    not_applied.extend(applied);
    let mut waiting = Waiting::new(not_applied.waiting, view);
    let mut settled = Settled::default();
    let limit = time::sleep(Duration::from_secs(args.timeout));
    tokio::pin!(limit);
    loop {
        tokio::select! {
            (replica, status) = exit_of(replicas) => {
                operator.ended(replicas, replica, status?);
                if args.once {
                    return Err("the operator exited".to_owned());
                }
            }
            () = waiting.due() => {
                if let Err(problem) = waiting.again(cluster, view).await {
                    if args.once {
                        return Err(problem);
                    }
                    view.error(&problem);
                }
                settled.touch();
            }
            Some(change) = seen.recv() => settled.seen(change),
            () = settled.done(), if args.once && waiting.is_empty() => return Ok(End::Done),
            () = &mut limit, if args.once => {
                return Err(format!("the operator did not finish within {} s (--timeout)", args.timeout));
            }
            Some((order, answer)) = orders.recv() => {
                let restarts = matches!(order, Order::Restart(_));
                // Whoever asked may have gone.
                answer.send(operator.obey(order, replicas).await).ok();
                if restarts {
                    waiting.restart();
                }
            }
            Some(change) = sources.next() => {
                if change.manifests {
                    let again = apply_again(args, cluster, view, &files, &mut sources).await;
                    let rejected = again.and_then(|not_applied| {
                        let rejected = not_applied.check();
                        waiting = Waiting::new(not_applied.waiting, view);
                        rejected
                    });
                    if let Err(problem) = rejected {
                        view.error(&problem);
                    }
                }
                if change.code && args.has_operator() {
                    view.note("sources changed, building");
                    if let Err(problem) = operator.restart(replicas, None).await {
                        view.error(&problem);
                    }
                    waiting.restart();
                }
            }
        }
    }
}

/// Decides under which account the operator runs, and writes the kubeconfig of each replica; with a page, it leads through a proxy.
async fn prepare<'a>(
    args: &'a Args,
    view: &'a View,
    cluster: &Cluster,
    manifests: &Manifests,
    proxies: &OnceLock<Vec<Proxy>>,
) -> Result<Operator<'a>, String> {
    let account = manifests
        .account()
        .filter(|_| args.has_operator() && !args.admin);
    if let Some((namespace, name)) = &account {
        view.note(&format!(
            "the operator runs as serviceaccount {namespace}/{name}"
        ));
    }
    let (mut kubeconfigs, mut started) = (Vec::new(), Vec::new());
    for replica in 1..=args.replicas.get() {
        let kubeconfig = match &account {
            Some((namespace, name)) => cluster.kubeconfig_of(replica, namespace, name).await?,
            None => cluster.kubeconfig_of_administrator(replica)?,
        };
        if let Some(history) = view.history().filter(|_| args.has_operator()) {
            started.push(Proxy::start(&kubeconfig, history.clone(), replica).await?);
        }
        kubeconfigs.push(kubeconfig);
    }
    if !started.is_empty() {
        proxies.get_or_init(|| started);
    }
    Ok(Operator {
        args,
        view,
        kubeconfigs,
        namespace: account.map_or_else(|| "default".to_owned(), |(namespace, _)| namespace),
    })
}

/// Generates from changed definitions, and applies everything again.
///
/// # Errors
/// If files cannot be read or generated from: then nothing was applied.
async fn apply_again(
    args: &Args,
    cluster: &Cluster,
    view: &View,
    files: &Files,
    sources: &mut Sources,
) -> Result<Installed, String> {
    let mut generated = Ok(());
    if args.directory.join("kube-codegen.toml").is_file() {
        view.note("manifests changed, generating code");
        generated = child::generate(&args.directory).await;
    }
    let (watched, read) = files.read();
    // Also if something is wrong: the change that mends it may be in a file that is new here.
    sources.add(&watched)?;
    generated?;
    let mut read = read?;
    read.prepare(args.has_operator(), view);
    let mut not_applied = read.installed.install(cluster, view).await;
    not_applied.extend(read.applied.install(cluster, view).await);
    Ok(not_applied)
}
