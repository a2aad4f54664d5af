//! `kube-codegen crate`: creates or updates a crate of types and clients.
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde_json::json;
use toml::{Table, Value};

use super::{
    CommandError,
    changes::{ChangeArgs, Totals},
    config::OptionArgs,
    console::Console,
    count, generate, lock,
};
use crate::{
    base::options::{Emitter, Settings},
    operator::scaffold::{
        self, ClientCrate, ClientCrateRequest, Location, Package, PackageName, RuntimeArgs,
    },
    output::write::{self, Root},
    pipeline,
};

/// Create or update a crate of types and clients, to publish or share
///
/// Each group and version has its own cargo feature. The command owns the files in src and the marked lines of Cargo.toml
/// and README.md, which list the features; everything else is yours.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output", |it| it.help("Directory of the crate [default: its name]")))]
#[command(mut_arg("feature_gates", |it| it.hide(true)))]
pub(super) struct Args {
    /// Name of the package
    name: PackageName,

    #[command(flatten)]
    options: OptionArgs,

    /// SPDX license of a new Cargo.toml
    #[arg(long, value_name = "SPDX", default_value = "Apache-2.0")]
    license: String,

    #[command(flatten)]
    runtime: RuntimeArgs,

    #[command(flatten)]
    changes: ChangeArgs,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let settings = settings(args, console)?;
    let target = &settings.output;
    let source = target.join(scaffold::SOURCE);
    let root = Root::new(target);
    let modules = root.within(&source);
    let _lock = lock([&root, &modules], console)?;
    let run = generate::generate(&settings, &source, console)?;
    let rendered = render(args, &settings, &run.output)?;
    // These files already contain the user's text; only the marked lines differ.
    let own = write::plan_once(&root, &rendered.own, true)?;
    let source = run.plan(&modules, &rendered.source, args.changes.force)?;
    for note in &rendered.notes {
        console.object(&json!({ "type": "note", "message": note }));
        console.line(&format!("note: {note}"));
    }
    if let Some(totals) = args.changes.process(&[&own, &source], "crate", console)? {
        summary(args, target, totals, rendered.features, console);
    }
    generate::finish(&run, console)
}

/// Reads the options. The output is the crate, and each group and version has a feature.
fn settings(args: &Args, console: &mut Console) -> Result<Settings, CommandError> {
    let mut options = args.options.read(console)?;
    let name = args.name.as_str();
    options.output.get_or_insert_with(|| PathBuf::from(name));
    options.feature_gates = Some(true);
    options.settings()
}

fn render(
    args: &Args,
    settings: &Settings,
    output: &pipeline::Output,
) -> Result<ClientCrate, String> {
    let target = &settings.output;
    let rendered = scaffold::client_crate(&ClientCrateRequest {
        package: Package {
            name: &args.name,
            model: &output.model,
            kubernetes: settings.options.kubernetes,
            location: &Location::of(target, &args.runtime)?,
        },
        generated: &output.files,
        has_clients: Emitter::with_needed(&settings.options.emit).contains(&Emitter::Client),
        license: &args.license,
        command: &command(args),
        existing: &|path| read(&target.join(path)),
    });
    rendered.map_err(|error| {
        let target = target.display();
        format!("{error}\nnothing was written to `{target}`")
    })
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
    }
}

/// Returns the command line that creates the crate, quoted for a shell.
fn command(args: &Args) -> String {
    let mut words = vec!["kube-codegen crate".to_owned(), args.name.to_string()];
    let mut flag = |name: &str, value: &Value| {
        let name = match name {
            "file" => "-f".to_owned(),
            "output" => "-o".to_owned(),
            long => format!("--{long}"),
        };
        let text = match value {
            Value::Boolean(value) => {
                words.push(format!("{name}={value}"));
                return;
            }
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        // Quoting fails only for a NUL byte, which an argument cannot contain.
        words.extend(shlex::try_quote(&text).map(|text| format!("{name} {text}")));
    };
    if let Some(path) = &args.options.config {
        flag("config", &Value::from(path.display().to_string()));
    }
    // Omits the flags if one of them is a path that is not UTF-8.
    for (name, value) in Table::try_from(&args.options.flags).unwrap_or_default() {
        match value {
            Value::Array(values) => values.iter().for_each(|value| flag(&name, value)),
            value => flag(&name, &value),
        }
    }
    words.join(" ")
}

fn summary(args: &Args, root: &Path, totals: Totals, features: usize, console: &mut Console) {
    let root = root.display().to_string();
    console.object(&json!({
        "type": "summary",
        "outcome": if args.changes.dry_run { "dry-run" } else { "created" },
        "name": args.name.as_str(),
        "path": root,
        "features": features,
        "written": totals.written,
        "unchanged": totals.unchanged,
        "removed": totals.removed,
    }));
    let (features, totals) = (count(features, "feature"), totals.text());
    console.line(&format!("{} in {root}: {features}; {totals}", args.name));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn command_for(given: &[&str]) -> String {
        let words = [&["", "kinds"], given].concat();
        command(&<Cli as clap::Parser>::try_parse_from(words).unwrap().args)
    }

    #[test]
    fn the_command_contains_all_options() {
        let expected = "kube-codegen crate kinds --dedup=false --emit types --emit client -f 'crds/*.yaml' -o out \
                        --override '{ path = \"K.spec.a\", skip = true }'";
        let given = [
            "-fcrds/*.yaml",
            "--emit=types,client",
            "--dedup=false",
            "-oout",
            "--override={ path = 'K.spec.a', skip = true }",
        ];
        assert_eq!(command_for(&given), expected);
    }

    #[test]
    fn a_shell_splits_the_command_into_the_given_words() {
        for file in ["crds/a-b_c.yaml", "a b", "$(rm) 'x'", "`x`!", "\"\\\n"] {
            let command = command_for(&["-f", file]);
            assert_eq!(shlex::split(&command).unwrap()[2..], ["kinds", "-f", file]);
        }
    }
}
