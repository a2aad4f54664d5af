//! Runs the program of a crate over its samples and reports those that do not round-trip.
use super::batch::Batch;
use super::differ;
use super::{Problem, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Returns by file whether the samples round-trip through each of their types.
pub(crate) fn run(
    out: &Path,
    batch: &Batch<'_>,
    program: Option<&Path>,
    failures: &mut Vec<Problem>,
) -> Result<BTreeMap<String, bool>> {
    let mut equal: BTreeMap<String, bool> = BTreeMap::new();
    if batch.samples.is_empty() {
        return Ok(equal);
    }
    let answers = if let Some(program) = program {
        let samples = out.join(&batch.name).join("samples.json");
        let output = Command::new(program).arg(samples).output()?;
        String::from_utf8(output.stdout)?
    } else {
        String::new()
    };
    let mut answers = answers.lines();
    for (path, sample) in &batch.samples {
        let problem = match answers.next() {
            Some(answer) => problem(&sample.object, answer)?,
            None => Some("not read: its crate did not compile, or its program ended early".into()),
        };
        *equal.entry(sample.file.clone()).or_insert(true) &= problem.is_none();
        failures.extend(problem.map(|message| Problem {
            stage: "round trip",
            subject: format!("{} as {path}", sample.file),
            message,
        }));
    }
    Ok(equal)
}

fn problem(object: &Value, answer: &str) -> Result<Option<String>> {
    let answer: std::result::Result<String, String> = serde_json::from_str(answer)?;
    Ok(match answer {
        Ok(written) => differ::difference(object, &serde_json::from_str(&written)?),
        Err(error) => Some(error),
    })
}
