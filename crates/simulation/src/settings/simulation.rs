//! [`Simulation`]: what is simulated, and how much of it.

use std::{collections::BTreeSet, fmt, future::Future, sync::Arc, time::Duration};

use futures::FutureExt as _;
use k8s_openapi::ListableResource;
use kube::Client;
use kube_codegen_testing::ApiServer;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    budget::Budget,
    primary::Primary,
    setup::{Free, Outside, Setup},
};
use crate::workload::Workload;
use crate::{
    faults::FaultKind,
    oracles::{Check, Demands, MakeCheck, Oracle, Truth, UserKind},
    progress::Progress,
    scenario::Scenario,
};

/// The random combinations that follow the single faults by default.
const COMBINATIONS: u64 = 100;

/// Runs an operator under many schedules of faults, against an in-memory API server in virtual time.
///
/// See the [crate](crate) for an example.
#[derive(Clone)]
#[must_use = "nothing is simulated before `run`"]
pub struct Simulation {
    pub(crate) setup: Setup,
    pub(crate) samples: Vec<Value>,
    pub(crate) workloads: Vec<Workload>,
    pub(crate) objects: usize,
    pub(crate) most_workloads: usize,
    pub(crate) seed: u64,
    pub(crate) budget: Budget,
    pub(crate) exhaustive: Option<usize>,
    /// What is simulated before an upgrade.
    pub(crate) old: Option<Box<Simulation>>,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("name", &self.setup.name)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// Creates a simulation with one replica. `name` appears in messages and in the file names of failed schedules.
    pub fn new(name: &str) -> Self {
        let server = ApiServer::new();
        // Requests of users are no evidence of the rights that the operator needs.
        server.set_request_limit(0);
        Self {
            setup: Setup {
                name: name.to_owned(),
                server,
                operator: None,
                primaries: Vec::new(),
                replicas: 1,
                quiet: Duration::from_secs(30),
                patience: Duration::from_secs(600),
                requests_per_second: 500,
                demands: Demands::default(),
                own: Vec::new(),
                without_faults: BTreeSet::new(),
                without_scenarios: BTreeSet::new(),
                templates: Vec::new(),
                crds: Vec::new(),
                former: None,
                outside: Vec::new(),
                free: Vec::new(),
                most_faults: 3,
                logs: false,
                threads: None,
                progress: Progress::default(),
            },
            samples: Vec::new(),
            workloads: Vec::new(),
            objects: 2,
            most_workloads: 6,
            seed: 1,
            budget: Budget::Coverage(COMBINATIONS),
            exhaustive: None,
            old: None,
        }
    }

    /// Registers a CRD. If you add no [`Self::workload`], its schema determines what users do with its objects.
    ///
    /// # Panics
    /// If the CRD is invalid.
    #[expect(clippy::panic, reason = "a test fails by a panic")]
    pub fn crd(mut self, crd: &impl Serialize) -> Self {
        let json = serde_json::to_value(crd).unwrap_or_default();
        if let Err(error) = self.setup.server.register_crd(&json) {
            panic!("{error}");
        }
        if let Some(primary) = Primary::read(&json) {
            self.add(primary);
        }
        self.setup.crds.push(json);
        self
    }

