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
    scenario::Scenario,
};

/// The random combinations that follow the single faults by default.
const COMBINATIONS: u64 = 100;

/// Runs an operator under many schedules of faults, against an API server in memory and on virtual time.
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
    /// Creates a simulation of one replica. `name` appears in messages, and names the files of failed schedules.
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

    /// Registers a CRD. Without [`Self::workload`], its schema decides what users do with objects of its kind.
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

    /// Registers a kind of Kubernetes itself that the operator controls, such as `Secret`. Without [`Self::workload`], users create objects of
    /// it, set a label, and delete them. Add a [`Self::sample`] where a kind has required fields, such as the containers of a Pod.
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

    /// Sets the object from which workloads start, in place of one made from the schema. Its name is replaced.
    ///
    /// If you set [workloads](Self::workload) too, those that follow from the schema of the sample's kind, and the scenarios, run after yours.
    pub fn sample(mut self, object: &impl Serialize) -> Self {
        self.samples
            .push(serde_json::to_value(object).unwrap_or_default());
        self
    }

    /// Changes the server before each run: objects that exist from the start.
    pub fn prepare(self, prepare: impl FnOnce(&ApiServer)) -> Self {
        prepare(&self.setup.server);
        self
    }

    /// Declares a system outside of the cluster that the operator changes. Before each run, `restore` gets what `read` has returned before the
    /// first one. What `read` returns is compared as objects are; if it is a map, each of its entries is an object. After the deletion of all
    /// objects, nothing may be left there.
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

    /// Sets the operator: a future that runs it with a client until it is dropped. It is called for each start of a process, and must
    /// share nothing with other starts.
    ///
    /// The operator must run on the current tokio runtime, and take times from tokio's clock. If the future ends, the process has ended,
    /// and starts again after a second.
    pub fn operator<F>(mut self, operator: impl Fn(Client) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output: fmt::Debug> + Send + 'static,
    {
        self.setup.operator = Some(Arc::new(move |client| {
            operator(client).map(|end| format!("{end:?}")).boxed()
        }));
        self
    }

    /// Adds what users do. Without any, the schemas of the CRDs decide. Scenarios run only if you add a [sample](Self::sample), from which they start.
    pub fn workload(mut self, workload: Workload) -> Self {
        self.workloads.push(workload);
        self
    }

    /// Sets how many objects of each kind a workload made from a schema creates: 1 to 26, 2 by default.
    pub fn objects(mut self, objects: usize) -> Self {
        self.objects = objects.clamp(1, 26);
        self
    }

    /// Sets the number of replicas of the operator (1 by default). With several, [`Oracle::Leader`] is checked.
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.setup.replicas = replicas.max(1);
        self
    }

    /// Sets how long nothing may change until the operator counts as at rest: 30 seconds of virtual time by default. It must
    /// be longer than the longest wait of the operator before it acts.
    pub fn quiet(mut self, time: Duration) -> Self {
        self.setup.quiet = time;
        self
    }

    /// Sets after which virtual time an operator that is not at rest has failed: 10 minutes by default.
    pub fn patience(mut self, time: Duration) -> Self {
        self.setup.patience = time;
        self
    }

    /// Sets the number of faults of a schedule: 3 at most by default.
    pub fn faults(mut self, most: usize) -> Self {
        self.setup.most_faults = most;
        self
    }

    /// Tries all orders of requests, answers and events, with no fault, with one, and so on up to `faults`, in place of random schedules.
    /// `SIMULATE_EXHAUSTIVE` overrides it.
    ///
    /// This ends only for small worlds: with up to three [objects](Self::objects), up to two faults, and one or two workloads. The
    /// [`Summary`](crate::Summary) says whether it has ended within the budget.
    pub fn exhaustive(mut self, faults: usize) -> Self {
        self.exhaustive = Some(faults);
        self
    }

    /// Switches an oracle off, for an operator that breaks it on purpose.
    pub fn without(mut self, oracle: Oracle) -> Self {
        self.setup.demands.without.insert(oracle);
        self
    }

    /// Switches a kind of faults off, for an operator that does not act on it on purpose: `FaultKind::Drift` where defaults are written once.
    pub fn without_fault(mut self, fault: FaultKind) -> Self {
        self.setup.without_faults.insert(fault);
        self
    }

    /// Switches a scenario off, for an operator that acts otherwise on purpose: `Scenario::Strangers` where it takes over objects of users that have
    /// the names of its children.
    pub fn without_scenario(mut self, scenario: Scenario) -> Self {
        self.setup.without_scenarios.insert(scenario);
        self
    }

    /// Declares what a field of the status says, given as a JSON pointer: [`Oracle::Truth`] compares it whenever the operator is at rest, also while
    /// Pods do not get ready. Objects without the field have null. What the operator writes before that may be late, but must have been so at some time
    /// since the object was created.
    ///
    /// A sum over several children may say what has never been, since a cache shows their changes at different times: compare it at rest only, with
    /// [`Simulation::eventually`].
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

    /// Declares that the operator may write a field of this kind at any time, such as the time of a heartbeat: `.free("Node", "status.lastSeen")`;
    /// or whole objects, such as a Job every five minutes: `.free("Job", "")`. They are compared with nothing, and a write of nothing else does not
    /// count as a change.
    pub fn free(mut self, kind: &str, field: &str) -> Self {
        let path = field.split('.').filter(|name| !name.is_empty());
        self.setup.free.push(Free {
            kind: kind.to_owned(),
            path: path.map(str::to_owned).collect(),
        });
        self
    }

    /// Adds an invariant, checked after each write of the operator. The error is the message.
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

    /// Adds a condition that holds whenever the operator is at rest.
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

    /// Adds an oracle: `make` is called for each run. Its violations begin with the name.
    ///
    /// An invariant is an oracle without a memory, for which [`Self::always`] and [`Self::eventually`] are enough. An oracle of your own sees each request
    /// and its response, too, and can compare what it sees with what it has seen before, and a run with the one without faults:
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

    /// Sets the seed of the random schedules: 1 by default. `SIMULATE_SEED` overrides it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of threads that run schedules: the number of cores by default, and always 1 with a system [outside](Self::outside) of the
    /// cluster or a [call](Workload::call), which all runs share. Set 1 where runs share something else. The results do not depend on the
    /// number. `SIMULATE_THREADS` overrides it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.setup.threads = Some(threads.max(1));
        self
    }

    /// Sets the budget: all single faults and 100 combinations by default. `SIMULATE_BUDGET` overrides it.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }
}
