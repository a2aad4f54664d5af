//! Checks a crate with a set of features and collects the compiler's diagnostics.
use super::Result;
use super::library::Library;
use crate::{root, target};
use serde_json::Value;
use std::fmt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The outcome for a set of features.
pub(super) struct Outcome {
    subject: String,
    /// Errors and warnings, as rendered by the compiler.
    pub(super) diagnostics: Vec<String>,
    /// How long it took.
    pub(super) time: Duration,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        let outcome = match self.diagnostics.len() {
            0 => "compiled".to_owned(),
            count => format!("{count} diagnostics"),
        };
        write!(f, "{:<70} {outcome:<15} {seconds:6.1} s", self.subject)
    }
}

/// Checks the crate with exactly these features.
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
        // Use the cargo configuration of this repository, wherever the crate is.
        .current_dir(root())
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only")
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut diagnostics: Vec<String> = messages
        .filter_map(|message| diagnostic(library, &message))
        .collect();
    if !output.status.success() && diagnostics.is_empty() {
        diagnostics.push("cargo failed; see its output\n".to_owned());
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
        diagnostics,
        time: started.elapsed(),
    })
}

/// Returns an error or warning about the crate itself.
fn diagnostic(library: &Library, message: &Value) -> Option<String> {
    if message["target"]["name"].as_str()? != library.name.replace('-', "_") {
        return None;
    }
    let diagnostic = &message["message"];
    matches!(diagnostic["level"].as_str()?, "error" | "warning").then(|| {
        diagnostic["rendered"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    })
}
