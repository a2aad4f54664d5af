//! `kube-codegen docs`: writes reference pages of the kinds of CRDs.
use std::path::PathBuf;

use serde_json::json;

use super::{
    CommandError,
    changes::ChangeArgs,
    console::Console,
    count,
    crds::{self, CrdArgs},
    lock,
};
use crate::{
    api::site::{self, Format},
    base::diag::Severity,
    output::write::{self, Root},
    pipeline,
};

/// Write reference pages for CRDs, as a static site or as Markdown
///
/// Each version of a kind has a page: its fields with types, defaults, bounds and rules, samples that the API server accepts,
/// printer columns, and what differs from other versions. The site has a search, and needs no server and no network.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    crds: CrdArgs,

    /// Directory of the pages; stale pages from an earlier run are removed
    #[arg(short, long, value_name = "DIR", default_value = "dist/docs")]
    output: PathBuf,

    /// The form of the pages
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// The title of the pages
    #[arg(long, default_value = "API reference")]
    title: String,

    /// Directory of templates that replace built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,

    #[command(flatten)]
    changes: ChangeArgs,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let settings = args.crds.options(console)?.settings()?;
    let root = Root::new(&args.output);
    let _lock = lock([&root], console)?;
    let sources = crds::load(&settings, console)?;
    let (model, mut diagnostics) = pipeline::model(&sources, &settings.options);
    // Notes are about generated code.
    diagnostics.retain(|it| it.severity != Severity::Note);
    crds::show(diagnostics, &sources, &settings, console)?;
    let templates = args.templates.as_deref();
    let (files, notes) = site::site(&model, &args.title, args.format, templates)?;
    for note in notes {
        console.warning(&format!("{}: {}", note.at, note.text));
    }
    let plan = write::plan(&root, &files, args.changes.force)?;
    if let Some(totals) = args.changes.process(&[&plan], "docs", console)? {
        let path = args.output.display().to_string();
        console.object(&json!({"type": "summary", "outcome": "docs", "path": path}));
        let kinds = count(model.kinds.len(), "version");
        console.line(&format!(
            "pages of {kinds} of kinds in {path}: {}",
            totals.text()
        ));
    }
    Ok(())
}
