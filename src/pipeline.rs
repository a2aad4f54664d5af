//! Runs all stages in order, without disk, clock, environment or network.
use crate::diag::Diagnostics;
use crate::ir::Model;
use crate::options::Options;
use crate::source::Source;
use crate::{crd, emit, lower, pass, render, threads};

pub use crate::render::File;

/// The result of a run.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Output {
    /// The generated files, sorted by path; none if a diagnostic is an error.
    pub files: Vec<File>,
    /// The diagnostics, located in the sources.
    pub diagnostics: Diagnostics,
    /// The frozen model.
    #[doc(hidden)]
    pub model: Model,
}

/// Runs all stages. Each reports all its diagnostics; the run ends after the first stage that reports an error.
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
    // Schemas are lowered as soon as they are read, since they take more memory than what they are lowered to.
    let crds = crd::parse_each(sources, diagnostics, lower::versions);
    diagnostics.barrier()?;
    let lowered = crds.into_iter().flat_map(|(_, lowered)| lowered);
    *model = lower::assemble(lowered.collect(), diagnostics);
    diagnostics.barrier()?;
    pass::run(model, options, diagnostics);
    diagnostics.barrier()?;
    let files = emit::emit(model, options);
    let files = render::render(files, diagnostics);
    diagnostics.barrier()?;
    Some(files)
}
