//! Tasks of this repository: `cargo xtask TASK`; nothing of it is published.
mod corpus;

use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
enum Task {
    /// Generates, compiles and round-trips a folder of real definitions, and tells what came of it
    Corpus(corpus::Arguments),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Corpus(arguments) => corpus::run(&arguments),
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
