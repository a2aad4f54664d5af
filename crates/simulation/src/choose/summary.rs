//! The statistics of a simulation without violations.

use std::{fmt, time::Duration};

use crate::{
    plural::{counted, lasting},
    print::Found,
    scenario::Scenario,
};

/// The statistics of a simulation without violations.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// The number of schedules that ran, not counting the initial runs without faults.
    pub schedules: u64,
    /// Choice points at which a fault happened in some schedule.
    pub covered: usize,
    /// Choice points in the runs without faults.
    pub known: usize,
    /// Combinations of a kind of fault and a kind of choice point.
    pub kinds: usize,
    /// Elements of [`Self::kinds`] that were not tried, such as `the operator crashes after this request: at create configmaps`.
    pub missed: Vec<String>,
    /// The virtual time of all runs together.
    pub virtual_time: Duration,
    /// The elapsed real time.
    pub time: Duration,
    /// The scenarios that ran around the operator.
    pub scenarios: Vec<Scenario>,
    /// Possible errors that need no fault, as sentences: a write that the server rejects and that is neither repeated nor reported, a kind
    /// of request that is rejected every time, or an operator that writes nothing. [`Simulation::run`](crate::Simulation::run) prints them
    /// as warnings. To fail your test on them:
    ///
    /// ```
    /// # fn example(simulation: kube_codegen_simulation::Simulation) -> Result<(), Box<kube_codegen_simulation::Found>> {
    /// let summary = simulation.explore()?;
    /// assert!(summary.doubts.is_empty(), "{:#?}", summary.doubts);
    /// # Ok(())
    /// # }
    /// ```
    pub doubts: Vec<String>,
    /// The first run in which the operator took over another client's object that has the name of a child, with its timeline. Every
    /// server-side apply with `force` does this. It does not end the search, because you may intend it; if so, say it with
    /// [`without_scenario(Scenario::Strangers)`](crate::Simulation::without_scenario).
    pub taken_over: Option<Box<Found>>,
    /// The result of [`Simulation::exhaustive`](crate::Simulation::exhaustive).
    pub exhaustion: Option<Exhaustion>,
}

/// The result of an exhaustive simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exhaustion {
    /// The number of distinct states of the world in which more than one thing could happen next.
    pub states: u64,
    /// The maximum number of faults in the orders that were tried.
    pub faults: usize,
    /// Whether all orders were tried within the budget.
    pub complete: bool,
}

impl fmt::Display for Exhaustion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, faults, .. } = self;
        let what = if self.complete {
            "exhausted"
        } else {
            "cut off"
        };
        let (states, faults) = (counted(states, "state"), counted(faults, "fault"));
        write!(f, "{what}: {states} with up to {faults}")
    }
}

/// The number of missed kinds that a warning names.
const NAMED: usize = 5;

impl Summary {
    /// Returns what was not tried, and what may be an error, in a few lines; `None` if there is nothing to say.
    pub(crate) fn warning(&self) -> Option<String> {
        let mut warnings: Vec<String> = self.missed_kinds().into_iter().collect();
        if !self.doubts.is_empty() {
            let doubts = self.doubts.join("\n    ");
            warnings.push(format!(
                "the operator may be broken; if this is intended, add `.without(Oracle::Accepted)`:\n    {doubts}"
            ));
        }
        if let Some(found) = &self.taken_over {
            warnings.push(format!(
                "{}; if the operator adopts it on purpose, add `.without_scenario(Scenario::Strangers)`",
                found.message
            ));
        }
        (!warnings.is_empty()).then(|| warnings.join("\n  "))
    }

    fn missed_kinds(&self) -> Option<String> {
        let (missed, kinds) = (self.missed.len(), self.kinds);
        let first = self.missed.first()?;
        let mut text = format!(
            "{missed} of {} {} not tried, since the budget (SIMULATE_BUDGET) was spent before, or since the operator did not get there:\n    {first}",
            counted(kinds, "single fault"),
            if missed == 1 { "was" } else { "were" }
        );
        for name in self.missed.iter().skip(1).take(NAMED - 1) {
            text.push_str("\n    ");
            text.push_str(name);
        }
        if missed > NAMED {
            text.push_str("\n    and others");
        }
        Some(text)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = self.schedules as f64 / seconds.max(0.001);
        if let Some(exhaustion) = self.exhaustion {
            return write!(
                f,
                "{exhaustion}, {} in {seconds:.1} s ({rate:.0} per second)",
                counted(self.schedules, "schedule")
            );
        }
        let tried = match self.kinds - self.missed.len() {
            tried if tried == self.kinds => {
                format!("each of {} tried", counted(tried, "single fault"))
            }
            tried => format!("{tried} of {} tried", counted(self.kinds, "single fault")),
        };
        write!(
            f,
            "{} in {seconds:.1} s ({rate:.0} per second), {} of virtual time, {tried}, faults at {} of {}",
            counted(self.schedules, "schedule"),
            lasting(self.virtual_time),
            self.covered,
            counted(self.known, "choice point"),
        )?;
        if !self.scenarios.is_empty() {
            let names: Vec<_> = self.scenarios.iter().map(|it| it.name()).collect();
            write!(f, ", scenarios: {}", names.join(", "))?;
        }
        Ok(())
    }
}
