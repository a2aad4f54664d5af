//! Parses the arguments and runs the operator until SIGINT or SIGTERM.
use std::process::ExitCode;

use clap::Parser;
use kube_codegen_runtime::manager::ManagerArgs;

use pod_watcher::{REPORTER, register};

/// Reconciles Pod objects
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    #[command(flatten)]
    manager: ManagerArgs,
}

#[tokio::main]
async fn main() -> ExitCode {
    Args::parse().manager.run(REPORTER, register).await
}
