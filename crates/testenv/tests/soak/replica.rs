//! One replica of the operator: starts its manager again whenever it ends, as a Pod does.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Config, api::Patch};
use kube_codegen_runtime::{
    client::{self, TypedClient},
    controller::{Action, Controller, OnError},
    informer::SharedInformer,
    leader_election::{LeaderElectionConfig, Term},
    manager::Manager,
};
use serde_json::json;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{
    LABEL,
    sequence::{Seen, Sequence, name_and_version},
};

/// A dead connection must not take a large part of the short form.
const DEAD_AFTER: Duration = Duration::from_secs(4);

/// What the test sees of a replica.
#[derive(Default)]
struct Visible {
    informer: Option<SharedInformer<ConfigMap>>,
    seen: Arc<Mutex<Seen>>,
    term: Option<Term>,
    /// Problems and events of earlier managers.
    problems: Vec<String>,
    events: u64,
    /// Why earlier managers ended, and how often.
    ends: BTreeMap<String, usize>,
}

pub(crate) struct Replica {
    name: &'static str,
    visible: Arc<Mutex<Visible>>,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

fn value<'a>(map: &'a ConfigMap, key: &str) -> Option<&'a String> {
    map.data.as_ref()?.get(key)
}

/// Whether the leader has copied `n` to `seen`.
pub(crate) fn is_handled(map: &ConfigMap) -> bool {
    value(map, "n") == value(map, "seen")
}

async fn reconcile(map: Arc<ConfigMap>, maps: Arc<TypedClient<ConfigMap>>) -> kube::Result<Action> {
    if !is_handled(&map) {
        let name = map.metadata.name.as_deref().unwrap_or_default();
        let patch = Patch::Merge(json!({ "data": { "seen": value(&map, "n") } }));
        match maps.patch(name, &patch).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            result => drop(result?),
        }
    }
    Ok(Action::await_change())
}

impl Replica {
    pub(crate) fn start(name: &'static str, config: Config, namespace: &str) -> Self {
        let visible = Arc::new(Mutex::new(Visible::default()));
        let stop = CancellationToken::new();
        let (shared, stopped, namespace) =
            (Arc::clone(&visible), stop.clone(), namespace.to_owned());
        let running = tokio::spawn(async move {
            while !stopped.is_cancelled() {
                let manager = Self::manager(name, &config, &namespace, &shared);
                let end = match manager.run(stopped.cancelled()).await {
                    Ok(()) => "stopped".to_owned(),
                    Err(error) => client::describe(&error),
                };
                let mut visible = shared.lock().unwrap();
                *visible.ends.entry(end).or_default() += 1;
            }
        });
        Self {
            name,
            visible,
            stop,
            running,
        }
    }

