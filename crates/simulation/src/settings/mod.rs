//! What is simulated: the operator, its kinds, what users do, and how much of it.

mod budget;
mod primary;
mod reduce;
mod setup;
mod simulation;
mod values;
mod variable;
mod workload;

pub use budget::Budget;
pub(crate) use setup::{Free, Setup};
pub use simulation::Simulation;
pub(crate) use variable::variable;
pub use workload::Workload;
