//! Runs the operator until SIGINT or SIGTERM.
use std::process::ExitCode;

use clap::Parser;
use crdkind_operator::{REPORTER, register, settings::Settings};
use kube_codegen_runtime::manager::ManagerArgs;

/// Runs the operator until SIGINT or SIGTERM
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
