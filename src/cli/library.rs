//! `crate`: a name and definitions come in, a crate of types and clients goes out, or is brought up to date; what a person wrote is kept.
use super::console::Console;
use super::generate::{self, generate};
use super::layer::Layer;
use super::{Failure, count, drift};
use crate::options::Settings;
use crate::pipeline;
use crate::scaffold::{self, Library, LibraryRequest, Membership, PackageName, Runtime};
use crate::write::{self, Action, Plan};
use serde_json::json;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Make a crate of types and clients to publish, or bring it up to date
///
/// Each group and version of the definitions is behind a cargo feature of its name. The modules in src are written anew each time, and so
/// are the marked lines of Cargo.toml and README.md, which list the features; all else in these files is yours.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output", |it| it.help("Directory of the crate [default: its name]")))]
#[command(mut_arg("feature_gates", |it| it.hide(true)))]
pub(super) struct Args {
    /// Name of the package
    name: PackageName,

    #[command(flatten)]
    layer: Layer,

    /// Read options from this file, whether --file is given or not [default: kube-codegen.toml, without --file]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Licence to put into a new Cargo.toml
    #[arg(long, value_name = "SPDX", default_value = "Apache-2.0")]
    license: String,

    /// Directory with the crates of kube-codegen to depend on
    /// [default: the checkout this tool was built from if it is still there, else the registry]
    #[arg(long, value_name = "PATH")]
    runtime_path: Option<PathBuf>,

    /// Write nothing; show what differs, and exit with 1 if anything does
    #[arg(long, conflicts_with_all = ["dry_run", "force"])]
    check: bool,

    /// Write nothing; show what would be written and removed
    #[arg(long)]
    dry_run: bool,

    /// Replace files in src that kube-codegen did not write
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), Failure> {
    let settings = settings(args)?;
    let output = generate(&settings, console)?;
    let target = &settings.output;
    let library = library(args, &settings, &output).map_err(Failure::Usage)?;
    let told = |error: write::Error| Failure::Usage(error.to_string());
    // These texts are those that are there, but for the marked lines.
    let own = write::plan_once(target, &library.own, true).map_err(told)?;
    let source = target.join(scaffold::SOURCE);
    let source = write::plan(&source, &library.source, args.force).map_err(told)?;
    for note in &library.notes {
        console.object(&json!({ "type": "note", "message": note }));
        console.line(&format!("note: {note}"));
    }
    if args.check {
        return drift::check(&[&own, &source], "crate", console);
    }
    if args.dry_run {
        drift::announce(&[&own, &source], console);
    } else {
        own.apply().map_err(told)?;
        source.apply().map_err(told)?;
    }
    summary(args, &own, &source, &library, console);
    Ok(())
}

/// As for `generate`, but into the crate, and with a feature for each group and version.
fn settings(args: &Args) -> Result<Settings, Failure> {
    let mut layer = generate::layer(args.layer.clone(), args.config.as_deref())?;
    layer
        .output
        .get_or_insert_with(|| PathBuf::from(args.name.as_str()));
    layer.feature_gates = Some(true);
    generate::settings(layer)
}

fn library(args: &Args, settings: &Settings, output: &pipeline::Output) -> Result<Library, String> {
    let target = &settings.output;
    scaffold::library(&LibraryRequest {
        name: &args.name,
        model: &output.model,
        generated: &output.files,
        kubernetes: settings.options.kubernetes,
        runtime: &Runtime::find(target, args.runtime_path.as_deref())?,
        membership: Membership::of(target),
        license: &args.license,
        command: &command(args),
        existing: &|path| read(&target.join(path)),
    })
    .map_err(|error| {
        format!(
            "{error}\nnothing was written; the crate is in `{}`",
            target.display()
        )
    })
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
    }
}

/// The command line, for a shell: all that decides what the crate holds.
fn command(args: &Args) -> String {
    let mut words = vec!["kube-codegen crate".to_owned(), args.name.to_string()];
    let mut flag = |name: &str, value: &Value| {
        let name = match name {
            "file" => "-f".to_owned(),
            "output" => "-o".to_owned(),
            long => format!("--{long}"),
        };
        let text = match value {
            Value::Boolean(said) => {
                words.push(format!("{name}={said}"));
                return;
            }
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        // No command line holds a zero byte.
        words.extend(shlex::try_quote(&text).map(|text| format!("{name} {text}")));
    };
    if let Some(path) = &args.config {
        flag("config", &Value::from(path.display().to_string()));
    }
    // A path that is no text, or a value that no config file could hold, is not told.
    for (name, value) in Table::try_from(&args.layer).unwrap_or_default() {
        match value {
            Value::Array(values) => values.iter().for_each(|value| flag(&name, value)),
            value => flag(&name, &value),
        }
    }
    words.join(" ")
}

fn summary(args: &Args, own: &Plan, source: &Plan, library: &Library, console: &mut Console) {
    let changes = || own.changes().iter().chain(source.changes());
    let removed = changes()
        .filter(|change| change.action == Action::Remove)
        .count();
    let written = changes().count() - removed;
    let unchanged = own.unchanged() + source.unchanged();
    let root = own.root().display().to_string();
    console.object(&json!({
        "type": "summary",
        "outcome": if args.dry_run { "dry-run" } else { "created" },
        "name": args.name.as_str(),
        "path": root,
        "features": library.features,
        "written": written,
        "unchanged": unchanged,
        "removed": removed,
    }));
    let (done, gone) = if args.dry_run {
        ("to write", "to remove")
    } else {
        ("written", "removed")
    };
    let removed = match removed {
        0 => String::new(),
        _ => format!(", {removed} {gone}"),
    };
    console.line(&format!(
        "{} in {root}: {}; {} {done}, {unchanged} unchanged{removed}",
        args.name,
        count(library.features, "feature"),
        count(written, "file"),
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn told(given: &[&str]) -> String {
        let words = [&["", "kinds"], given].concat();
        command(&<Cli as clap::Parser>::try_parse_from(words).unwrap().args)
    }

    #[test]
    fn all_options_are_in_the_command() {
        let expected = "kube-codegen crate kinds --emit types --emit client -f 'crds/*.yaml' --no-dedup=true -o out \
                        --override '{ path = \"K.spec.a\", skip = true }'";
        let given = [
            "-fcrds/*.yaml",
            "--emit=types,client",
            "--no-dedup",
            "-oout",
            "--override={ path = 'K.spec.a', skip = true }",
        ];
        assert_eq!(told(&given), expected);
    }

    #[test]
    fn a_shell_reads_the_command_as_it_was_given() {
        for file in ["crds/a-b_c.yaml", "a b", "$(rm) 'x'", "`x`!", "\"\\\n"] {
            let told = told(&["-f", file]);
            assert_eq!(shlex::split(&told).unwrap()[2..], ["kinds", "-f", file]);
        }
    }
}
