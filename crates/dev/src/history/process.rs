//! The states of the operator's replicas and of a simulation.

use std::path::PathBuf;

use serde_json::{Value, json};

/// Whether the operator works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Absent,
    Running,
    Paused,
    Ended,
}

/// The simulation that the page has started last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Simulation {
    #[default]
    Absent,
    Running,
    Passed,
    /// With the picture of its failure, if it has written one.
    Failed(Option<PathBuf>),
}

/// A replica of the operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replica {
    pub(super) operator: Operator,
    pub(super) network: bool,
}

impl Simulation {
    pub(super) fn json(&self) -> Value {
        let state = match self {
            Self::Absent => "absent",
            Self::Running => "running",
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
        };
        json!({"state": state, "picture": matches!(self, Self::Failed(Some(_)))})
    }
}

impl Replica {
    pub(super) fn takes_part(self) -> bool {
        self.operator == Operator::Running && self.network
    }

    pub(super) fn json(self) -> Value {
        let operator = match self.operator {
            Operator::Absent => "absent",
            Operator::Running => "running",
            Operator::Paused => "paused",
            Operator::Ended => "ended",
        };
        json!({"operator": operator, "network": self.network})
    }
}
