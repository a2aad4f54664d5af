//! `kube-codegen docs`: writes reference pages of the kinds of CRDs.
use std::path::PathBuf;

use serde_json::json;

use super::{
    CommandError,
    changes::ChangeArgs,
    console::Console,
    count,
    layer::{Layer, OptionArgs},
};
use crate::{
    api::site::{self, Format},
    base::{diag::Severity, options::Allow, source},
    output::write::{self, Lock, Root},
    pipeline,
};

/// Write reference pages of the kinds of CRDs, as a static site or as Markdown
///
/// Each version of a kind has a page: its fields with types, defaults, bounds and rules, samples that the API server accepts,
/// printer columns, and what differs from other versions. The site has a search, and needs no server and no network.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, directories or glob patterns of CustomResourceDefinitions, or `-` for standard input; can be repeated [default:
    /// those of kube-codegen.toml]
    #[arg(short, long, value_name = "FILE|DIR|GLOB|-")]
    file: Option<Vec<PathBuf>>,

    /// Read inputs and conversions from this file, even with --file [default: kube-codegen.toml, only without --file]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Directory of the pages; pages of an earlier run that are no longer made are removed
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
    let options = OptionArgs {
        flags: Layer {
            file: args.file.clone(),
            ..Layer::default()
        },
        config: args.config.clone(),
    };
    let settings = options.read(console)?.settings()?;
    let root = Root::new(&args.output);
    let _lock = Lock::of([&root])?;
    let loaded = source::load_except(&settings.inputs(), &settings.exclude);
    source::Error::unless_empty(loaded.problems)?;
    let (model, mut diagnostics) = pipeline::model(&loaded.sources, &settings.options);
    // Notes are about generated code.
    let is_allowed = |it: &_| Allow::allows(&settings.allow, it, &loaded.sources);
    diagnostics.retain(|it| it.severity != Severity::Note && !is_allowed(it));
    console.diagnostics(&diagnostics, &loaded.sources, &[]);
    if diagnostics.has_errors() {
        return Err(CommandError::Reported);
    }
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
