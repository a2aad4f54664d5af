//! Sources and options come in, files and findings go out: all stages in order, and nothing of the world outside.
use crate::diag::Diagnostics;
use crate::ir::Model;
use crate::options::Options;
use crate::render::File;
use crate::source::Source;
use crate::{crd, emit, lower, pass, render, threads};

/// What a run gives.
#[derive(Debug, Default)]
pub struct Output {
    /// The files, sorted by path; none if there is an error among the findings.
    pub files: Vec<File>,
    /// The findings, located in the sources.
    pub diagnostics: Diagnostics,
    /// The model as the emitters saw it.
    pub model: Model,
}

/// Runs all stages; each reports all it finds, and a stage that found an error is the last one.
pub fn run(sources: &[Source], options: &Options) -> Output {
    threads::with_large_stack(|| {
        let mut output = Output::default();
        output.files = stages(sources, options, &mut output.model, &mut output.diagnostics)
            .unwrap_or_default();
        output.diagnostics.locate(sources);
        output
    })
}

fn stages(
    sources: &[Source],
    options: &Options,
    model: &mut Model,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<File>> {
    let crds = crd::parse(sources, diagnostics);
    diagnostics.barrier()?;
    *model = lower::lower(crds, diagnostics);
    diagnostics.barrier()?;
    pass::run(model, options, diagnostics);
    diagnostics.barrier()?;
    let files = emit::emit(model, options, diagnostics);
    diagnostics.barrier()?;
    let files = render::render(files, diagnostics);
    diagnostics.barrier()?;
    Some(files)
}
