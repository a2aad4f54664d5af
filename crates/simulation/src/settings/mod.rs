//! What is simulated: the operator, its kinds, what users do, and how much of it.

mod budget;
mod primary;
mod simulation;
mod values;
mod workload;

pub use budget::Budget;
pub use simulation::Simulation;
pub(crate) use simulation::{Free, Setup, variable};
pub use workload::Workload;
