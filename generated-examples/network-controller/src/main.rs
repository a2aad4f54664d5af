//! Parses the arguments and runs the operator until SIGINT or SIGTERM.
use std::process::ExitCode;

use clap::Parser;
use kube_codegen_runtime::manager::ManagerArgs;
use network_controller::{REPORTER, register, settings::Settings};

/// Configures a network for each Network object
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
