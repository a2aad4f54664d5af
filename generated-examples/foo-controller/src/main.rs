//! Parses the arguments and runs the operator until SIGINT or SIGTERM.
use std::process::ExitCode;

use clap::Parser;
use foo_controller::{REPORTER, register, steps::Settings};
use kube_codegen_runtime::manager::ManagerArgs;

/// Starts a Deployment for each Foo object
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    #[command(flatten)]
    manager: ManagerArgs,

    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Args { manager, settings } = Args::parse();
    manager.run(REPORTER, |all| register(all, settings)).await
}
