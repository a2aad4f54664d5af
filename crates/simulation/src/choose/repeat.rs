//! Checks that an operator is deterministic.

use crate::settings::{Budget, Simulation, variable};

/// The schedules of one seed.
const SCHEDULES: u64 = 8;

/// Tests that your operator is repeatable: runs each schedule twice, and fails at the first byte that the operator sends or receives at
/// another time or in another form.
///
/// Differences come from the system clock, from random numbers outside `fastrand`, from other threads, or from the order of a standard
/// `HashMap`. Without repeatable runs, failures cannot be replayed.
///
/// `simulation` is called for each run. `SIMULATE_SEEDS` sets the number of seeds, 3 by default; each has the runs without faults and 8
/// schedules with faults. The other variables have no effect.
///
/// # Panics
///
/// If two runs differ, if an oracle is violated, or if the operator or a workload is missing.
#[expect(clippy::panic, reason = "a test fails by a panic")]
pub fn assert_repeatable(simulation: impl Fn() -> Simulation) {
    let seeds = variable("SIMULATE_SEEDS", |text| text.parse().ok()).unwrap_or(3);
    for seed in 0..seeds {
        let transcript = || {
            let simulation = simulation().budget(Budget::Schedules(SCHEDULES));
            simulation.seed(seed).transcript()
        };
        let ((first, found), (second, _)) = (transcript(), transcript());
        if first != second {
            let lines = first.lines().zip(second.lines());
            let same = lines.take_while(|(one, other)| one == other).count();
            let line = |text: &str| text.lines().nth(same).unwrap_or("(the end)").to_owned();
            let (one, other) = (line(&first), line(&second));
            panic!("two runs of seed {seed} differ in line {same}:\n  {one}\n  {other}");
        }
        if let Some(found) = found {
            panic!("the runs of seed {seed} do not differ, but an oracle is violated: {found}");
        }
    }
}
