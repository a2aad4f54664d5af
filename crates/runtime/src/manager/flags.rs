//! The flags of an operator, with the names that kubebuilder and Kubernetes' components use.
use std::{
    num::{NonZeroU16, NonZeroUsize},
    path::PathBuf,
    time::Duration,
};

use clap::{ArgAction, builder::BoolishValueParser};
use kube::{
    Config,
    config::{InferConfigError, KubeConfigOptions, Kubeconfig},
};

use super::{Manager, ManagerBuilder, ManagerError};
#[cfg(feature = "webhook")]
use crate::webhook::{Certificates, ClientConfig, WebhookServer};
use crate::{
    leader_election::LeaderElectionConfig,
    logs::{self, LogFormat},
    server::{CipherSuite, Server, Tls, TlsPolicy, TlsVersion},
    shards::{ShardKey, Shards},
};

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

    /// The same for some kinds only, separated by commas: Pod=5,ReplicaSet.apps=3
    #[arg(long, value_name = "KIND=N", value_delimiter = ',', value_parser = kind_and_number)]
    pub workers_of: Vec<(String, NonZeroUsize)>,

    /// Interval at which every object is reconciled again
    #[arg(long, value_name = "PERIOD", default_value = "10m", value_parser = humantime::parse_duration)]
    pub resync: Duration,

    /// Time for running reconciles to finish after SIGTERM
    #[arg(long, value_name = "PERIOD", default_value = "25s", value_parser = humantime::parse_duration)]
    pub grace_period: Duration,

    /// Address of /healthz and /readyz, such as :8081; 0 turns them off
    #[arg(long, value_name = "ADDRESS", default_value = ":8081")]
    pub health_probe_bind_address: String,

    /// Address of /metrics and /debug/informers, such as :8443; 0 turns them off
    #[arg(long, value_name = "ADDRESS", default_value = "0")]
    pub metrics_bind_address: String,

    /// Serve metrics over TLS, to clients whose tokens may read them
    #[arg(
        long, value_name = "BOOL", num_args = 0..=1, require_equals = true, action = ArgAction::Set,
        default_value = "true", default_missing_value = "true", value_parser = BoolishValueParser::new()
    )]
    pub metrics_secure: bool,

    /// Directory of the certificate for metrics [default: a self-signed certificate]
    #[arg(long, value_name = "DIR")]
    pub metrics_cert_path: Option<PathBuf>,

    /// File of the certificate in this directory
    #[arg(long, value_name = "FILE", default_value = "tls.crt")]
    pub metrics_cert_name: PathBuf,

    /// File of the private key in this directory
    #[arg(long, value_name = "FILE", default_value = "tls.key")]
    pub metrics_cert_key: PathBuf,

    /// Port of the webhooks; 0 turns them off
    #[cfg(feature = "webhook")]
    #[arg(long, value_name = "PORT", default_value = "9443")]
    pub webhook_port: u16,

    /// Directory of the certificate for webhooks, as cert-manager mounts it [default: the operator makes its own]
    #[cfg(feature = "webhook")]
    #[arg(long, value_name = "DIR")]
    pub webhook_cert_path: Option<PathBuf>,

    /// File of the certificate in this directory
    #[cfg(feature = "webhook")]
    #[arg(long, value_name = "FILE", default_value = "tls.crt")]
    pub webhook_cert_name: PathBuf,

    /// File of the private key in this directory
    #[cfg(feature = "webhook")]
    #[arg(long, value_name = "FILE", default_value = "tls.key")]
    pub webhook_cert_key: PathBuf,

    /// URL by which the API server reaches the webhooks of a program outside of the cluster [default: the Service]
    #[cfg(feature = "webhook")]
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,

    /// Create and update the configurations of the webhooks at the start
    #[cfg(feature = "webhook")]
    #[arg(long)]
    pub webhook_install: bool,

    /// Oldest version of TLS that the servers of metrics and webhooks accept
    #[arg(
        long,
        value_enum,
        value_name = "VERSION",
        default_value_t,
        ignore_case = true
    )]
    pub tls_min_version: TlsVersion,

    /// Cipher suites that these servers accept, separated by commas [default: all of the provider of cryptography]
    ///
    /// Those of TLS 1.3 stay on unless one of them is named, as in Go.
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub tls_cipher_suites: Vec<CipherSuite>,

    /// Elect a leader among the replicas; only the leader reconciles
    #[arg(
        long, value_name = "BOOL", num_args = 0..=1, require_equals = true, action = ArgAction::Set,
        default_value = "false", default_missing_value = "true", value_parser = BoolishValueParser::new()
    )]
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

    /// Let the API server choose the leader, as a candidate of this version (1.2.3) of the operator; implies --leader-elect
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub leader_elect_coordinated: Option<String>,

    /// Divide the objects among all replicas, in this number of shards, such as 64; implies --leader-elect
    #[arg(long, value_name = "N", default_value = "1")]
    pub shards: NonZeroU16,

    /// Field by which objects are divided
    #[arg(long, value_enum, value_name = "FIELD", default_value_t)]
    pub shard_by: ShardKey,

    /// What to log: a level, or directives such as `info,my_operator=debug`; by default those of `RUST_LOG`, or `info`.
    #[arg(
        long, value_name = "LEVEL", value_parser = log_level,
        help = "What to log: error, warn, info, debug, trace, or directives such as info,my_operator=debug [default: RUST_LOG, or info]"
    )]
    pub log_level: Option<String>,

    /// Format of the logs
    #[arg(long, value_enum, default_value_t)]
    pub log_format: LogFormat,
}

