//! Sends the same requests to the API server in memory and to a real one, and compares the answers.
//!
//! Scripts of requests (`scripts/*.yaml`) have the recorded answers of a real API server beside them (`*.json`), which the API
//! server in memory must give too. [`random`] makes further requests from a seed. Answers are [normalised](Normal): what
//! differs between two runs of one server, such as uids and times, is replaced by placeholders.

mod normal;
pub mod objects;
mod protobuf;
pub mod random;
mod real;
mod script;
mod session;
pub mod types;

pub use self::{
    normal::Normal,
    real::answers,
    script::{Script, Step},
    session::{Answer, Session, definitions},
};
