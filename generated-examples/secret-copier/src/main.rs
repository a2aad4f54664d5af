//! Parses the arguments and runs the operator until SIGINT or SIGTERM.
use std::process::ExitCode;

use clap::Parser;
use kube_codegen_runtime::manager::{ManagerArgs, ManagerError, exit};

use secret_copier::{REPORTER, register, settings::Settings};

/// Copies the Secrets of one namespace to all others
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
    let args = Args::parse();
    args.manager.init_logs();
    exit(run(args).await)
}

async fn run(args: Args) -> Result<(), ManagerError> {
    let mut manager = args.manager.builder(REPORTER).await?.build()?;
    register(&mut manager, args.settings);
    manager.run_until_signal().await
}
