//! Schedules: what is decided at which choice point of a run.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

pub(crate) use crate::point::PointKind;
pub use crate::point::{Point, Verb};
use crate::{experiment::Experiment, faults::Fault, point::is_zero};

/// A fault, and where it happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The choice point.
    pub at: Point,
    /// The fault.
    pub fault: Fault,
}

/// A part of a workload that is not needed to reproduce a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Cut {
    /// The object with this path.
    Object(String),
    /// The users' actions in this phase.
    Phase(usize),
    /// A field of an object: the path of the object, and the JSON pointer of the field.
    Field(String, String),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(path) => f.write_str(path),
            Self::Phase(phase) => write!(f, "phase {phase}"),
            Self::Field(path, pointer) => {
                write!(
                    f,
                    "{} of {path}",
                    pointer.trim_start_matches('/').replace('/', ".")
                )
            }
        }
    }
}

/// All decisions of a run. The same schedule always produces the same run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// The seed for latencies and for the operator's random numbers.
    pub seed: u64,
    /// The name of the workload.
    pub workload: String,
    /// The first phase to run. The operator starts from the state that the earlier phases left without faults.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: usize,
    /// The faults.
    #[serde(default)]
    pub decisions: Vec<Decision>,
    /// Phases that do not wait until the operator is at rest. The value is the time until the next phase, in milliseconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hurry: BTreeMap<usize, u64>,
    /// Whether to restart the operator at rest, to check that it then writes nothing.
    #[serde(default)]
    pub restart_at_rest: bool,
    /// The order of events: for each step, the position of the next event among those that can happen, in the order in which they have
    /// waited, and 0 after the end of the list. If absent, latencies decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<usize>>,
    /// The parts of the workload that the run omits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Cut>,
    /// Whether the timeline shows what the caches lack.
    #[serde(skip)]
    pub(crate) detailed: bool,
    /// What is tried where the run fails, after this phase.
    #[serde(skip)]
    pub(crate) experiment: Option<(Experiment, usize)>,
}

impl Schedule {
    /// The experiment after this phase.
    pub(crate) fn experiment_in(&self, phase: usize) -> Option<Experiment> {
        let (experiment, _) = self.experiment.filter(|(_, of)| *of == phase)?;
        Some(experiment)
    }

    /// Returns every schedule with one decision less.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        for index in 0..self.decisions.len() {
            let mut schedule = self.clone();
            schedule.decisions.remove(index);
            smaller.push(schedule);
        }
        for phase in self.hurry.keys() {
            let mut schedule = self.clone();
            schedule.hurry.remove(phase);
            smaller.push(schedule);
        }
        for order in self.order.iter().flat_map(|order| shorter(order)) {
            smaller.push(Self {
                order: Some(order),
                ..self.clone()
            });
        }
        if self.restart_at_rest {
            smaller.push(Self {
                restart_at_rest: false,
                ..self.clone()
            });
        }
        smaller
    }

    /// How many faults the schedule has.
    pub(crate) fn size(&self) -> usize {
        self.decisions.len() + self.hurry.len() + usize::from(self.restart_at_rest)
    }
}

/// Returns orders that differ less from the one in which things happen as they come.
fn shorter(order: &[usize]) -> Vec<Vec<usize>> {
    let Some(last) = order.iter().rposition(|index| *index > 0) else {
        return if order.is_empty() {
            Vec::new()
        } else {
            vec![Vec::new()]
        };
    };
    let mut orders = vec![
        Vec::new(),
        order[..last / 2].to_vec(),
        order[..last].to_vec(),
    ];
    for index in (0..last).filter(|index| order[*index] > 0) {
        let mut order = order[..=last].to_vec();
        order[index] = 0;
        orders.push(order);
    }
    orders
}
