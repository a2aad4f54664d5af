//! Runs one schedule on virtual time.

mod answers;
mod connection;
mod experiment;
mod judged;
mod panics;
mod pod;
mod requests;
mod rest;
mod skew;
mod stall;
mod watching;
mod workers;
mod world;

use std::{
    cell::Cell,
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube::Client;
use kube_codegen_record::clock;
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::{
    judge::{Basis, Counts, Reference, Rested},
    oracles::{End, Failure, Moment, judged},
    request::take_rejected,
    schedule::{Point, Schedule},
    settings::Setup,
    state::State,
    timeline::{Entry, Happening, Process},
    workload::{Step, Workload},
};
use connection::Connection;
use judged::at_rest_after;
use rest::{rest, restart};
pub(crate) use world::{Asked, Child, Choice, Decide, Move, Passed};
use world::{Follow, Steering, World, look_before_time_passes};

/// What a run has shown.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) failure: Option<Failure>,
    /// After each phase; empty where the run was in a hurry.
    pub(crate) states: Vec<Option<Arc<State>>>,
    pub(crate) counts: Counts,
    /// After each phase; only of a run without faults.
    pub(crate) rested: Vec<Rested>,
    pub(crate) passed: Vec<Passed>,
    pub(crate) log: Vec<Entry>,
    /// The length of the log after each phase.
    pub(crate) logged: Vec<usize>,
    /// How many decisions found their point.
    pub(crate) applied: usize,
    /// The points of the other decisions.
    pub(crate) missed: Vec<Point>,
    /// Phases in which the operator wrote Warnings and nothing else, as it does where it rejects a spec and keeps what is there.
    pub(crate) rejected: BTreeSet<usize>,
    /// The objects of users that the server has found invalid, by their paths.
    pub(crate) invalid: BTreeSet<String>,
    /// The paths of requests for resources that the server does not have.
    pub(crate) unknown: BTreeSet<String>,
    pub(crate) time: Duration,
}

