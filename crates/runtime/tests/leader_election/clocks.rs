//! Candidates whose clocks run at differing rates and are set differently: no two write in one term.
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::jiff::SignedDuration;
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::{
    runtime::Runtime,
    task::{LocalSet, yield_now},
    time::advance,
};

use crate::leader_election::{
    network::Network,
    simulation::{Seen, Writer, candidate, schedules, watched_network},
};

/// What all clocks are compared with advances by this.
const STEP: Duration = Duration::from_millis(20);
/// Duration of one schedule.
const SCHEDULE: Duration = Duration::from_secs(150);
/// Longest time from a client to the server: what remains of a lease of 15 s on a fast clock after a term of 10 s on a slow one.
const LONGEST_WAY: Duration = Duration::from_millis(3_500);

/// A candidate in a runtime with a clock of its own.
struct Machine {
    runtime: Runtime,
    tasks: LocalSet,
    network: Network,
    rate: f64,
}

impl Machine {
    /// Lets time pass, by the rate of its clock.
    fn pass(&self, time: Duration) {
        self.tasks.block_on(&self.runtime, async {
            advance(time.mul_f64(self.rate)).await;
            // Requests and responses take several steps.
            for _ in 0..8 {
                yield_now().await;
            }
        });
    }
}

/// Runs two candidates with these rates of their clocks.
fn schedule(seed: u64, rates: [f64; 2]) -> Seen {
    let findings = Arc::new(Mutex::new(Seen::default()));
    let server = ApiServer::new();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "state"}});
    server.seed(&map).unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let machines = rates.map(|rate| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let tasks = LocalSet::new();
        let error = SignedDuration::from_secs(random.i64(-3600..3600));
        let (network, seed) = (random.u64(..), random.u64(..));
        let (enter, shared) = (runtime.enter(), Arc::clone(&findings));
        let network = watched_network(&server, network, &shared)
            .longest_way(LONGEST_WAY)
            .clock_error(error);
        let program = candidate(network.client(), seed, Writer::Fenced, shared);
        tasks.spawn_local(program);
        drop(enter);
        Machine {
            runtime,
            tasks,
            network,
            rate,
        }
    });
    let mut next_cut = Duration::ZERO;
    let mut now = Duration::ZERO;
    while now < SCHEDULE {
        now += STEP;
        for machine in &machines {
            machine.pass(STEP);
        }
        if now >= next_cut {
            next_cut = now + Duration::from_secs(10 + random.u64(..40));
            let machine = &machines[random.usize(..2)];
            let _enter = machine.runtime.enter();
            machine.network.cut(Duration::from_secs(random.u64(1..30)));
        }
    }
    drop(machines);
    Arc::into_inner(findings).unwrap().into_inner().unwrap()
}

#[test]
fn clocks_that_differ_never_lead_to_two_writers() {
    let (mut writes, mut terms, mut lost) = (0, 0, 0);
    let seeds = schedules(320);
    let seeds = seeds.start..seeds.start + (seeds.end - seeds.start) / 40;
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let rates = match seed % 3 {
            0 => [0.95, 1.05],
            1 => [1.05, 0.95],
            _ => [1.0, 0.95],
        };
        let seen = schedule(seed, rates);
        assert!(
            seen.violations.is_empty(),
            "seed {seed}: {:#?}",
            seen.violations
        );
        assert!(seen.writes > 0, "seed {seed}: {seen:?}");
        writes += seen.writes;
        terms += seen.terms;
        lost += seen.lost;
    }
    println!("{count} schedules: {terms} terms, {lost} lost, {writes} writes");
    assert!(terms as u64 > 2 * count && lost > 0, "{terms}, {lost}");
}

#[test]
fn the_simulation_notices_clocks_that_differ_too_much() {
    // The term of the slow clock lasts for 20 s, and the lease on the fast one for 10 s.
    let found = (0..20).any(|seed| !schedule(seed, [0.5, 1.5]).violations.is_empty());
    assert!(found, "no violation in 20 schedules");
}
