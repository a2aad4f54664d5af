//! One replica of the operator: starts its manager again whenever it ends, as a Pod does.

use std::{
    collections::BTreeMap,
    fmt,
    str::FromStr,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Config, api::Patch};
use kube_codegen_runtime::{
    client::{self, TypedClient},
    controller::Action,
    informer::SharedInformer,
    leader_election::{LeaderElectionConfig, Term},
    manager::Manager,
};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::chaos::{
    LABEL, LEASE, LEASE_DURATION, WRITER,
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

/// Who wrote an object, in which term, and the number of the write.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) replica: String,
    /// The number of the term.
    pub(crate) term: u64,
    number: u64,
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.replica, self.term, self.number)
    }
}

impl FromStr for Writer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [replica, term, number] = text.split(' ').collect::<Vec<_>>()[..] else {
            return Err(text.to_owned());
        };
        let fails = |error| format!("{text}: {error}");
        Ok(Self {
            replica: replica.to_owned(),
            term: term.parse().map_err(fails)?,
            number: number.parse().map_err(fails)?,
        })
    }
}

/// What the reconciler of a replica needs.
struct Context {
    maps: TypedClient<ConfigMap>,
    replica: &'static str,
    term: Term,
}

async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> kube::Result<Action> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    if !is_handled(&map) {
        let name = map.metadata.name.as_deref().unwrap_or_default();
        let writer = Writer {
            replica: context.replica.to_owned(),
            // The client of the manager refuses the write after the term.
            term: context.term.number().unwrap_or_default(),
            number: WRITES.fetch_add(1, Ordering::Relaxed),
        };
        let data = json!({ "seen": value(&map, "n"), WRITER: writer.to_string() });
        let patch = Patch::Merge(json!({ "data": data }));
        match context.maps.patch(name, &patch).await {
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

    fn manager(
        name: &'static str,
        config: &Config,
        namespace: &str,
        shared: &Mutex<Visible>,
    ) -> Manager {
        let client = client::builder(config.clone(), DEAD_AFTER).unwrap().build();
        let election = LeaderElectionConfig::new(LEASE)
            .namespace(namespace)
            .identity(name)
            .lease_duration(LEASE_DURATION)
            .renew_deadline(Duration::from_secs(4))
            .retry_period(Duration::from_secs(1));
        let manager = Manager::builder(client, "soak")
            .informers(|informers| informers.namespace(namespace).label_selector(LABEL))
            .leader_election(election)
            .grace_period(Duration::from_secs(5))
            .build()
            .unwrap();
        let informer = manager.factory().informer::<ConfigMap>();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let _registration = informer.add_event_handler(Sequence(Arc::clone(&seen)));
        let context = Context {
            maps: TypedClient::namespaced(manager.client(), namespace),
            replica: name,
            term: manager.term().unwrap(),
        };
        let mut visible = shared.lock().unwrap();
        let before = std::mem::replace(&mut visible.seen, seen);
        let before = std::mem::take(&mut *before.lock().unwrap());
        visible.problems.extend(before.problems);
        visible.events += before.events;
        visible.informer = Some(informer);
        visible.term = manager.term();
        drop(visible);
        manager.reconcile().workers(16).run(reconcile, context);
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

    /// Returns the number of the term in which this replica leads.
    pub(crate) fn leads(&self) -> Option<u64> {
        let visible = self.visible();
        let term = visible.term.as_ref()?;
        term.number().filter(|_| term.is_active())
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
