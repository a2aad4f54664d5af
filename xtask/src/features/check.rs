//! A crate and a set of features come in, what the compiler says of it goes out; its dependencies are built once.
use super::Result;
use super::library::Library;
use crate::folders::{root, target};
use serde_json::Value;
use std::fmt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What came of a set of features.
pub(super) struct Outcome {
    subject: String,
    /// Errors and warnings, as the compiler shows them.
    pub(super) findings: Vec<String>,
    /// What it took.
    pub(super) time: Duration,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        let findings = match self.findings.len() {
            0 => "compiled".to_owned(),
            some => format!("{some} findings"),
        };
        write!(f, "{:<70} {findings:<12} {seconds:6.1} s", self.subject)
    }
}

/// Checks the crate with these features and no others.
pub(super) fn check(library: &Library, features: &str) -> Result<Outcome> {
    let started = Instant::now();
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "check",
            "--quiet",
            "--message-format=json",
            "--features",
            features,
        ])
        .arg("--manifest-path")
        .arg(library.path.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target())
        // The settings of this repository count, wherever the crate lies.
        .current_dir(root())
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only")
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut findings: Vec<String> = messages.filter_map(|it| finding(library, &it)).collect();
    if !output.status.success() && findings.is_empty() {
        findings.push("cargo did not get through: see its output\n".to_owned());
    }
    Ok(Outcome {
        subject: format!(
            "{} {}",
            library.name,
            if features.is_empty() {
                "(none)"
            } else {
                features
            }
        ),
        findings,
        time: started.elapsed(),
    })
}

/// An error or a warning about the crate itself.
fn finding(library: &Library, message: &Value) -> Option<String> {
    let own = message["target"]["name"].as_str()? == library.name.replace('-', "_");
    let told = &message["message"];
    let grave = matches!(told["level"].as_str()?, "error" | "warning");
    (own && grave).then(|| told["rendered"].as_str().unwrap_or_default().to_owned())
}
