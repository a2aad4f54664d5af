//! The flags of the operator, beside those of the manager.
use std::{path::PathBuf, time::Duration};

/// Settings of the operator.
#[derive(Clone, Debug, clap::Args)]
pub struct Settings {
    /// Directory of the configured networks
    #[arg(long, value_name = "DIR", default_value = "networks")]
    pub directory: PathBuf,

    /// Interval at which the configured networks are compared with the objects
    #[arg(long, value_name = "PERIOD", default_value = "1m", value_parser = humantime::parse_duration)]
    pub check: Duration,
}
