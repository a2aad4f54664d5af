//! Chooses schedules and runs them: the entry of a simulation.
//!
//! There are far more schedules than time. So a run without faults comes first (`learn`): it shows the points at which something can go wrong, and
//! the state that every other run must reach. `offer` says what can go wrong at a point, and which faults are alike. `plan` then tries one fault of
//! each kind, the likely ones first, then the others of these kinds, then random combinations, until the budget is spent (`explore`). A schedule
//! that fails is made smaller (`shrink`) before it is shown, and kept for a replay. A world that is small enough can be searched completely
//! instead (`exhaust`).

mod around;
mod calm;
mod exhaust;
mod experiments;
mod explore;
mod learn;
mod offer;
mod pages;
mod plan;
mod repeat;
mod replay;
mod shrink;
mod summary;
mod threads;

use std::{env, path::Path};

use crate::{
    print::{self, Found, say},
    progress::Progress,
    settings::{Budget, Simulation, variable},
    timeline::Entry,
};
use exhaust::exhaust;
use explore::explore;
pub use repeat::assert_repeatable;
use replay::{Kept, replay};
pub use summary::{Exhaustion, Summary};

/// Keeps the schedule of a violation, and returns the report.
fn written(found: &Found, ends: &str) -> String {
    let file = Kept::of(found).write(&found.timeline_json(), &found.picture());
    print::report(found, ends, file.as_deref())
}

impl Simulation {
    /// Runs schedules until the budget is spent, and writes one line of statistics to stderr, even if the test passes. A run of more than
    /// ten seconds also writes its progress. If some single faults were not tried, it prints a warning, or fails with
    /// `SIMULATE_REQUIRE=singles`.
    ///
    /// Environment variables override the settings: `SIMULATE_SEED=7` sets the seed; `SIMULATE_BUDGET` is `singles+200` (combinations),
    /// `60s` or `10000` (schedules); `SIMULATE_REPLAY=file` runs one stored schedule.
    ///
    /// # Panics
    /// If an oracle is violated. The message shows the timeline of the smallest failing schedule, which is also written to
    /// `simulate/failures`. Also if a replay no longer fits the simulation.
    #[expect(clippy::panic, reason = "a test fails by a panic")]
    pub fn run(self) {
        let name = self.setup.name.clone();
        let require = variable("SIMULATE_REQUIRE", |text| (text == "singles").then_some(()));
        let is_replay = env::var_os("SIMULATE_REPLAY").is_some();
        let summary = match self.search(true) {
            Ok(summary) => summary,
            Err(found) => panic!("{}", written(&found, "failed")),
        };
        if is_replay && summary.schedules == 0 {
            return say(&format!(
                "{name}: SIMULATE_REPLAY belongs to another simulation"
            ));
        }
        say(&format!("{name}: {summary}"));
        if let Some(found) = &summary.taken_over {
            let ends = if require.is_some() { "failed" } else { "warns" };
            let report = written(found, ends);
            assert!(require.is_none(), "{report}");
            say(&report);
        }
        match summary.warning() {
            Some(warning) if require.is_some() => panic!("simulation of {name}: {warning}"),
            Some(warning) => say(&format!("{name}: warning: {warning}")),
            None => {}
        }
    }

    /// Like [`Self::run`], but returns the statistics or the violation, and prints nothing but the progress on a terminal.
    ///
    /// # Panics
    /// If the operator or a workload is missing, if a `SIMULATE_` variable is invalid, or if a replay no longer fits the simulation.
    pub fn explore(self) -> Result<Summary, Box<Found>> {
        self.search(false)
    }

    /// Runs schedules. `writes_progress` says whether lines show the progress where stderr is no terminal.
    #[expect(clippy::panic, reason = "a test fails by a panic")]
    fn search(mut self, writes_progress: bool) -> Result<Summary, Box<Found>> {
        // A clone of the simulation may run at the same time.
        self.setup.progress = Progress::default();
        let _shown = self.setup.progress.begin(&self.setup.name, writes_progress);
        let seed = variable("SIMULATE_SEED", |text| text.parse().ok()).unwrap_or(self.seed);
        let budget = variable("SIMULATE_BUDGET", Budget::read).unwrap_or(self.budget);
        let exhaustive =
            variable("SIMULATE_EXHAUSTIVE", |text| text.parse().ok()).or(self.exhaustive);
        if let Ok(file) = env::var("SIMULATE_REPLAY") {
            let kept = Kept::read(Path::new(&file))
                .unwrap_or_else(|error| panic!("SIMULATE_REPLAY: {error}"));
            if kept.simulation != self.setup.name {
                return Ok(Summary::default());
            }
            return self.repeat(kept, &file);
        }
        let (setup, workloads) = self.ready();
        match exhaustive {
            Some(faults) => exhaust(&setup, &workloads, seed, budget, faults),
            None => explore(&setup, &workloads, seed, budget, &mut |_| {}),
        }
    }

    /// Runs the schedule in a file that [`Self::run`] wrote after a failure. Use it as a regression test.
    ///
    /// # Panics
    /// If the file is not a schedule of this simulation, or no longer fits it because its workload is gone or the operator no longer
    /// reaches the place of a fault. Also if the operator or a workload is missing.
    #[expect(clippy::panic, reason = "a test fails by a panic")]
    pub fn replay(self, file: impl AsRef<Path>) -> Result<Summary, Box<Found>> {
        let file = file.as_ref();
        let kept = Kept::read(file).unwrap_or_else(|error| panic!("{error}"));
        let (name, kept_name) = (&self.setup.name, &kept.simulation);
        let shown = file.display().to_string();
        assert_eq!(name, kept_name, "{shown} belongs to another simulation");
        self.repeat(kept, &shown)
    }

    #[expect(clippy::panic, reason = "a test fails by a panic")]
    fn repeat(self, kept: Kept, file: &str) -> Result<Summary, Box<Found>> {
        let (setup, workloads) = self.ready();
        replay(&setup, &workloads, kept)
            .unwrap_or_else(|why| panic!("{file} does not fit the simulation: {why}"))
    }

    /// Returns the timelines of all runs, with all that the operator has sent and received, and what was violated.
    pub(crate) fn transcript(mut self) -> (String, Option<Box<Found>>) {
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
        let found = explore(&setup, &workloads, seed, budget, &mut watch).err();
        (text, found)
    }
}
