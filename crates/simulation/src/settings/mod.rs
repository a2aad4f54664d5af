//! What is simulated: the operator, its kinds, what users do, and how much of it.

mod budget;
mod cron;
mod primary;
mod ready;
mod reduce;
mod scenarios;
mod setup;
mod simulation;
mod start;
mod step;
mod template;
mod upgrade;
mod values;
mod variable;
mod workload;

pub use budget::Budget;
pub(crate) use scenarios::{Example, workloads as scenarios};
pub(crate) use setup::{Free, Setup};
pub use simulation::Simulation;
pub(crate) use step::{Refusal, Step, Turn, Version};
pub(crate) use variable::variable;
pub(crate) use workload::Phase;
pub use workload::Workload;
