//! The operator: one process or several, which start, pause and end.

use std::{
    io::ErrorKind,
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    process::ExitStatus,
    time::SystemTime,
};

use futures::future::{join_all, select_all};

use crate::{
    Args,
    child::{self, Child},
    history::{Operator as State, Simulation},
    install::Files,
    page::Order,
    view::View,
};

/// The processes of the operator that run.
pub(super) type Replicas = Vec<Option<Child>>;

/// Waits until a replica ends, for ever if none runs. Returns its index.
pub(super) async fn exit_of(replicas: &mut Replicas) -> (usize, Result<ExitStatus, String>) {
    let running = replicas.iter_mut().enumerate();
    let exits = running.filter_map(|(index, child)| {
        let child = child.as_mut()?;
        Some(Box::pin(async move { (index, child.exit().await) }))
    });
    let exits: Vec<_> = exits.collect();
    if exits.is_empty() {
        return std::future::pending().await;
    }
    select_all(exits).await.0
}

/// How the operator is run.
pub(super) struct Operator<'a> {
    pub(super) args: &'a Args,
    pub(super) view: &'a View,
    pub(super) kubeconfigs: Vec<PathBuf>,
    /// Where the Lease of several replicas is.
    pub(super) namespace: String,
}

impl Operator<'_> {
    fn state(&self, index: usize, state: State, text: &str, failed: bool) {
        if let Some(history) = self.view.history() {
            history.set_operator(index + 1, state, text, failed);
        }
    }

    /// Does what the page has asked for.
    pub(super) async fn obey(&self, order: Order, replicas: &mut Replicas) -> Result<(), String> {
        match order {
            Order::Restart(_) if !self.args.has_operator() => {
                Err("no operator runs here".to_owned())
            }
            Order::Restart(only) => {
                self.view.note("restarting the operator");
                self.restart(replicas, only).await
            }
            #[cfg(not(unix))]
            Order::Pause(..) => Err("pausing a program needs Unix".to_owned()),
            #[cfg(unix)]
            Order::Pause(only, is_pause) => {
                let mut found = false;
                for (index, child) in selected(replicas, only) {
                    let Some(child) = child else { continue };
                    found = true;
                    let state = self.view.history().map(|it| it.operator(index + 1));
                    if is_pause == (state == Some(State::Paused)) {
                        continue;
                    }
                    child.set_paused(is_pause);
                    let (state, text) = if is_pause {
                        (State::Paused, "the operator is paused")
                    } else {
                        (State::Running, "the operator resumed")
                    };
                    self.state(index, state, text, false);
                }
                if found {
                    Ok(())
                } else {
                    Err("the operator does not run".to_owned())
                }
            }
            Order::Simulate(state) => {
                let (directory, view) = (self.args.directory.clone(), self.view.clone());
                let history = view
                    .history()
                    .cloned()
                    .ok_or("only a run with a page simulates")?;
                if history.simulation() == Simulation::Running {
                    return Err("a simulation runs".to_owned());
                }
                view.note("simulating the operator from the current state");
                history.set_simulation(Simulation::Running);
                tokio::spawn(async move {
                    let start = SystemTime::now();
                    let end = match child::simulate(&directory, &state, &view).await {
                        Ok(true) => {
                            view.note("the simulation has found nothing");
                            Simulation::Passed
                        }
                        Ok(false) => {
                            view.error("the simulation has failed");
                            Simulation::Failed(child::picture_since(&directory, start))
                        }
                        Err(error) => {
                            view.error(&error);
                            Simulation::Failed(None)
                        }
                    };
                    history.set_simulation(end);
                });
                Ok(())
            }
        }
    }

    /// Builds the operator while the old one runs, and replaces one replica or all if that succeeds.
    pub(super) async fn restart(
        &self,
        replicas: &mut Replicas,
        only: Option<usize>,
    ) -> Result<(), String> {
        if self.args.command.is_empty() {
            let is_built = child::build(&self.args.directory, self.args.quiet).await?;
            if !is_built {
                self.view.error("cargo build failed; waiting for a change");
                return Ok(());
            }
        }
        let old = selected(replicas, only).filter_map(|(_, child)| child.take());
        join_all(old.map(Child::stop)).await;
        let is_several = self.args.replicas.get() > 1 && self.args.command.is_empty();
        let command = match self.args.command.as_slice() {
            [] if is_several => {
                let namespace = format!("--leader-elect-resource-namespace={}", self.namespace);
                owned(&[RUN, ELECTION, &[&namespace]].concat())
            }
            [] => owned(RUN),
            command => command.to_vec(),
        };
        let has_webhooks = is_several && self.has_webhooks();
        self.view.note(&format!("run: {}", command.join(" ")));
        if self.args.command.is_empty()
            && !is_several
            && let Some(problem) = in_use(PROBES)
        {
            self.view.error(&problem);
        }
        for (index, child) in selected(replicas, only) {
            self.state(index, State::Running, "starting the operator", false);
            let mut command = command.clone();
            if index > 0 && has_webhooks {
                command.push(NO_WEBHOOKS.to_owned());
            }
            *child = Some(Child::start(
                index + 1,
                &command,
                &self.args.directory,
                &self.kubeconfigs[index],
                self.view,
            )?);
        }
        Ok(())
    }

    /// Returns whether it has webhooks: the manifests in `deploy/` are its own.
    fn has_webhooks(&self) -> bool {
        let files = Files::new(&self.args.directory, &[], &[]);
        files.read().1.is_ok_and(|it| it.installed.has_webhooks())
    }

    /// Notes that a replica has ended.
    pub(super) fn ended(&self, replicas: &mut Replicas, index: usize, status: ExitStatus) {
        replicas[index] = None;
        let text = format!("the operator exited ({status})");
        self.state(index, State::Ended, &text, true);
        let again = if self.args.once {
            ""
        } else {
            "; it restarts when a source file changes"
        };
        self.view.error(&format!("{text}{again}"));
    }
}