impl ManagerArgs {
    /// Loads the configuration from `--kubeconfig`, `KUBECONFIG`, `~/.kube/config` or the Pod's service account.
    pub async fn config(&self) -> Result<Config, ManagerError> {
        let Some(path) = &self.kubeconfig else {
            return Config::infer()
                .await
                .map_err(|error| connect(NoCluster(error)));
        };
        let file = Kubeconfig::read_from(path).map_err(connect)?;
        Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
            .await
            .map_err(connect)
    }

    /// Connects, and returns a builder with the settings from the flags. `name` is the name of the operator.
    pub async fn builder(&self, name: &str) -> Result<ManagerBuilder, ManagerError> {
        Ok(self.apply(Manager::connect(self.config().await?, name)?))
    }

    /// Applies the flags to a builder that has its own client, as in a test.
    pub fn apply(&self, builder: ManagerBuilder) -> ManagerBuilder {
        let mut builder = builder
            .workers(self.workers.get())
            .grace_period(self.grace_period)
            .informers(|informers| {
                let informers = informers.resync(self.resync);
                match &self.namespace[..] {
                    [] => informers,
                    names => informers.namespaces(names.to_vec()),
                }
            });
        for (kind, workers) in &self.workers_of {
            builder = builder.workers_of(kind, workers.get());
        }
        if let Some(address) = enabled(&self.health_probe_bind_address) {
            builder = builder.health_server(Server::plain(address));
        }
        if let Some(address) = enabled(&self.metrics_bind_address) {
            let server = if self.metrics_secure {
                let server = Server::secure(address, &builder.client);
                match &self.metrics_cert_path {
                    None => server,
                    Some(directory) => server.tls(Tls::Files {
                        certificate: directory.join(&self.metrics_cert_name),
                        key: directory.join(&self.metrics_cert_key),
                    }),
                }
            } else {
                Server::plain(address)
            }
            .tls_policy(self.tls_policy());
            builder = builder.metrics_server(server);
        }
        #[cfg(feature = "webhook")]
        let builder = self.webhooks(builder);
        let is_divided = self.shards.get() > 1;
        if !self.leader_elect && self.leader_elect_coordinated.is_none() && !is_divided {
            return builder;
        }
        let builder = builder.shards(Shards::new(self.shards.get()).by(self.shard_by));
        let lease = self.leader_elect_resource_name.as_ref();
        let config = LeaderElectionConfig::new(lease.unwrap_or(&builder.name))
            .lease_duration(self.leader_elect_lease_duration)
            .renew_deadline(self.leader_elect_renew_deadline)
            .retry_period(self.leader_elect_retry_period);
        let config = match &self.leader_elect_coordinated {
            Some(version) => config.coordinated(version),
            None => config,
        };
        builder.leader_election(match &self.leader_elect_resource_namespace {
            Some(namespace) => config.namespace(namespace),
            None => config,
        })
    }

    fn tls_policy(&self) -> TlsPolicy {
        TlsPolicy::new()
            .min_version(self.tls_min_version)
            .cipher_suites(self.tls_cipher_suites.iter().copied())
    }

    #[cfg(feature = "webhook")]
    fn webhooks(&self, builder: ManagerBuilder) -> ManagerBuilder {
        if self.webhook_port == 0 {
            return builder.without_webhooks();
        }
        let mut server = WebhookServer::new()
            .address(format!(":{}", self.webhook_port))
            .tls_policy(self.tls_policy());
        if let Some(directory) = &self.webhook_cert_path {
            server = server.certificates(Certificates::Files {
                certificate: directory.join(&self.webhook_cert_name),
                key: directory.join(&self.webhook_cert_key),
            });
        }
        if let Some(url) = &self.webhook_url {
            server = server.reached_by(ClientConfig::url(url));
        }
        if self.webhook_install {
            server = server.install();
        }
        builder.webhook_server(server)
    }
}

/// Returns the address unless it turns the server off, as in controller-runtime.
fn enabled(address: &str) -> Option<&str> {
    (!matches!(address, "" | "0")).then_some(address)
}

/// Parses `ReplicaSet.apps=3`.
fn kind_and_number(text: &str) -> Result<(String, NonZeroUsize), String> {
    let parts = text.split_once('=').filter(|(kind, _)| !kind.is_empty());
    let (kind, number) = parts.ok_or("expected KIND=N, such as ReplicaSet.apps=3")?;
    let number = number
        .parse()
        .map_err(|_| format!("expected a number of workers, at least 1, and not `{number}`"))?;
    Ok((kind.to_owned(), number))
}

/// Checks a version as the API server does that of a candidate: three numbers, and what semantic versioning allows after them.
fn version(text: &str) -> Result<String, String> {
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let is_number = |part: &str| part.parse::<u64>().is_ok_and(|n| n.to_string() == part);
    if core.split('.').count() == 3 && core.split('.').all(is_number) {
        return Ok(text.to_owned());
    }
    Err("expected a semantic version, such as 1.2.3".to_owned())
}

/// Checks the directives of a filter.
fn log_level(text: &str) -> Result<String, String> {
    logs::filter(text).map(|_| text.to_owned())
}

/// There is no kubeconfig, or it is not usable, and no service account of a Pod: often a program that is started on a computer for the first time.
#[derive(Debug, thiserror::Error)]
#[error(
    "no usable kubeconfig, and not running in a Pod; to run the operator without a cluster, use `kube-codegen dev`"
)]
struct NoCluster(#[source] InferConfigError);

fn connect(error: impl std::error::Error + Send + Sync + 'static) -> ManagerError {
    ManagerError::Connect(Box::new(error))
}
