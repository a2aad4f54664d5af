//! Compiles the workspace with cargo; each error is a failure of a CRD and a change.
use super::workspace::Places;
use super::{Failure, Result, Subject};
use crate::{root, target};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Checks all crates with one command that continues after errors.
pub(crate) fn check(
    out: &Path,
    subjects: &[Subject],
    places: &Places,
    failures: &mut Vec<Failure>,
) -> Result<()> {
    let mut child = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "check",
            "--workspace",
            "--keep-going",
            "--message-format=json",
            "--manifest-path",
        ])
        .arg(out.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target())
        // Use the cargo configuration of this repository, wherever the crates are; its Kubernetes is older.
        .current_dir(root())
        .env("K8S_OPENAPI_ENABLED_VERSION", "")
        .env("CARGO_INCREMENTAL", "0")
        .stdout(Stdio::piped())
        .spawn()?;
    let known = failures.len();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let message: Value = serde_json::from_str(&line?).unwrap_or_default();
            failures.extend(failure(&message, subjects, places));
        }
    }
    if !child.wait()?.success() && failures.len() == known {
        return Err("cargo failed; see its output".into());
    }
    Ok(())
}

fn failure(message: &Value, subjects: &[Subject], places: &Places) -> Option<Failure> {
    let diagnostic = &message["message"];
    if diagnostic["level"] != "error" {
        return None;
    }
    let spans = diagnostic["spans"].as_array()?;
    let file = spans.iter().find(|span| span["is_primary"] == true)?["file_name"].as_str()?;
    let (start, _) = file
        .split_once("/program.rs")
        .or_else(|| file.split_once("/generated/"))?;
    let mut known = places.iter();
    let (_, (subject, variant)) = known.find(|(place, _)| start.ends_with(place.as_str()))?;
    let subject = &subjects[*subject];
    let variant = &subject.variants[*variant];
    Some(Failure {
        crd: subject.crd.clone(),
        change: variant.change,
        what: variant.what.clone(),
        message: diagnostic["rendered"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    })
}
