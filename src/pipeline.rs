//! Runs all stages in order, without disk, clock, environment or network.
use crate::base::diag::{Code, Diagnostics};
use crate::base::options::Options;
use crate::base::source::{Source, SourceId};
use crate::model::ir::Model;
use crate::{
    base::threads,
    input::crd,
    model::{lower, pass},
    output::{emit, render},
};

pub use crate::output::render::File;

/// The result of a run.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Output {
    /// The generated files, sorted by path; none if a diagnostic is an error, unless its source was left out.
    pub files: Vec<File>,
    /// The sources that were left out because they have errors: [`Options::keep_going`].
    pub left_out: Vec<SourceId>,
    /// The diagnostics, located in the sources.
    pub diagnostics: Diagnostics,
    /// The frozen model.
    #[doc(hidden)]
    pub model: Model,
}

/// Runs all stages. Each reports all its diagnostics; the run ends after the first stage that reports an error, or starts
/// again without the sources that have errors: [`Options::keep_going`].
pub fn run(sources: &[Source], options: &Options) -> Output {
    let mut output = run_without(&Output::default(), sources, options);
    output.diagnostics.locate(sources);
    output
}

/// Runs all stages without the sources that an earlier run left out, whose diagnostics are kept. Whoever shows a diagnostic locates it: most are
/// notes, which nobody sees, and their sources are read again for their lines.
pub(crate) fn run_without(earlier: &Output, sources: &[Source], options: &Options) -> Output {
    threads::with_large_stack(|| {
        let mut output = Output {
            diagnostics: earlier.diagnostics.clone(),
            left_out: earlier.left_out.clone(),
            ..Output::default()
        };
        output.diagnostics.retain(|it| {
            let source = it.place.source;
            source.is_some_and(|id| earlier.left_out.contains(&id))
        });
        loop {
            let mut diagnostics = Diagnostics::new();
            let (left_out, model) = (&output.left_out, &mut output.model);
            let files = stages(sources, left_out, options, model, &mut diagnostics);
            let mut failed = diagnostics.sources_with_errors();
            if !options.keep_going || failed.is_empty() {
                output.files = files.unwrap_or_default();
                output.diagnostics.append(diagnostics);
                break;
            }
            // The others report theirs in the next round.
            let is_failed = |id| failed.binary_search(&id).is_ok();
            diagnostics.retain(|it| it.place.source.is_some_and(is_failed));
            output.diagnostics.append(diagnostics);
            output.left_out.append(&mut failed);
            output.left_out.sort_unstable();
            if output.left_out.len() == sources.len() {
                break;
            }
        }
        output
    })
}

/// Runs the stages up to the frozen model.
#[cfg(feature = "cli")]
pub(crate) fn model(sources: &[Source], options: &Options) -> (Model, Diagnostics) {
    threads::with_large_stack(|| {
        let (mut model, mut diagnostics) = (Model::default(), Diagnostics::new());
        freeze(sources, &[], options, &mut model, &mut diagnostics);
        diagnostics.locate(sources);
        (model, diagnostics)
    })
}

/// A model before its passes, to freeze it with several sets of options.
#[cfg(feature = "cli")]
pub(crate) struct Unfrozen {
    model: Model,
}

#[cfg(feature = "cli")]
impl Unfrozen {
    /// Reads sources; `None` if they have errors.
    pub(crate) fn new(sources: &[Source]) -> Option<Self> {
        let model = threads::with_large_stack(|| lower(sources, &[], &mut Diagnostics::new()))?;
        Some(Self { model })
    }

    /// Freezes a copy; `None` if there is an error with these options.
    pub(crate) fn freeze(&self, options: &Options) -> Option<Model> {
        threads::with_large_stack(|| {
            let (mut model, mut diagnostics) = (self.model.clone(), Diagnostics::new());
            pass::run(&mut model, options, &mut diagnostics);
            diagnostics.barrier()?;
            Some(model)
        })
    }
}

fn stages(
    sources: &[Source],
    left_out: &[SourceId],
    options: &Options,
    model: &mut Model,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<File>> {
    freeze(sources, left_out, options, model, diagnostics)?;
    let files = emit::emit(model, options);
    let files = render::render(files, diagnostics);
    diagnostics.barrier()?;
    Some(files)
}

fn freeze(
    sources: &[Source],
    left_out: &[SourceId],
    options: &Options,
    model: &mut Model,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    *model = lower(sources, left_out, diagnostics)?;
    pass::run(model, options, diagnostics);
    if !left_out.is_empty() {
        // The target of an override or a conversion may be in a source that was left out.
        let unmatched = [Code::OverrideUnmatched, Code::ConversionUnmatched];
        diagnostics.retain(|it| !unmatched.contains(&it.code));
    }
    diagnostics.barrier()
}

/// Runs the stages before the passes, which are the first ones that depend on options.
fn lower(
    sources: &[Source],
    left_out: &[SourceId],
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    // Schemas are lowered as soon as they are read, since they take more memory than what they are lowered to.
    let crds = crd::parse_each(sources, left_out, diagnostics, lower::versions);
    diagnostics.barrier()?;
    let lowered = crds.into_iter().flat_map(|(_, lowered)| lowered);
    let model = lower::assemble(lowered.collect(), diagnostics);
    diagnostics.barrier()?;
    Some(model)
}
