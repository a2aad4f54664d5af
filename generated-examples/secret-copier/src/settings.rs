//! The flags of the operator, beside those of the manager.

/// Settings of the operator.
#[derive(Clone, Debug, clap::Args)]
pub struct Settings {
    /// Namespace of the Secrets to copy
    #[arg(long, value_name = "NAME", default_value = "secretsync")]
    pub source_namespace: String,

    /// Namespaces that get no copies, separated by commas
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "kube-public,kube-system"
    )]
    pub exclude: Vec<String>,
}
