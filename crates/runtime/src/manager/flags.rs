//! The flags of an operator, with the names that kubebuilder and Kubernetes' components use.
use std::{io::IsTerminal, num::NonZeroUsize, path::PathBuf, time::Duration};

use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use tracing_subscriber::EnvFilter;

use super::{Manager, ManagerBuilder, ManagerError};
use crate::{client, informer::strip_managed_fields, leader_election::LeaderElectionConfig};

/// The flags of a [`Manager`], to flatten into the arguments of a program.
///
/// ```
/// use clap::Parser;
/// use kube_codegen_runtime::manager::ManagerArgs;
///
/// #[derive(Parser)]
/// struct Args {
///     #[command(flatten)]
///     manager: ManagerArgs,
/// }
///
/// let args = Args::parse_from(["my-operator", "--leader-elect", "--namespace", "default"]);
/// assert!(args.manager.leader_elect);
/// ```
#[derive(Clone, Debug, clap::Args)]
#[non_exhaustive]
pub struct ManagerArgs {
    /// Kubeconfig file [default: KUBECONFIG, ~/.kube/config or the service account of the Pod]
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Watch only these namespaces, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub namespace: Vec<String>,

    /// Number of objects per kind to reconcile concurrently
    #[arg(long, value_name = "N", default_value = "2")]
    pub workers: NonZeroUsize,

    /// Interval at which every object is reconciled again
    #[arg(long, value_name = "PERIOD", default_value = "10m", value_parser = humantime::parse_duration)]
    pub resync: Duration,

    /// Time for running reconciles to finish after SIGTERM
    #[arg(long, value_name = "PERIOD", default_value = "25s", value_parser = humantime::parse_duration)]
    pub grace_period: Duration,

    /// Elect a leader among the replicas, which alone reconciles
    #[arg(long)]
    pub leader_elect: bool,

    /// Name of the Lease [default: the name of the operator]
    #[arg(long, value_name = "NAME")]
    pub leader_elect_resource_name: Option<String>,

    /// Namespace of the Lease [default: the namespace of the Pod]
    #[arg(long, value_name = "NAME")]
    pub leader_elect_resource_namespace: Option<String>,

    /// Time after which another replica takes a Lease that is not renewed
    #[arg(long, value_name = "PERIOD", default_value = "15s", value_parser = humantime::parse_duration)]
    pub leader_elect_lease_duration: Duration,

    /// Time after which a leader that cannot renew its Lease stops
    #[arg(long, value_name = "PERIOD", default_value = "10s", value_parser = humantime::parse_duration)]
    pub leader_elect_renew_deadline: Duration,

    /// Time between two attempts to acquire or renew the Lease
    #[arg(long, value_name = "PERIOD", default_value = "2s", value_parser = humantime::parse_duration)]
    pub leader_elect_retry_period: Duration,

    /// Format of the logs
    #[arg(long, value_enum, default_value_t)]
    pub log_format: LogFormat,
}

/// The format of the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// One line of text per event.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

impl ManagerArgs {
    /// Writes logs to stderr, filtered by `RUST_LOG` (`info` by default).
    ///
    /// # Panics
    /// If the program has already set up its logs.
    pub fn init_logs(&self) {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
        let logs = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(std::io::stderr().is_terminal())
            .with_writer(std::io::stderr);
        match self.log_format {
            LogFormat::Text => logs.init(),
            LogFormat::Json => logs.json().init(),
        }
    }

    /// Returns a client for the API server of `--kubeconfig`, `KUBECONFIG`, `~/.kube/config` or the service account of the Pod, which
    /// notices dead connections; see [`client::connect`].
    pub async fn connect(&self) -> Result<Client, ManagerError> {
        let config = match &self.kubeconfig {
            Some(path) => {
                let file = Kubeconfig::read_from(path).map_err(connect)?;
                Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
                    .await
                    .map_err(connect)?
            }
            None => Config::infer().await.map_err(connect)?,
        };
        client::connect(config).map_err(connect)
    }

    /// Connects and returns a builder with the settings of the flags. `name` is the name of the operator.
    pub async fn builder(&self, name: &str) -> Result<ManagerBuilder, ManagerError> {
        Ok(self.apply(Manager::builder(self.connect().await?, name)))
    }

    /// Applies the flags to a builder with a client of its own, as in a test.
    pub fn apply(&self, builder: ManagerBuilder) -> ManagerBuilder {
        let builder = builder
            .workers(self.workers.get())
            .grace_period(self.grace_period)
            .informers(|informers| {
                let informers = informers
                    .resync(self.resync)
                    .transform(strip_managed_fields);
                match &self.namespace[..] {
                    [] => informers,
                    names => informers.namespaces(names.to_vec()),
                }
            });
        if !self.leader_elect {
            return builder;
        }
        let lease = self.leader_elect_resource_name.as_ref();
        let config = LeaderElectionConfig::new(lease.unwrap_or(&builder.name))
            .lease_duration(self.leader_elect_lease_duration)
            .renew_deadline(self.leader_elect_renew_deadline)
            .retry_period(self.leader_elect_retry_period);
        builder.leader_election(match &self.leader_elect_resource_namespace {
            Some(namespace) => config.namespace(namespace),
            None => config,
        })
    }
}

fn connect(error: impl std::error::Error + Send + Sync + 'static) -> ManagerError {
    ManagerError::Connect(Box::new(error))
}
