//! Keeps the schedule of a failure in a file, and runs it again.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use serde::{Deserialize, Serialize};

use super::{
    around::scenarios_of, experiments::experiments, learn::learn, shrink::calm, summary::Summary,
};
use crate::{
    print::Found,
    run::run,
    schedule::Schedule,
    settings::{Setup, Workload},
};

/// A schedule of a failure, as it is kept in a file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The name of the simulation.
    pub(crate) simulation: String,
    /// The seed of the runs without faults, with whose objects and times the schedule begins.
    learned: u64,
    schedule: Schedule,
}

impl Kept {
    pub(crate) fn of(found: &Found) -> Self {
        Self {
            simulation: found.name.clone(),
            learned: found.learned,
            schedule: found.schedule.clone(),
        }
    }

    /// Reads a schedule.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        serde_json::from_str(&text)
            .map_err(|error| format!("{} does not contain a schedule: {error}", file.display()))
    }

    /// Writes the schedule, its timeline and its picture to `simulate/failures`, and returns the path of the schedule.
    pub(crate) fn write(&self, report: &str, picture: &str) -> Option<PathBuf> {
        let letter = |letter: char| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        };
        let name: String = self.simulation.chars().map(letter).collect();
        let folder = PathBuf::from("simulate/failures");
        let name = format!("{name}-{}", self.schedule.seed);
        let file = folder.join(format!("{name}.json"));
        fs::create_dir_all(&folder).ok()?;
        let text = serde_json::to_string_pretty(self).ok()?;
        fs::write(&file, text + "\n").ok()?;
        fs::write(folder.join(format!("{name}.timeline.json")), report).ok()?;
        fs::write(folder.join(format!("{name}.html")), picture).ok()?;
        Some(file)
    }
}

/// Runs one schedule. The error of the outer result is that it does not fit the workloads any more.
pub(crate) fn replay(
    setup: &Arc<Setup>,
    workloads: &[Workload],
    kept: Kept,
) -> Result<Result<Summary, Box<Found>>, String> {
    let begin = Instant::now();
    let schedule = Schedule {
        detailed: true,
        ..kept.schedule
    };
    // Those of scenarios depend on the children, which the others show.
    let mut around = Vec::new();
    if workloads.iter().all(|it| it.name != schedule.workload) {
        let mut known = Vec::new();
        for workload in workloads {
            match learn(setup, workload, kept.learned, &mut |_| {}) {
                Ok(learned) => known.push(learned),
                Err(found) => return Ok(Err(found)),
            }
        }
        around = scenarios_of(setup, &known);
    }
    let mut all = workloads.iter().chain(&around);
    let Some(workload) = all.find(|it| it.name == schedule.workload) else {
        let all = workloads.iter().chain(&around);
        let names: Vec<_> = all.map(|it| it.name.as_str()).collect();
        return Err(format!(
            "the workload \"{}\" does not exist any more; the workloads are {}",
            schedule.workload,
            names.join(", ")
        ));
    };
    let workload = &workload.reduced(&schedule.without);
    if schedule.from >= workload.phases.len() {
        return Err(format!(
            "the workload \"{}\" has no phase {} any more",
            workload.name, schedule.from
        ));
    }
    let known = match learn(setup, workload, kept.learned, &mut |_| {}) {
        Ok(known) => known,
        Err(found) => return Ok(Err(found)),
    };
    let outcome = run(setup, workload, &schedule, known.reference.basis());
    if let Some(mut failure) = outcome.failure {
        let basis = known.reference.basis();
        experiments(
            setup,
            workload,
            &schedule,
            basis,
            &mut failure,
            &outcome.log,
        );
        let calm = calm(setup, workload, &schedule, known.reference.basis());
        let found = Found::new(setup, schedule, failure, outcome.log).beside(calm);
        return Ok(Err(found.learned_with(kept.learned)));
    }
    if let Some(missed) = outcome.missed.first() {
        return Err(format!(
            "the operator no longer reaches {missed}, where the schedule has a fault"
        ));
    }
    Ok(Ok(Summary {
        schedules: 1,
        covered: outcome.applied,
        known: known.points.len(),
        virtual_time: outcome.time,
        time: begin.elapsed(),
        ..Summary::default()
    }))
}
