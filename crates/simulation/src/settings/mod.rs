//! What is simulated: the operator, its kinds, what users do, and how much of it.

mod budget;
mod primary;
mod ready;
mod scenarios;
mod setup;
mod simulation;
mod start;
mod template;
mod upgrade;
mod values;
mod variable;

pub(crate) use crate::workload::Workload;
pub use budget::Budget;
pub(crate) use scenarios::{Example, workloads as scenarios};
pub(crate) use setup::{Free, Setup};
pub use simulation::Simulation;
pub(crate) use variable::variable;
