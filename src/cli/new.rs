//! `new`: a name and definitions come in, a crate goes out; what a person has written there since is kept.
use super::console::Console;
use super::generate::generate;
use super::{Failure, count};
use crate::diag::Diagnostics;
use crate::options::{Kubernetes, Options, Settings};
use crate::pipeline;
use crate::scaffold::{self, Membership, PackageName, Request, Runtime};
use crate::source::Source;
use crate::write::{self, Plan};
use crate::yaml;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Make the crate of an operator around the generated code
///
/// It builds as it lies and logs what it would reconcile. The generated modules in src/generated are written anew each time; all
/// other files are written once and belong to you.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name of the package
    name: PackageName,

    /// CustomResourceDefinitions to read: a file, a directory, a pattern, or `-` for standard input; can be repeated
    #[arg(long, short, required = true, value_name = "FILE|DIR|GLOB|-")]
    file: Vec<PathBuf>,

    /// Directory of the crate [default: its name]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Oldest Kubernetes to serve: the version that k8s-openapi is built for
    #[arg(long, value_name = "VERSION", default_value_t)]
    kubernetes: Kubernetes,

    /// Overwrite all files that are there already, yours too
    #[arg(long)]
    force: bool,

    /// Directory of templates to use in place of the built-in ones of the same names
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,

    /// Directory with the crates of kube-codegen to depend on
    /// [default: the checkout this tool was built from if it is still there, else the registry]
    #[arg(long, value_name = "PATH")]
    runtime_path: Option<PathBuf>,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), Failure> {
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(args.name.as_str()));
    let settings = Settings {
        file: args.file.clone(),
        options: Options {
            kubernetes: args.kubernetes,
            ..Options::default()
        },
        ..Settings::default()
    };
    let output = generate(&settings, console)?;
    let crate_files = crate_files(args, &target, &output).map_err(Failure::Usage)?;

    let told = |error: write::Error| Failure::Usage(error.to_string());
    let own = write::plan_once(&target, &crate_files, args.force).map_err(told)?;
    let generated = target.join(scaffold::GENERATED);
    let generated = write::plan(&generated, &output.files, args.force).map_err(told)?;
    same_definitions(&own, &crate_files)?;
    own.apply().map_err(told)?;
    generated.apply().map_err(told)?;
    summary(args, &own, &generated, console);
    Ok(())
}

fn crate_files(
    args: &Args,
    target: &Path,
    output: &pipeline::Output,
) -> Result<Vec<crate::render::File>, String> {
    scaffold::scaffold(&Request {
        name: &args.name,
        model: &output.model,
        kubernetes: args.kubernetes,
        runtime: &Runtime::find(target, args.runtime_path.as_deref())?,
        membership: Membership::of(target),
        templates: args.templates.as_deref(),
    })
}

/// What is generated must be what `kube-codegen generate` in the crate would make of the definitions it keeps.
fn same_definitions(own: &Plan, files: &[crate::render::File]) -> Result<(), Failure> {
    let Some(made) = files
        .iter()
        .find(|file| file.path == scaffold::DEFINITIONS && own.kept().contains(&file.path))
    else {
        return Ok(());
    };
    let path = own.root().join(&made.path);
    let kept = fs::read_to_string(&path).unwrap_or_default();
    if documents(kept) == documents(made.text.clone()) {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::Usage(format!(
        "`{path}` is not what --file defines, and it is yours; bring the change there and run `kube-codegen generate` in the \
         crate, or pass --force to overwrite all files\nnothing was written"
    )))
}

/// The documents of a YAML text; none where it cannot be read.
fn documents(text: String) -> Option<Vec<serde_json::Value>> {
    let mut diagnostics = Diagnostics::new();
    let source = Source {
        name: scaffold::DEFINITIONS.to_owned(),
        path: None,
        text,
    };
    let documents = yaml::documents(&source, &mut diagnostics);
    (!diagnostics.has_errors()).then_some(documents)
}

fn summary(args: &Args, own: &Plan, generated: &Plan, console: &mut Console) {
    let root = own.root().display();
    console.object(&json!({
        "type": "summary",
        "outcome": "created",
        "name": args.name.as_str(),
        "path": own.root().display().to_string(),
        "written": own.changes().len(),
        "generated": generated.changes().len(),
        "kept": own.kept(),
    }));
    for path in own.kept() {
        console.line(&format!("kept     {}", own.root().join(path).display()));
    }
    console.line(&format!(
        "{} in {root}: {} written, {} generated; next: cd {root} && cargo run",
        args.name,
        count(own.changes().len(), "file"),
        count(generated.changes().len(), "file"),
    ));
}