thread_local! {
    /// The start of the current run on the clock of tokio, and the virtual time before it.
    static START: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// The clock of a run: it starts on 2026-01-01 and follows tokio's.
fn virtual_now() -> Timestamp {
    let epoch = Timestamp::from_second(1_767_225_600).unwrap_or_default();
    let elapsed = START.get().map(|(start, before)| before + start.elapsed());
    let elapsed = elapsed.unwrap_or_default();
    SignedDuration::try_from(elapsed)
        .ok()
        .and_then(|elapsed| epoch.checked_add(elapsed).ok())
        .unwrap_or(epoch)
}

/// Runs one schedule.
pub(crate) fn run(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    basis: Basis<'_>,
) -> Outcome {
    let follow = schedule.order.clone().map(|order| {
        let follow: Arc<Mutex<dyn Decide>> = Arc::new(Mutex::new(Follow { order, at: 0 }));
        follow
    });
    start(setup, workload, schedule, basis, follow)
}

/// Runs one schedule, in which `decide` orders what happens.
pub(crate) fn run_steered(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    basis: Basis<'_>,
    decide: Arc<Mutex<dyn Decide>>,
) -> Outcome {
    start(setup, workload, schedule, basis, Some(decide))
}

/// Runs one schedule.
///
/// # Panics
/// If tokio cannot start a runtime.
/// If the server rejects a request of the simulation itself.
#[expect(clippy::expect_used, reason = "a process without file descriptors")]
#[expect(
    clippy::panic,
    reason = "an error of the simulation, not of the operator"
)]
fn start(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    basis: Basis<'_>,
    decide: Option<Arc<Mutex<dyn Decide>>>,
) -> Outcome {
    setup.progress.count();
    let steering = decide.map(|decide| Steering::new(decide, workload.names()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .on_thread_park(look_before_time_passes)
        .build()
        .expect("tokio starts");
    fastrand::seed(schedule.seed);
    panics::collect();
    let real = clock::replace(virtual_now);
    let mut outcome = runtime.block_on(async {
        let before = basis.reference.and_then(|it| it.before(schedule));
        let time = before.map_or(Duration::ZERO, |it| it.time);
        START.set(Some((Instant::now(), time)));
        for (index, outside) in setup.outside.iter().enumerate() {
            let contents = before.and_then(|it| it.outside.get(index));
            (outside.restore)(contents.unwrap_or(&outside.before));
        }
        simulate(setup, workload, schedule, basis, steering).await
    });
    drop(runtime);
    START.set(None);
    clock::replace(real);
    let panics = panics::take();
    if let Some(rejected) = take_rejected() {
        panic!("the server rejects what the simulation itself does, not the operator: {rejected}");
    }
    if let Some(first) = panics.first()
        && outcome.failure.is_none()
    {
        outcome.failure = judged(&setup.demands, Moment::Panicked(first));
    }
    outcome
}

async fn simulate(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    basis: Basis<'_>,
    steering: Option<Steering>,
) -> Outcome {
    let reference = basis.reference;
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..setup.replicas)
        .map(|_| mpsc::unbounded_channel())
        .unzip();
    let before = reference.and_then(|it| it.before(schedule));
    let world = Arc::new(World::new(
        setup.clone(),
        schedule,
        basis,
        before,
        senders,
        steering,
    ));
    let done = &workload.phases[..before.map_or(0, |_| schedule.from)];
    for step in done.iter().flat_map(|phase| &phase.steps) {
        world.recall(step);
    }
    world.begin();
    let started = Instant::now();
    let _watched = stall::watch(&world);
    let tasks = spawn(&world, receivers);
    if let Some(before) = before {
        // Until the operator has read what is there, nothing is a choice point.
        world.link.hold_faults(true);
        rest(&world).await;
        world.link.hold_faults(false);
        world.link.count_from(&before.occurrences);
    }
    let from = before.map_or(0, |_| schedule.from);
    let known = reference.map_or(&[][..], |it| &it.states);
    let mut states: Vec<_> = known.iter().take(from).cloned().map(Some).collect();
    let (mut rested, mut logged) = (Vec::new(), vec![0; from]);
    let mut has_recovered = false;
    let (mut rejected, mut invalid) = (BTreeSet::new(), BTreeSet::new());
    for (index, phase) in workload.phases.iter().enumerate().skip(from) {
        world.begin_phase(index, &workload.phases);
        let before = world.history.written();
        invalid.extend(user_acts(&world, &phase.steps).await);
        if let Some(time) = schedule.hurry.get(&index) {
            sleep(Duration::from_millis(*time)).await;
            states.push(None);
        } else {
            let current = at_rest_after(&world, workload, schedule, reference, &states).await;
            let last = index + 1 == workload.phases.len();
            let after = world.history.written();
            if after.0 == before.0 && after.1 > before.1 {
                rejected.insert(index);
            }
            if schedule.restart_at_rest && !last && !world.has_ended() {
                restart(&world, workload, schedule.experiment_in(index)).await;
            }
            states.push(Some(Arc::new(current)));
            has_recovered =
                reference.is_some_and(|it| has_recovered_as(it, &world, schedule, index));
        }
        logged.push(world.history.logged());
        if reference.is_none() {
            rested.push(world.rested());
        }
        if world.has_ended() || has_recovered {
            break;
        }
    }
    if let Some(reference) = reference.filter(|_| !has_recovered && !world.has_ended()) {
        world.ends(&End {
            schedule,
            reference,
            counts: &world.history.counts(),
        });
    }
    for task in &tasks {
        task.abort();
    }
    let told = world.history.take();
    Outcome {
        failure: world.judge.take(),
        states,
        counts: told.counts,
        rested,
        passed: told.passed,
        log: told.log,
        logged,
        applied: world.link.applied(),
        missed: world.link.missed(),
        rejected,
        invalid,
        unknown: told.unknown,
        time: started.elapsed(),
    }
}

/// Does what users do in a phase. Returns the paths of the objects that the server finds invalid.
async fn user_acts(world: &World, steps: &[Step]) -> BTreeSet<String> {
    let mut invalid = BTreeSet::new();
    for step in steps {
        world.look_outside();
        let code = step.run(&world.server, world.setup.patience).await;
        world.act(step).await;
        world.touch();
        let act = step.act(code);
        if act.is_invalid() {
            invalid.insert(act.path.clone());
        }
        world.log(|| Happening::User(act));
        sleep(Duration::from_millis(fastrand::u64(0..20))).await;
    }
    world.touch();
    invalid
}

/// Whether the run goes on as the one without faults: one more phase after the last fault has led to the same state, with the same
/// counts.
fn has_recovered_as(
    reference: &Reference,
    world: &World,
    schedule: &Schedule,
    phase: usize,
) -> bool {
    let waits = schedule.hurry.keys().all(|hurry| *hurry < phase);
    let has_faults = schedule.size() > 0;
    if !has_faults || !waits || schedule.restart_at_rest || !world.is_spent(phase) {
        return false;
    }
    let counts = &world.history.counts();
    reference.rested.get(phase).is_some_and(|rested| {
        let expected = &rested.counts;
        let keys = expected.keys().chain(counts.keys());
        let mut compared = keys.filter(|key| !reference.uncounted.contains(*key));
        compared.all(|key| expected.get(key) == counts.get(key))
    })
}

/// Starts what runs beside the user: the controllers of the cluster, and the replicas of the operator.
fn spawn(world: &Arc<World>, crashed: Vec<mpsc::UnboundedReceiver<()>>) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![tokio::spawn(workers::run(world.clone()))];
    if world.steering.is_some() {
        let world = world.clone();
        tasks.push(tokio::spawn(async move {
            if let Some(steering) = &world.steering {
                steering.conduct(&world).await;
            }
        }));
    }
    let replicas = crashed.into_iter().enumerate();
    tasks.extend(replicas.map(|(replica, crashed)| {
        let replica = supervise(world.clone(), replica, crashed);
        tokio::spawn(replica)
    }));
    tasks
}