    fn manager(name: &str, config: &Config, namespace: &str, shared: &Mutex<Visible>) -> Manager {
        let client = client::builder(config.clone(), DEAD_AFTER).unwrap().build();
        let election = LeaderElectionConfig::new("soak")
            .namespace(namespace)
            .identity(name)
            .lease_duration(Duration::from_secs(6))
            .renew_deadline(Duration::from_secs(4))
            .retry_period(Duration::from_secs(1));
        let mut manager = Manager::builder(client, "soak")
            .informers(|informers| informers.namespace(namespace).label_selector(LABEL))
            .leader_election(election)
            .grace_period(Duration::from_secs(5))
            .build()
            .unwrap();
        let informer = manager.factory().informer::<ConfigMap>();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let _registration = informer.add_event_handler(Sequence(Arc::clone(&seen)));
        let controller = Controller::for_informer(&informer).workers(16);
        let maps = TypedClient::<ConfigMap>::namespaced(manager.client(), namespace);
        let mut visible = shared.lock().unwrap();
        let before = std::mem::replace(&mut visible.seen, seen);
        let before = std::mem::take(&mut *before.lock().unwrap());
        visible.problems.extend(before.problems);
        visible.events += before.events;
        visible.informer = Some(informer);
        visible.term = manager.term();
        drop(visible);
        manager.controller(controller, |controller| {
            controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(maps))
        });
        manager
    }

    fn visible(&self) -> MutexGuard<'_, Visible> {
        self.visible.lock().unwrap()
    }

    /// Compares cache and handler with the names and versions of the server's objects.
    pub(crate) fn agrees(&self, server: &BTreeMap<String, String>) -> Result<(), String> {
        let visible = self.visible();
        let informer = visible.informer.as_ref().ok_or("not started")?;
        let cache: BTreeMap<_, _> = informer
            .lister()
            .all()
            .iter()
            .map(|map| name_and_version(map))
            .collect();
        let seen = visible.seen.lock().unwrap();
        for (what, objects) in [("cache", &cache), ("handler", &seen.objects)] {
            if objects != server {
                let differs =
                    |(name, version): &(&String, &String)| objects.get(*name) != Some(version);
                let first = server.iter().find(differs);
                return Err(format!(
                    "{} of {}: {} objects, the server has {}; first difference {first:?}",
                    what,
                    self.name,
                    objects.len(),
                    server.len()
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn problems(&self) -> Vec<String> {
        let visible = self.visible();
        let seen = visible.seen.lock().unwrap();
        visible
            .problems
            .iter()
            .chain(&seen.problems)
            .cloned()
            .collect()
    }

    pub(crate) fn summary(&self) -> String {
        let visible = self.visible();
        let events = visible.events + visible.seen.lock().unwrap().events;
        let informer = visible.informer.as_ref().map(SharedInformer::metrics);
        let informer = informer.map(|m| {
            format!(
                "{} lists, {} watches, {} failures",
                m.lists, m.watches, m.failures
            )
        });
        format!(
            "replica {}: {events} events; managers ended: {:?}; informer of the last one: {informer:?}",
            self.name, visible.ends
        )
    }

    pub(crate) fn is_leader(&self) -> bool {
        leads(&self.visible)
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        let Self {
            visible, running, ..
        } = self;
        running.await.unwrap();
        let ends = &visible.lock().unwrap().ends;
        assert_eq!(ends.get("stopped"), Some(&1), "{ends:?}");
    }
}

/// Watches which replica leads.
pub(crate) struct Leaders {
    stop: CancellationToken,
    watching: JoinHandle<Vec<&'static str>>,
}

fn leads(visible: &Mutex<Visible>) -> bool {
    visible
        .lock()
        .unwrap()
        .term
        .as_ref()
        .is_some_and(Term::is_active)
}

/// Checks all the time that at most one of two replicas leads.
pub(crate) fn watch_leaders(replicas: &[Replica]) -> Leaders {
    let replicas: Vec<_> = replicas
        .iter()
        .map(|replica| (replica.name, Arc::clone(&replica.visible)))
        .collect();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let watching = tokio::spawn(async move {
        let mut terms = Vec::new();
        while stopped
            .run_until_cancelled(sleep(Duration::from_millis(2)))
            .await
            .is_some()
        {
            let [(one, first), (two, second)] = &replicas[..] else {
                panic!("two replicas")
            };
            let began = Instant::now();
            let (is_first, is_second) = (leads(first), leads(second));
            // The first one may have ended its term before the second one began.
            if is_first && is_second && leads(first) {
                let took = began.elapsed();
                let terms = [first, second].map(|one| one.lock().unwrap().term.clone());
                panic!("both replicas lead, checked within {took:?}: {terms:?}");
            }
            let leader = match (is_first, is_second) {
                (true, false) => one,
                (false, true) => two,
                _ => continue,
            };
            if terms.last() != Some(leader) {
                terms.push(*leader);
            }
        }
        terms
    });
    Leaders { stop, watching }
}

impl Leaders {
    /// Returns the leaders so far.
    pub(crate) async fn end(self) -> Vec<&'static str> {
        self.stop.cancel();
        self.watching.await.unwrap()
    }
}
