//! Reads the inputs and generates from them, for the command line and for build scripts.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::diag::{Diagnostics, Severity};
use crate::base::options::{Allow, Settings};
use crate::base::source::{self, Problem, Source};
use crate::input::yaml;
use crate::model::ir::Kind;
use crate::output::write::{self, Plan};
use crate::pipeline::{self, Output};

/// The result of a run, before anything is written.
pub(crate) struct Run {
    /// The texts that were read.
    pub(crate) sources: Vec<Source>,
    /// What was generated.
    pub(crate) output: Output,
    /// The inputs that could not be read; none unless the run continues after errors.
    pub(crate) problems: Vec<Problem>,
    /// The patterns of files to leave out that matched none.
    pub(crate) unused: Vec<String>,
    /// The names of CRDs that are generated from their last valid definition, because a file has errors.
    pub(crate) kept: Vec<String>,
}

/// Reads the inputs and runs the pipeline. Its diagnostics are not located.
///
/// If a file has errors and the run continues after errors, CRDs that the directory `generated` contains, and that no other
/// file defines, may be in that file: their last definition, which is among the generated files, takes its place.
///
/// # Errors
/// If an input cannot be read, unless the run continues after errors.
pub(crate) fn run(settings: &Settings, generated: &Path) -> Result<Run, source::Error> {
    let mut run = all(settings, generated)?;
    Allow::apply(&settings.allow, &run.sources, &mut run.output.diagnostics);
    Ok(run)
}

fn all(settings: &Settings, generated: &Path) -> Result<Run, source::Error> {
    let loaded = source::load_except(&settings.inputs(), &settings.exclude);
    let mut sources = loaded.sources;
    if !settings.options.keep_going || sources.is_empty() {
        source::Error::unless_empty(loaded.problems)?;
        return Ok(Run {
            output: pipeline::run_without(&Output::default(), &sources, &settings.options),
            sources,
            problems: Vec::new(),
            unused: loaded.unused,
            kept: Vec::new(),
        });
    }
    let mut output = pipeline::run_without(&Output::default(), &sources, &settings.options);
    let mut kept = Vec::new();
    if !output.left_out.is_empty() || !loaded.problems.is_empty() {
        let read = sources.len();
        for (name, source) in last_definitions(generated, &output) {
            kept.push(name);
            sources.push(source);
        }
        if !kept.is_empty() {
            output = pipeline::run_without(&output, &sources, &settings.options);
            // These files belong to kube-codegen: warnings about them were shown when their sources were valid.
            output.diagnostics.retain(|it| {
                it.severity == Severity::Error || it.place.source.is_none_or(|id| id.0 < read)
            });
        }
    }
    Ok(Run {
        sources,
        output,
        problems: loaded.problems,
        unused: loaded.unused,
        kept,
    })
}

/// Returns the names and definitions of the CRDs in a directory of generated files that are not in the output.
pub(crate) fn last_definitions(generated: &Path, output: &Output) -> Vec<(String, Source)> {
    let kinds = output.model.kinds.iter();
    let defined: BTreeSet<String> = kinds.map(Kind::crd_name).collect();
    let definition = |(path, text): (PathBuf, String)| {
        let source = Source::file(path, text);
        let documents = yaml::documents(&source, &mut Diagnostics::new());
        let name = documents.first()?.pointer("/metadata/name");
        let name = name.and_then(Value::as_str)?.to_owned();
        (!defined.contains(&name)).then_some((name, source))
    };
    let files = write::unchanged_files(generated, ".json").into_iter();
    files.filter_map(definition).collect()
}

impl Run {
    /// Returns whether some of the input is missing in the output.
    pub(crate) fn is_partial(&self) -> bool {
        !self.problems.is_empty() || !self.output.left_out.is_empty()
    }

    /// Returns whether nothing may be written.
    pub(crate) fn has_failed(&self) -> bool {
        self.output.files.is_empty() && (self.is_partial() || self.output.diagnostics.has_errors())
    }

    /// Plans the changes to a directory. Without some of the input, stale files are kept.
    pub(crate) fn plan(
        &self,
        root: &write::Root,
        files: &[pipeline::File],
        force: bool,
    ) -> Result<Plan, write::Error> {
        if self.is_partial() {
            write::plan_part(root, files, force)
        } else {
            write::plan(root, files, force)
        }
    }
}
