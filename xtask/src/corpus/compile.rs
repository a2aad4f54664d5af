//! The workspace of crates is compiled by cargo; every warning and error of it is a failure, with its place.
use super::batch::Batch;
use super::{Failure, Result, root, target};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command of cargo's.
pub(super) struct Step {
    /// What the table calls it.
    pub(super) name: &'static str,
    arguments: &'static [&'static str],
}

/// Rustc's errors and warnings.
pub(super) const CHECK: Step = Step {
    name: "compiled",
    arguments: &["check"],
};
/// The programs that read samples.
pub(super) const BUILD: Step = Step {
    name: "built",
    arguments: &["build"],
};
/// Clippy's default set of lints.
pub(super) const CLIPPY: Step = Step {
    name: "clippy",
    arguments: &["clippy"],
};
/// Rustdoc and its warnings.
pub(super) const DOC: Step = Step {
    name: "rustdoc",
    arguments: &["doc", "--no-deps", "--lib"],
};

/// What a step made.
#[derive(Default)]
pub(super) struct Compiled {
    /// Where findings are.
    pub(super) faulty: Faulty,
    /// The programs that were built, by crate.
    pub(super) programs: BTreeMap<String, PathBuf>,
}

/// The places that have a finding, or were not compiled: `tree/group/version`, as exact as the finding is.
#[derive(Default)]
pub(super) struct Faulty(BTreeSet<String>);

impl Faulty {
    /// Whether what is generated for a group and version, as `tree/group/version`, is without a finding.
    pub(super) fn spares(&self, module: &str) -> bool {
        let below = |place: &str, whole: &str| {
            place.is_empty() || whole == place || whole.starts_with(&format!("{place}/"))
        };
        !self
            .0
            .iter()
            .any(|place| below(place, module) || below(module, place))
    }
}

/// Compiles crates by one command, as many as can be.
pub(super) fn compile(
    out: &Path,
    step: &Step,
    batches: &[&Batch<'_>],
    failures: &mut Vec<Failure>,
) -> Result<Compiled> {
    let mut child = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(step.arguments)
        .args(batches.iter().flat_map(|batch| ["--package", &batch.name]))
        .args(["--keep-going", "--message-format=json", "--manifest-path"])
        .arg(out.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target())
        // The settings of this repository count, wherever the crates lie.
        .current_dir(root())
        .env("CARGO_INCREMENTAL", "0")
        .stdout(Stdio::piped())
        .spawn()?;
    let mut compiled = Compiled::default();
    let mut done = BTreeSet::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let message: Value = serde_json::from_str(&line?).unwrap_or_default();
            let name = message["target"]["name"].as_str().unwrap_or_default();
            if message["reason"] == "compiler-artifact" {
                done.insert(name.replace('_', "-"));
                if let Some(program) = message["executable"].as_str() {
                    compiled.programs.insert(name.to_owned(), program.into());
                }
            }
            if let Some((place, failure)) = finding(step, &message) {
                compiled.faulty.0.insert(place);
                failures.push(failure);
            }
        }
    }
    child.wait()?;
    for batch in batches.iter().filter(|batch| !done.contains(&batch.name)) {
        compiled.faulty.0.extend(batch.modules.iter().cloned());
        failures.push(Failure {
            stage: step.name,
            subject: batch.name.clone(),
            message: "cargo did not get through this crate: see its output".into(),
        });
    }
    Ok(compiled)
}

fn finding(step: &Step, message: &Value) -> Option<(String, Failure)> {
    let name = message["target"]["name"].as_str()?;
    let finding = &message["message"];
    let text = finding["message"].as_str()?;
    let level = finding["level"].as_str()?;
    let summary = text.contains("aborting due to")
        || text.contains("warnings emitted")
        || text.contains("warning emitted");
    if !name.starts_with("corpus") || summary || !matches!(level, "error" | "warning") {
        return None;
    }
    let spans = finding["spans"].as_array()?;
    let primary = spans.iter().find(|span| span["is_primary"] == true);
    let file = primary
        .and_then(|span| span["file_name"].as_str())
        .unwrap_or_default();
    let line = primary.map_or(0, |span| span["line_start"].as_u64().unwrap_or(0));
    let rendered = finding["rendered"].as_str().unwrap_or(text);
    Some((
        place(file),
        Failure {
            stage: step.name,
            subject: format!("{file}:{line}"),
            message: rendered.to_owned(),
        },
    ))
}

/// `tree/group/version` of a source file, or as much of it as the path has.
fn place(file: &str) -> String {
    let below = file.split_once("/src/").map_or("", |(_, below)| below);
    let folders = below.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_strike_what_they_concern() {
        assert_eq!(place("corpus-0/src/tree_a/g/v1/types.rs"), "tree_a/g/v1");
        assert_eq!(place("corpus-0/src/lib.rs"), "");
        let faulty = Faulty(["tree_a/g/v1".to_owned()].into());
        assert!(!faulty.spares("tree_a/g/v1"));
        assert!(faulty.spares("tree_a/g/v10"));
        assert!(!Faulty(["tree_a".to_owned()].into()).spares("tree_a/g/v1"));
        assert!(!Faulty([String::new()].into()).spares("tree_b/g/v1"));
    }
}
