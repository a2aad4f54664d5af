//! The same requests to the API server in memory and to a real one: the answers are the same.

mod apply;
mod kubectl;
mod requests;
mod scripts;
