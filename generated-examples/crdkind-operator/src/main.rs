//! Runs the operator until SIGINT or SIGTERM.
use std::{error::Error, num::NonZeroUsize, path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use crdkind_operator::{Settings, run, settings::Images};
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use kube_codegen_runtime::client::describe;
use tracing_subscriber::EnvFilter;

/// Runs the operator until SIGINT or SIGTERM
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// Kubeconfig file; by default KUBECONFIG, ~/.kube/config or the Pod's service account
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Watch this namespace only
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,

    /// Objects reconciled concurrently, per kind
    #[arg(long, value_name = "N", default_value = "2")]
    workers: NonZeroUsize,

    /// Period of redelivering every object
    #[arg(long, value_name = "PERIOD", default_value = "10m", value_parser = humantime::parse_duration)]
    resync: Duration,

    /// Delay before checking again whether a child's name is free
    #[arg(long, value_name = "PERIOD", default_value = "1m", value_parser = humantime::parse_duration)]
    look_again: Duration,

    #[command(flatten)]
    images: Images,

    /// Format of the log
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum LogFormat {
    #[default]
    Text,
    Json,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    logs(args.log_format);
    match start(args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{}", describe(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn start(args: Args) -> Result<(), Box<dyn Error>> {
    let client = connect(args.kubeconfig).await?;
    let settings = Settings {
        namespace: args.namespace,
        workers: args.workers,
        resync: args.resync,
        look_again: args.look_again,
        images: args.images,
    };
    run(client, settings, stop_signal()?).await?;
    Ok(())
}

fn logs(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter);
    match format {
        LogFormat::Text => logs.init(),
        LogFormat::Json => logs.json().init(),
    }
}

async fn connect(kubeconfig: Option<PathBuf>) -> Result<Client, Box<dyn Error>> {
    let config = match kubeconfig {
        Some(path) => {
            let file = Kubeconfig::read_from(path)?;
            Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?
        }
        None => Config::infer().await?,
    };
    Ok(Client::try_from(config)?)
}

/// Completes on the first SIGINT or SIGTERM.
fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    #[cfg(unix)]
    let mut terminate = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::terminate())?
    };
    Ok(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    })
}
