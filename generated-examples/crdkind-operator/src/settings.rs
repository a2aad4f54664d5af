//! The flags of the operator, beside those of the manager.
use std::time::Duration;

use crate::validate::Choice;

/// Settings of the operator.
#[derive(Clone, Debug, clap::Args)]
pub struct Settings {
    /// Delay before checking again whether a child's name is free
    #[arg(long, value_name = "PERIOD", default_value = "1m", value_parser = humantime::parse_duration)]
    pub look_again: Duration,

    #[command(flatten)]
    pub images: Images,
}

/// The image for each choice.
#[derive(Clone, Debug, clap::Args)]
pub struct Images {
    /// Image to run for `choice: mysql`
    #[arg(
        long = "mysql-image",
        value_name = "IMAGE",
        default_value = "peksoon/iksoon_mysql:1.0.2"
    )]
    pub mysql: String,

    /// Image to run for `choice: tomcat`
    #[arg(
        long = "tomcat-image",
        value_name = "IMAGE",
        default_value = "peksoon/iksoon_tomcat:1.0.6"
    )]
    pub tomcat: String,
}

impl Default for Images {
    fn default() -> Self {
        Self {
            mysql: "peksoon/iksoon_mysql:1.0.2".to_owned(),
            tomcat: "peksoon/iksoon_tomcat:1.0.6".to_owned(),
        }
    }
}

impl Images {
    /// Returns the image to run for a choice.
    pub fn of(&self, choice: Choice) -> &str {
        match choice {
            Choice::Mysql => &self.mysql,
            Choice::Tomcat => &self.tomcat,
        }
    }
}