/// Runs one replica: starts it, and starts it again after a crash, as a kubelet does.
async fn supervise(world: Arc<World>, replica: usize, mut crashed: mpsc::UnboundedReceiver<()>) {
    let mut ended: VecDeque<Instant> = VecDeque::new();
    loop {
        while world.is_stopped() {
            sleep(Duration::from_millis(50)).await;
        }
        let incarnation = world.start_process(replica);
        let log = |process: Process| world.log(|| Happening::Process(world.name(replica), process));
        log(Process::Starts);
        let connection = Connection::new(world.clone(), replica, incarnation);
        let Some(operator) = world.setup.operator(world.version()) else {
            return;
        };
        let mut process =
            tokio::spawn(async move { operator(Client::new(connection, "default")).await });
        let end = tokio::select! {
            biased;
            _ = crashed.recv() => None,
            end = &mut process => Some(end),
        };
        process.abort();
        match end {
            None => log(Process::Crashes),
            Some(end) => {
                let why = end.unwrap_or_else(|_| "a panic".to_owned());
                log(Process::Ends(why.clone()));
                ended.push_back(Instant::now());
                ended.retain(|time| time.elapsed() < Duration::from_secs(300));
                // A replica ends when it loses the lease, and is started again.
                if ended.len() > 5 || (world.setup.replicas == 1 && panics::any()) {
                    return world.judge.notice(Moment::Ended(&why));
                }
            }
        }
        world.busy(Duration::from_secs(1));
        sleep(Duration::from_secs(1)).await;
        while crashed.try_recv().is_ok() {}
    }
}
