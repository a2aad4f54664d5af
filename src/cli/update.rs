//! `kube-codegen update` and `kube-codegen add`: bring a scaffolded crate to the newest templates and kinds by a three-way merge.
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    CommandError,
    changes::{ChangeArgs, Totals},
    config,
    console::Console,
    count,
    generate::{finish, generate},
    lock,
};
use crate::{
    model::ir::Model,
    operator::scaffold::{self, Baseline, Location, Merged, Operator, Parameters, RuntimeArgs},
    output::{
        render::File,
        write::{self, Root},
    },
    run::Run,
};

/// Bring an operator to the newest templates and to its CRDs
///
/// Generates its modules, and merges what the templates would scaffold today into your files, against what they scaffolded last
/// (.kube-codegen/scaffold.json). Your lines stay; files that you deleted stay deleted; where the template and you changed the same
/// lines, both are between conflict markers, and the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(mut_arg("runtime_path", |it| it.help("Directory of the kube-codegen runtime crates [default: unchanged]")))]
pub(super) struct Args {
    /// Directory of the crate
    #[arg(default_value = ".")]
    directory: PathBuf,

    #[command(flatten)]
    runtime: RuntimeArgs,

    /// Write nothing; show a diff and exit with code 1 if a file is not up to date
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,

    /// Write nothing; list the files that would be created, updated or removed
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: &Args, console: &mut Console) -> Result<(), CommandError> {
    let root = Root::new(&args.directory);
    let modules = root.within(&config::modules(&args.directory)?);
    let _lock = lock([&root, &modules], console)?;
    let baseline = Baseline::read(&args.directory)?;
    let mut parameters = baseline.parameters.clone();
    if args.runtime.is_given() {
        parameters.location = Location::of(&args.directory, &args.runtime)?;
    }
    let file = args.directory.join(config::FILE);
    let run = if file.exists() {
        let settings = config::read(&file)?.settings()?;
        let run = generate(&settings, modules.path(), console)?;
        let generated = run.plan(&modules, &run.output.files, false)?;
        Some((run, generated))
    } else {
        None
    };
    let changes = ChangeArgs {
        check: args.check,
        dry_run: args.dry_run,
        force: false,
    };
    let update = Update {
        directory: &args.directory,
        baseline: &baseline,
        parameters: &parameters,
        run,
        definitions: None,
    };
    update.process(&changes, "update", console)
}

/// New parameters or kinds of a crate.
pub(super) struct Update<'a> {
    pub(super) directory: &'a Path,
    pub(super) baseline: &'a Baseline,
    pub(super) parameters: &'a Parameters,
    /// The generated modules, if there are CRDs.
    pub(super) run: Option<(Run, write::Plan)>,
    /// The new text of the file with the CRDs.
    pub(super) definitions: Option<File>,
}

impl Update<'_> {
    /// Merges, and writes unless an option says otherwise.
    pub(super) fn process(
        self,
        changes: &ChangeArgs,
        command: &str,
        console: &mut Console,
    ) -> Result<(), CommandError> {
        let no_model = Model::default();
        let run = self.run.as_ref().map(|(run, _)| run);
        let model = run.map_or(&no_model, |run| &run.output.model);
        let operator = Operator {
            parameters: self.parameters,
            model,
            generated: run.map_or(&[], |run| &run.output.files),
        };
        let templates = self.parameters.templates.as_ref();
        let templates = templates.map(|path| self.directory.join(path));
        let rendered = operator.render(templates.as_deref())?;
        let existing = |path: &str| read(&self.directory.join(path));
        let merged = scaffold::merge(self.baseline, &rendered.files, existing)?;

        let (mut files, mut removed, mut conflicts) = (Vec::new(), Vec::new(), Vec::new());
        for (path, merged) in merged {
            let text = match merged {
                Merged::Kept => continue,
                Merged::Removed => {
                    removed.push(path);
                    continue;
                }
                Merged::Clean(text) => text,
                Merged::Conflict(text) => {
                    conflicts.push(path.clone());
                    text
                }
            };
            let text = text.into();
            files.push(File { path, text });
        }
        files.extend(self.definitions.iter().cloned());
        // A file that the user had before is not recorded, and so never merged.
        let is_scaffolded = |file: &&File| {
            self.baseline.text(&file.path).is_some() || !self.directory.join(&file.path).exists()
        };
        let recorded = rendered.files.iter().filter(is_scaffolded);
        let baseline = Baseline::new(rendered.parameters, recorded);
        if baseline != *self.baseline {
            files.push(baseline.to_file()?);
        }
        let own = write::plan_update(self.directory, &files, &removed)?;
        let mut plans = vec![&own];
        plans.extend(self.run.as_ref().map(|(_, plan)| plan));
        if let Some(totals) = changes.process(&plans, command, console)? {
            summary(command, &conflicts, totals, changes.dry_run, console);
        }
        if let Some(run) = run {
            finish(run, console)?;
        }
        if conflicts.is_empty() || changes.dry_run {
            return Ok(());
        }
        let conflicts = count(conflicts.len(), "file");
        console.summary_error(&format!(
            "{conflicts} with conflicts: resolve the lines between `<<<<<<<` and `>>>>>>>`"
        ));
        Err(CommandError::Reported)
    }
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
    }
}

fn summary(
    command: &str,
    conflicts: &[String],
    totals: Totals,
    dry_run: bool,
    console: &mut Console,
) {
    console.object(&json!({
        "type": "summary",
        "outcome": match (dry_run, conflicts.is_empty()) {
            (true, _) => "dry-run",
            (false, true) => "updated",
            (false, false) => "conflicts",
        },
        "conflicts": conflicts,
        "written": totals.written,
        "removed": totals.removed,
    }));
    for path in conflicts {
        console.line(&format!("conflict {path}"));
    }
    let verb = match command {
        "add" => "added",
        _ => "updated",
    };
    console.line(&format!("{verb}: {}", totals.text()));
}