/// Returns what to say if another program has the port of the probes.
fn in_use(port: u16) -> Option<String> {
    let bound = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port));
    let error = bound.err()?;
    if error.kind() != ErrorKind::AddrInUse {
        return Some(format!(
            "port {port}, where the operator serves its health probes by default, cannot be opened: {error}"
        ));
    }
    Some(format!(
        "port {port} is in use, but the operator serves its health probes there by default; free the port, or turn the probes off: `kube-codegen dev -- cargo run -- --health-probe-bind-address=0`"
    ))
}

/// The port on which operators of kube-codegen serve their probes by default.
const PROBES: u16 = 8081;
/// It is built before, with cargo's progress.
const RUN: &[&str] = &["cargo", "run", "--quiet"];
/// What several replicas of an operator of kube-codegen need: one leads, and no port is used twice.
const ELECTION: &[&str] = &["--", "--leader-elect", "--health-probe-bind-address=0"];
/// The webhooks are those of the first replica.
const NO_WEBHOOKS: &str = "--webhook-port=0";

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns one replica, by its number from 1 on, or all.
fn selected(
    replicas: &mut Replicas,
    only: Option<usize>,
) -> impl Iterator<Item = (usize, &mut Option<Child>)> {
    let all = replicas.iter_mut().enumerate();
    all.filter(move |(index, _)| only.is_none_or(|only| only == index + 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_in_use_is_said_with_what_to_run_instead() {
        // Of one address or of all: the operator needs all.
        for address in [Ipv4Addr::UNSPECIFIED, Ipv4Addr::LOCALHOST] {
            let other = TcpListener::bind((address, 0)).unwrap();
            let port = other.local_addr().unwrap().port();
            let message = in_use(port).unwrap();
            assert!(
                message.starts_with(&format!("port {port} is in use")),
                "{message}"
            );
            assert!(
                message.contains("cargo run -- --health-probe-bind-address=0"),
                "{message}"
            );
        }
        // A port that was free may be another test's by now; not all of several are.
        let free = || {
            let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
            listener.local_addr().unwrap().port()
        };
        assert!((0..50).any(|_| in_use(free()).is_none()));
    }
}
