//! Parses the arguments and runs the operator until SIGINT or SIGTERM.
use std::{process::ExitCode, time::Duration};

use clap::Parser;
use kube_codegen_runtime::manager::{ManagerArgs, ManagerError, exit};

use foo_controller::{
    REPORTER,
    steps::{self, Step},
};

/// Starts a Deployment for each Foo object
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    #[command(flatten)]
    manager: ManagerArgs,

    /// What to run
    #[arg(value_enum, default_value_t)]
    step: Step,

    /// Interval of the step `list`
    #[arg(long, value_name = "PERIOD", default_value = "10s", value_parser = humantime::parse_duration)]
    every: Duration,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    args.manager.init_logs();
    exit(run(args).await)
}

async fn run(args: Args) -> Result<(), ManagerError> {
    let mut manager = args.manager.builder(REPORTER).await?.build()?;
    steps::register(&mut manager, args.step, args.every);
    manager.run_until_signal().await
}
