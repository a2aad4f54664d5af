//! Chooses schedules and runs them: the entry of a simulation.

mod exhaust;
mod explore;
mod learn;
mod plan;
mod repeat;

use std::{env, fs, path::PathBuf};

use crate::{
    print::{self, Found},
    schedule::Schedule,
    settings::{Budget, Simulation, variable},
    timeline::Entry,
};
pub use exhaust::Exhaustion;
use exhaust::exhaust;
pub use explore::Summary;
use explore::{explore, replay};
pub use repeat::assert_repeatable;

impl Simulation {
    /// Runs schedules until the budget is spent, and prints one line of statistics.
    ///
    /// The environment decides: `SIMULATE_SEED=7`, `SIMULATE_BUDGET=60s` or `SIMULATE_BUDGET=10000` (schedules),
    /// `SIMULATE_REPLAY=file` for one schedule.
    ///
    /// # Panics
    /// If an oracle is violated, with the timeline of the smallest schedule that was found; the schedule is written to
    /// `simulate/failures`.
    #[expect(clippy::panic, reason = "a test fails by a panic")]
    pub fn run(self) {
        let name = self.setup.name.clone();
        match self.explore() {
            Ok(summary) => eprintln!("{name}: {summary}"),
            Err(found) => {
                let written = write(&name, &found.schedule);
                panic!("{}", print::failure(&found, written.as_deref()));
            }
        }
    }

    /// As [`Self::run`], without output: returns the statistics, or the violation.
    ///
    /// # Panics
    /// If the operator or a workload is missing, or if a `SIMULATE_` variable is invalid.
    #[expect(clippy::panic, reason = "a test fails by a panic")]
    pub fn explore(self) -> Result<Summary, Box<Found>> {
        let seed = variable("SIMULATE_SEED", |text| text.parse().ok()).unwrap_or(self.seed);
        let budget = variable("SIMULATE_BUDGET", Budget::read).unwrap_or(self.budget);
        let exhaustive =
            variable("SIMULATE_EXHAUSTIVE", |text| text.parse().ok()).or(self.exhaustive);
        let (setup, workloads) = self.ready();
        let Ok(file) = env::var("SIMULATE_REPLAY") else {
            return match exhaustive {
                Some(faults) => exhaust(&setup, &workloads, seed, budget, faults),
                None => explore(&setup, &workloads, seed, budget, &mut |_| {}),
            };
        };
        let text = fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("cannot read SIMULATE_REPLAY={file}: {error}"));
        let schedule: Schedule = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("SIMULATE_REPLAY={file} does not contain a schedule: {error}")
        });
        replay(&setup, &workloads, &schedule)
    }

    /// Returns the timelines of all runs, with all that the operator has sent and received.
    pub(crate) fn transcript(mut self) -> String {
        self.setup.logs = true;
        let (seed, budget) = (self.seed, self.budget);
        let (setup, workloads) = self.ready();
        let mut text = String::new();
        let mut watch = |log: &[Entry]| {
            for entry in log {
                text.push_str(&entry.line());
            }
            text.push('\n');
        };
        // A violation is part of the timelines.
        let _ = explore(&setup, &workloads, seed, budget, &mut watch);
        text
    }
}

/// Keeps a schedule in a file and returns its path.
fn write(name: &str, schedule: &Schedule) -> Option<PathBuf> {
    let folder = PathBuf::from("simulate/failures");
    let name: String = name
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        })
        .collect();
    let file = folder.join(format!("{name}-{}.json", schedule.seed));
    fs::create_dir_all(&folder).ok()?;
    let text = serde_json::to_string_pretty(schedule).ok()?;
    fs::write(&file, text + "\n").ok()?;
    Some(file)
}
