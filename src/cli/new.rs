//! `kube-codegen new`: creates the crate of an operator. Files that exist already are kept.
use std::{fs, path::PathBuf};

use serde_json::json;

use super::{CommandError, console::Console, count, generate::generate};
use crate::{
    diag::Diagnostics,
    options::{Kubernetes, Options, Settings},
    render::File,
    scaffold::{self, Location, Package, PackageName},
    source::Source,
    write::{self, Plan},
    yaml,
};

/// Create the crate of an operator
///
/// The crate builds out of the box and logs the objects it would reconcile. Only the modules in src/generated are rewritten
/// later, by `kube-codegen generate`; all other files are yours.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name of the package
    name: PackageName,

    /// Files, directories or glob patterns of CustomResourceDefinitions, or `-` for standard input; can be repeated
    #[arg(long, short, required = true, value_name = "FILE|DIR|GLOB|-")]
    file: Vec<PathBuf>,

    /// Directory of the crate [default: its name]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Oldest Kubernetes version to support
    #[arg(long, value_name = "VERSION", default_value_t)]
    kubernetes: Kubernetes,

    /// Overwrite all files, including yours
    #[arg(long)]
    force: bool,

    /// Directory of templates that replace the built-in ones of the same names
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,

    /// Directory of the kube-codegen runtime crates
    /// [default: those of the checkout this tool was built from, or the published ones]
    #[arg(long, value_name = "DIR")]
    runtime_path: Option<PathBuf>,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let name = args.name.as_str();
    let target = args.output.clone().unwrap_or_else(|| PathBuf::from(name));
    let settings = Settings {
        file: args.file.clone(),
        options: Options {
            kubernetes: args.kubernetes,
            ..Options::default()
        },
        ..Settings::default()
    };
    let output = generate(&settings, console)?;
    let package = Package {
        name: &args.name,
        model: &output.model,
        kubernetes: args.kubernetes,
        location: &Location::of(&target, args.runtime_path.as_deref())?,
    };
    let files = scaffold::operator(&package, args.templates.as_deref())?;

    let own = write::plan_once(&target, &files, args.force)?;
    let generated = target.join(scaffold::GENERATED);
    let generated = write::plan(&generated, &output.files, args.force)?;
    check_definitions(&own, &files)?;
    own.apply()?;
    generated.apply()?;
    summary(args, &own, &generated, console);
    Ok(())
}

/// Fails if the crate keeps other CRDs than those the modules were generated from. `kube-codegen generate` in the crate
/// would otherwise change the modules.
fn check_definitions(own: &Plan, files: &[File]) -> Result<(), CommandError> {
    let mut kept = files.iter().filter(|file| own.kept().contains(&file.path));
    let Some(definitions) = kept.find(|file| file.path == scaffold::DEFINITIONS) else {
        return Ok(());
    };
    let path = own.root().join(&definitions.path);
    let existing = fs::read_to_string(&path).unwrap_or_default();
    if documents(existing) == documents(definitions.text.to_string()) {
        return Ok(());
    }
    let path = path.display();
    Err(format!(
        "`{path}` differs from the CRDs of --file; change it and run `kube-codegen generate` in the crate, or overwrite all \
         files with --force\nnothing was written"
    )
    .into())
}

/// Returns the documents of a YAML text, unless it is invalid.
fn documents(text: String) -> Option<Vec<serde_json::Value>> {
    let name = scaffold::DEFINITIONS.to_owned();
    let source = Source {
        name,
        path: None,
        text,
    };
    let mut diagnostics = Diagnostics::new();
    let documents = yaml::documents(&source, &mut diagnostics);
    (!diagnostics.has_errors()).then_some(documents)
}

fn summary(args: &Args, own: &Plan, generated: &Plan, console: &mut Console) {
    let root = own.root().display();
    let (written, generated) = (own.changes().len(), generated.changes().len());
    console.object(&json!({
        "type": "summary",
        "outcome": "created",
        "name": args.name.as_str(),
        "path": root.to_string(),
        "written": written,
        "generated": generated,
        "kept": own.kept(),
    }));
    for path in own.kept() {
        console.line(&format!("kept     {}", own.root().join(path).display()));
    }
    let (written, generated) = (count(written, "file"), count(generated, "file"));
    console.line(&format!(
        "{} in {root}: {written} written, {generated} generated; next: cd {root} && cargo run",
        args.name
    ));
}
