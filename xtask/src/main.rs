//! Tasks of this repository: `cargo xtask TASK`; nothing of it is published.
mod breaking;
mod corpus;
mod features;
mod folders;
mod known;

use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
enum Task {
    /// Puts known faults into a copy of this repository one by one, and fails if the tests stay green
    Break(breaking::Arguments),

    /// Generates, compiles and round-trips a folder of real definitions, and tells what came of it
    Corpus(corpus::Arguments),

    /// Makes one crate of types and clients of a folder of real definitions, and compiles it with each feature alone
    Features(features::Arguments),

    /// Makes the tables of types that generated code may reuse from the sources of k8s-openapi
    KnownTypes(known::Arguments),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Break(arguments) => breaking::run(&arguments),
        Task::Corpus(arguments) => corpus::run(&arguments),
        Task::Features(arguments) => features::run(&arguments),
        Task::KnownTypes(arguments) => known::run(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