    /// Registers a built-in kind that the operator controls, such as `Secret`. If you add no [`Self::workload`], users create objects of
    /// it, set a label, and delete them. If the kind has required fields, such as the containers of a Pod, add a [`Self::sample`].
    pub fn kind<K: ListableResource<Scope: 'static>>(mut self) -> Self {
        self.setup.server.register_kind::<K>();
        self.add(Primary::of::<K>());
        self
    }

    fn add(&mut self, primary: Primary) {
        let Primary {
            group,
            plural,
            kind,
            ..
        } = primary.clone();
        let kind = UserKind {
            group,
            plural,
            kind,
        };
        self.setup.demands.kinds.push(kind);
        self.setup.primaries.push(primary);
    }

    /// Sets the object that workloads start from, in place of one made from the schema. Its name is replaced.
    ///
    /// If you also add [workloads](Self::workload), they run first; then follow the scenarios, and the workloads made from the schema of
    /// the sample's kind.
    pub fn sample(mut self, object: &impl Serialize) -> Self {
        self.samples
            .push(serde_json::to_value(object).unwrap_or_default());
        self
    }

    /// Prepares the server that every run starts from, for example with objects that exist before the operator starts.
    pub fn prepare(self, prepare: impl FnOnce(&ApiServer)) -> Self {
        prepare(&self.setup.server);
        self
    }

    /// Declares a system outside the cluster that the operator changes. Before each run, `restore` receives what `read` returned before
    /// the first run. The result of `read` is compared like objects; if it is a map, each entry counts as an object. After all objects are
    /// deleted, nothing may be left in the system.
    ///
    /// The timeline of a failure shows each change, so `read` is called often, at any time between two steps of the operator. Where it
    /// panics, because a workload has broken the system, it is called again later.
    ///
    /// ```
    /// # use std::{collections::BTreeMap, sync::{Arc, Mutex}};
    /// # use kube_codegen_simulation::Simulation;
    /// type Machines = Arc<Mutex<BTreeMap<String, u32>>>;
    /// let machines = Machines::default();
    /// let (read, restored) = (machines.clone(), machines);
    /// let simulation = Simulation::new("machines").outside(
    ///     "machines",
    ///     move || read.lock().unwrap().clone(),
    ///     move |before| *restored.lock().unwrap() = before,
    /// );
    /// # let _ = simulation;
    /// ```
    pub fn outside<T: Serialize + DeserializeOwned>(
        mut self,
        name: &str,
        read: impl Fn() -> T + Send + Sync + 'static,
        restore: impl Fn(T) + Send + Sync + 'static,
    ) -> Self {
        let read = Arc::new(move || serde_json::to_value(read()).unwrap_or_default());
        let before = read();
        let restore = Arc::new(move |value: &Value| {
            if let Ok(value) = T::deserialize(value) {
                restore(value);
            }
        });
        self.setup.outside.push(Outside {
            name: name.to_owned(),
            read,
            restore,
            before,
        });
        self
    }

    /// Sets the operator: a function that returns a future, which runs the operator with a client until it is dropped. It is called for
    /// each start of a process, and must share nothing with other starts.
    ///
    /// The operator must run on the current Tokio runtime, and take times from tokio's clock. If the future ends, the process counts as
    /// exited, and restarts after a second.
    pub fn operator<F>(mut self, operator: impl Fn(Client) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output: fmt::Debug> + Send + 'static,
    {
        self.setup.operator = Some(Arc::new(move |client| {
            operator(client).map(|end| format!("{end:?}")).boxed()
        }));
        self
    }

    /// Adds a workload: what users do. If you add none, the schemas of the CRDs determine it. Scenarios then run only if you add a
    /// [sample](Self::sample), from which they start.
    pub fn workload(mut self, workload: Workload) -> Self {
        self.workloads.push(workload);
        self
    }

    /// Sets how many objects of each kind a workload made from a schema creates, from 1 to 26. The default is 2.
    pub fn objects(mut self, objects: usize) -> Self {
        self.objects = objects.clamp(1, 26);
        self
    }

    /// Sets the number of replicas of the operator. The default is 1. With several, [`Oracle::Leader`] is checked.
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.setup.replicas = replicas.max(1);
        self
    }

    /// Sets how long nothing may change before the operator counts as at rest. The default is 30 seconds of virtual time. It must be
    /// longer than the longest time that the operator waits before it acts.
    pub fn quiet(mut self, time: Duration) -> Self {
        self.setup.quiet = time;
        self
    }

    /// Sets how long the operator may take to come to rest before this counts as a failure. The default is 10 minutes of virtual time.
    pub fn patience(mut self, time: Duration) -> Self {
        self.setup.patience = time;
        self
    }

    /// Sets the maximum number of faults in a schedule. The default is 3.
    pub fn faults(mut self, most: usize) -> Self {
        self.setup.most_faults = most;
        self
    }

    /// Tries all orders of requests, responses and events, in place of random schedules: first without faults, then with one, and so on up
    /// to `faults`. `SIMULATE_EXHAUSTIVE` overrides it.
    ///
    /// This finishes only for small worlds: up to three [objects](Self::objects), up to two faults, and one or two workloads. The
    /// [`Summary`](crate::Summary) says whether it finished within the budget.
    pub fn exhaustive(mut self, faults: usize) -> Self {
        self.exhaustive = Some(faults);
        self
    }

    /// Switches off an oracle that your operator violates on purpose.
    pub fn without(mut self, oracle: Oracle) -> Self {
        self.setup.demands.without.insert(oracle);
        self
    }

    /// Switches off a kind of fault that your operator deliberately does not handle, such as `FaultKind::Drift` if it writes defaults only
    /// once.
    pub fn without_fault(mut self, fault: FaultKind) -> Self {
        self.setup.without_faults.insert(fault);
        self
    }

    /// Switches off a scenario in which your operator deliberately acts differently, such as `Scenario::Strangers` if it takes over users'
    /// objects that have the names of its children.
    pub fn without_scenario(mut self, scenario: Scenario) -> Self {
        self.setup.without_scenarios.insert(scenario);
        self
    }

    /// Declares the true value of a status field, given as a JSON pointer. [`Oracle::Truth`] compares it whenever the operator is at rest,
    /// even while Pods do not become ready. Objects without the field have null. Values that the operator writes before that may be late,
    /// but must have been true at some time since the object was created.
    ///
    /// A sum over several children may show a value that was never true, because a cache shows their changes at different times. Compare
    /// it only at rest, with [`Simulation::eventually`].
    ///
    /// ```
    /// # use kube_codegen_simulation::Simulation;
    /// use k8s_openapi::api::apps::v1::Deployment;
    /// use serde_json::json;
    ///
    /// let simulation = Simulation::new("widgets").truth("Widget", "/status/readyReplicas", |server, widget| {
    ///     let name = widget["metadata"]["name"].as_str().unwrap_or_default();
    ///     let deployment = server.get::<Deployment>("default", name);
    ///     json!(deployment.and_then(|it| it.status?.ready_replicas).unwrap_or(0))
    /// });
    /// # let _ = simulation;
    /// ```
    pub fn truth(
        mut self,
        kind: &str,
        field: &str,
        expected: impl Fn(&ApiServer, &Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.setup.demands.truths.push(Truth {
            kind: kind.to_owned(),
            field: field.to_owned(),
            expected: Arc::new(expected),
        });
        self
    }

    /// Declares that the operator may write a field of this kind at any time, such as the time of a heartbeat: `.free("Node",
    /// "status.lastSeen")`, or whole objects, such as a Job every five minutes: `.free("Job", "")`. They are not compared with anything,
    /// and a write that changes only them does not count as a change.
    pub fn free(mut self, kind: &str, field: &str) -> Self {
        let path = field.split('.').filter(|name| !name.is_empty());
        self.setup.free.push(Free {
            kind: kind.to_owned(),
            path: path.map(str::to_owned).collect(),
        });
        self
    }

    /// Adds an invariant that is checked after each write of the operator. The returned error is the message.
    pub fn always(
        mut self,
        name: &str,
        check: impl Fn(&ApiServer) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.setup
            .demands
            .always
            .push((name.to_owned(), Arc::new(check)));
        self
    }

    /// Adds a condition that must hold whenever the operator is at rest.
    pub fn eventually(
        mut self,
        name: &str,
        check: impl Fn(&ApiServer) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.setup
            .demands
            .eventually
            .push((name.to_owned(), Arc::new(check)));
        self
    }

    /// Adds an oracle of your own. `make` is called for each run. The messages of its violations start with `name`.
    ///
    /// For an invariant without memory, [`Self::always`] and [`Self::eventually`] are enough. An oracle also sees each request and its
    /// response, can compare them with earlier ones, and can compare a run with the one without faults:
    ///
    /// ```
    /// use kube_codegen_simulation::{Answer, Check, Run, Simulation, Verb, Violation};
    ///
    /// /// The operator creates no more children than this in one phase.
    /// struct Creates {
    ///     most: usize,
    ///     now: usize,
    /// }
    ///
    /// impl Check for Creates {
    ///     fn begins_phase(&mut self, _: &Run<'_>) {
    ///         self.now = 0;
    ///     }
    ///
    ///     fn answered(&mut self, _: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
    ///         let is_new = answer.point().verb == Verb::Create && answer.has_effect();
    ///         self.now += usize::from(is_new);
    ///         let found = (self.now > self.most).then(|| Violation::new(format!("{} is one too many", answer.point())));
    ///         found.into_iter().collect()
    ///     }
    /// }
    ///
    /// let simulation = Simulation::new("widgets").oracle("children", || Creates { most: 10, now: 0 });
    /// # let _ = simulation;
    /// ```
    pub fn oracle<C: Check + 'static>(
        mut self,
        name: &str,
        make: impl Fn() -> C + Send + Sync + 'static,
    ) -> Self {
        let make: MakeCheck = Arc::new(move || Box::new(make()));
        self.setup.own.push((name.to_owned(), make));
        self
    }

    /// Sets the seed of the random schedules. The default is 1. `SIMULATE_SEED` overrides it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of threads that run schedules. The default is the number of cores. It is always 1 with a system
    /// [outside](Self::outside) the cluster or with a [call](Workload::call), because all runs share these. Set it to 1 if your runs share
    /// something else. Results do not depend on the number. `SIMULATE_THREADS` overrides it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.setup.threads = Some(threads.max(1));
        self
    }

    /// Sets the budget. The default is all single faults and 100 combinations. `SIMULATE_BUDGET` overrides it.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }
}
