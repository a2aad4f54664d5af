//! Compiles the workspace of crates with cargo; each warning and error is a failure.
use super::batch::Batch;
use super::{Problem, Result, root, target};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A cargo command.
pub(crate) struct Step {
    /// Its name in the table.
    pub(crate) name: &'static str,
    arguments: &'static [&'static str],
}

/// Checks with rustc.
pub(crate) const CHECK: Step = Step {
    name: "compiled",
    arguments: &["check"],
};
/// Builds the programs that read samples.
pub(crate) const BUILD: Step = Step {
    name: "built",
    arguments: &["build"],
};
/// Checks with clippy's default lints.
pub(crate) const CLIPPY: Step = Step {
    name: "clippy",
    arguments: &["clippy"],
};
/// Builds the documentation.
pub(crate) const DOC: Step = Step {
    name: "rustdoc",
    arguments: &["doc", "--no-deps", "--lib"],
};

/// The results of a step.
#[derive(Default)]
pub(crate) struct Compiled {
    /// Where the failures are.
    pub(crate) faulty: Faulty,
    /// The built programs, by crate.
    pub(crate) programs: BTreeMap<String, PathBuf>,
}

/// The modules with a failure or that were not compiled: `tree/group/version`, or a prefix of it.
#[derive(Default)]
pub(crate) struct Faulty(BTreeSet<String>);

impl Faulty {
    /// Returns whether the module `tree/group/version` has no failure.
    pub(crate) fn is_clean(&self, module: &str) -> bool {
        let below = |place: &str, whole: &str| {
            place.is_empty() || whole == place || whole.starts_with(&format!("{place}/"))
        };
        !self
            .0
            .iter()
            .any(|place| below(place, module) || below(module, place))
    }
}

/// Compiles crates with one command that continues after errors.
pub(crate) fn compile(
    out: &Path,
    step: &Step,
    batches: &[&Batch<'_>],
    failures: &mut Vec<Problem>,
) -> Result<Compiled> {
    let mut child = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(step.arguments)
        .args(batches.iter().flat_map(|batch| ["--package", &batch.name]))
        .args(["--keep-going", "--message-format=json", "--manifest-path"])
        .arg(out.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target())
        // Use the cargo configuration of this repository, wherever the crates are.
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
            if let Some((place, failure)) = failure(step, &message) {
                compiled.faulty.0.insert(place);
                failures.push(failure);
            }
        }
    }
    child.wait()?;
    for batch in batches.iter().filter(|batch| !done.contains(&batch.name)) {
        compiled.faulty.0.extend(batch.modules.iter().cloned());
        failures.push(Problem {
            stage: step.name,
            subject: batch.name.clone(),
            message: "cargo failed on this crate; see its output".into(),
        });
    }
    Ok(compiled)
}

fn failure(step: &Step, message: &Value) -> Option<(String, Problem)> {
    let name = message["target"]["name"].as_str()?;
    let diagnostic = &message["message"];
    let text = diagnostic["message"].as_str()?;
    let level = diagnostic["level"].as_str()?;
    let summary = text.contains("aborting due to")
        || text.contains("warnings emitted")
        || text.contains("warning emitted");
    if !name.starts_with("corpus") || summary || !matches!(level, "error" | "warning") {
        return None;
    }
    let spans = diagnostic["spans"].as_array()?;
    let primary = spans.iter().find(|span| span["is_primary"] == true);
    let file = primary
        .and_then(|span| span["file_name"].as_str())
        .unwrap_or_default();
    let line = primary.map_or(0, |span| span["line_start"].as_u64().unwrap_or(0));
    let rendered = diagnostic["rendered"].as_str().unwrap_or(text);
    Some((
        place(file),
        Problem {
            stage: step.name,
            subject: format!("{file}:{line}"),
            message: rendered.to_owned(),
        },
    ))
}

/// Returns `tree/group/version` of a source file, or the prefix that the path has.
fn place(file: &str) -> String {
    let below = file.split_once("/src/").map_or("", |(_, below)| below);
    let directory = below
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory);
    directory.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_affect_their_modules() {
        assert_eq!(place("corpus-0/src/tree_a/g/v1/types.rs"), "tree_a/g/v1");
        assert_eq!(place("corpus-0/src/lib.rs"), "");
        let faulty = Faulty(["tree_a/g/v1".to_owned()].into());
        assert!(!faulty.is_clean("tree_a/g/v1"));
        assert!(faulty.is_clean("tree_a/g/v10"));
        assert!(!Faulty(["tree_a".to_owned()].into()).is_clean("tree_a/g/v1"));
        assert!(!Faulty([String::new()].into()).is_clean("tree_b/g/v1"));
    }
}
