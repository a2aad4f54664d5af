//! Development tasks, run with `cargo xtask TASK`.
mod book;
mod corpus;
mod dist;
mod known;
mod krew;
mod package;
mod peers;
mod roundtrip;
mod site;
mod trial;
mod weigh;

use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

#[derive(Parser)]
enum Task {
    /// Draw the plots and the recording of the book from recorded results
    BenchBook(book::Arguments),

    /// Generate, compile and round-trip a directory of real CRDs, and report the results
    Corpus(corpus::Arguments),

    /// Build the archive of a release for this machine
    Dist(dist::Arguments),

    /// Read random valid objects of a directory of real CRDs as their generated types, and compare what is written
    Roundtrip(roundtrip::Arguments),

    /// Generate the tables of reusable types from the sources of k8s-openapi
    KnownTypes(known::Arguments),

    /// Print the manifest of the kubectl plugin for the archives of a release, for krew
    Krew(krew::Arguments),

    /// Package the crates that are published, and check what the packages contain
    Package(package::Arguments),

    /// Run the test suites of controller-runtime and kube, and clients in other languages, against the API server in memory, and print the results
    Peers(peers::Arguments),

    /// Write the site of the project: the README as its first page, and the book
    Site(site::Arguments),

    /// Change real CRDs in compatible ways, and check that programs that use the generated types still compile
    Trial(trial::Arguments),

    /// Compare what the types of CRDs cost to compile and to run with those of kopium
    Weigh(weigh::Arguments),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::BenchBook(arguments) => book::run(&arguments),
        Task::Corpus(arguments) => corpus::run(&arguments),
        Task::Dist(arguments) => dist::run(&arguments),
        Task::Roundtrip(arguments) => roundtrip::run(&arguments),
        Task::KnownTypes(arguments) => known::run(&arguments),
        Task::Krew(arguments) => krew::run(&arguments),
        Task::Package(arguments) => package::run(&arguments),
        Task::Peers(arguments) => peers::run(&arguments),
        Task::Site(arguments) => site::run(&arguments),
        Task::Trial(arguments) => trial::run(&arguments),
        Task::Weigh(arguments) => weigh::run(&arguments),
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

/// Returns the root of this repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Returns a command of the cargo that runs this task, in the root of this repository.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Returns cargo's target directory.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
