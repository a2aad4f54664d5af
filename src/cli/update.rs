//! `kube-codegen update` and `kube-codegen add`: bring a scaffolded crate to the newest templates and kinds by a three-way merge.
use std::{
    cell::OnceCell,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    CommandError,
    bases::Bases,
    changes::{ChangeArgs, Totals, list_written},
    config,
    console::Console,
    count,
    generate::{finish, generate},
    lock,
    renames::{Leftovers, Renames},
    steps::Steps,
};
use crate::{
    base::options::Options,
    model::ir::Model,
    operator::scaffold::{
        self, Baseline, Location, Merged, Operator, Parameters, Recorded, RuntimeArgs,
    },
    output::{
        render::File,
        write::{self, Root},
    },
    run::Run,
};

/// Update an operator to the newest templates and to its CRDs
///
/// Regenerates src/generated, and merges what has changed in the templates into your files. Your lines stay, and files that you deleted
/// stay deleted. If you and a template changed the same lines, both versions appear between conflict markers, and the exit code is 1.
///
/// If a CRD has new names, your controllers keep their files. The lines that still have an old name are listed, and the exit code is 1.
///
/// To merge a file that you edited, the command needs the text that was scaffolded last. It renders that text again, or reads it from git
/// if you committed it. If neither matches the hash in .kube-codegen/scaffold.json, your file stays, FILE.new beside it gets the text of
/// the template, and the exit code is 1.
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
    let mut generator = Options::default();
    let run = if file.exists() {
        let settings = config::read(&file)?.settings()?;
        let run = generate(&settings, modules.path(), console)?;
        let generated = run.plan(&modules, &run.output.files, false)?;
        generator = settings.options;
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
        modules: modules.path(),
        options: &generator,
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
    /// The directory of the generated modules.
    pub(super) modules: &'a Path,
    /// The options of the generator.
    pub(super) options: &'a Options,
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
        let renames = match run {
            // Without some of the input, a kind that is missing is not gone.
            Some(run) if !run.is_partial() => Renames::find(self.modules, self.options, model),
            _ => Renames::default(),
        };
        let mut parameters = self.parameters.clone();
        renames.carry(&mut parameters);
        let operator = Operator {
            parameters: &parameters,
            model,
            generated: run.map_or(&[], |run| &run.output.files),
        };
        let templates = self.parameters.templates.as_ref();
        let templates = templates.map(|path| self.directory.join(path));
        let rendered = operator.render(templates.as_deref())?;
        let existing = |path: &str| read(&self.directory.join(path));
        let bases = Bases {
            directory: self.directory,
            modules: self.modules,
            parameters: &self.baseline.parameters,
            options: self.options,
            model,
            renames: &renames,
            templates: templates.as_deref(),
            rendered: OnceCell::new(),
        };
        let base = |path: &str, recorded: &Recorded| bases.find(path, recorded);
        let merged = scaffold::merge(self.baseline, &rendered.files, existing, base)?;

        let (mut files, removed, mut left) = sorted(merged);
        files.extend(self.definitions.iter().cloned());
        // A file that the user had before is not recorded, and so never merged, unless it is the scaffolded one.
        let is_scaffolded = |file: &&File| {
            let present = || read(&self.directory.join(&file.path)).ok().flatten();
            self.baseline.file(&file.path).is_some()
                || present().is_none_or(|text| text == *file.text)
        };
        let before = &self.baseline.parameters.features;
        let new = self.parameters.features.difference(before);
        let new: Vec<&str> = new.flat_map(|it| scaffold::files_of(*it)).collect();
        let own = rendered.files.iter().filter(|it| !is_scaffolded(it));
        let own = own.filter(|it| new.contains(&it.path.as_str()));
        left.kept = own.map(|it| it.path.clone()).collect();
        let steps = Steps {
            command,
            directory: self.directory,
            before: &self.baseline.parameters,
            controllers: rendered.parameters.controllers.clone(),
            parameters: &parameters,
        };
        let recorded = rendered.files.iter().filter(is_scaffolded);
        let baseline = Baseline::new(rendered.parameters, recorded);
        if baseline != *self.baseline {
            files.push(baseline.to_file()?);
        }
        left.leftovers = renames.leftovers(self.directory, self.modules, &files, &removed);
        let own = write::plan_update(self.directory, &files, &removed)?;
        let generated = self.run.as_ref().map(|(_, plan)| plan);
        let mut plans = vec![&own];
        plans.extend(generated);
        renames.print(console);
        if let Some(totals) = changes.process(&plans, command, console)? {
            if !changes.dry_run {
                list_written(&own, generated, console);
            }
            let next =
                (totals.has_changed() && !changes.dry_run && left.is_done()).then(|| steps.text());
            summary(
                command,
                &left,
                &renames,
                totals,
                next,
                changes.dry_run,
                console,
            );
        }
        if let Some(run) = run {
            finish(run, console)?;
        }
        if changes.dry_run {
            return Ok(());
        }
        left.report(console)
    }
}

/// Returns the files to write, those to remove, and what is left to the user.
fn sorted(merged: Vec<(String, Merged)>) -> (Vec<File>, Vec<String>, Left) {
    let (mut files, mut removed) = (Vec::new(), Vec::new());
    let mut left = Left::default();
    for (path, merged) in merged {
        let (path, text) = match merged {
            Merged::Kept => continue,
            Merged::Removed => {
                removed.push(path);
                continue;
            }
            Merged::Clean(text) => (path, text),
            Merged::Conflict(text) => {
                left.conflicts.push(path.clone());
                (path, text)
            }
            Merged::Beside(text) => {
                let beside = scaffold::beside(&path);
                left.beside.push(path);
                (beside, text)
            }
        };
        let text = text.into();
        files.push(File { path, text });
    }
    (files, removed, left)
}

/// The files that are left to the user.
#[derive(Default)]
struct Left {
    /// Those with conflict markers.
    conflicts: Vec<String>,
    /// Those whose new text is in a file beside.
    beside: Vec<String>,
    /// Those that the user had before a feature would have added them. They need nothing.
    kept: Vec<String>,
    /// The lines with names that the CRDs no longer have.
    leftovers: Leftovers,
}

impl Left {
    fn is_done(&self) -> bool {
        self.is_merged() && self.leftovers.is_empty()
    }

    fn is_merged(&self) -> bool {
        self.conflicts.is_empty() && self.beside.is_empty()
    }

    /// # Errors
    /// If there are any.
    fn report(&self, console: &mut Console) -> Result<(), CommandError> {
        if !self.conflicts.is_empty() {
            let conflicts = count(self.conflicts.len(), "file");
            console.summary_error(&format!(
                "{conflicts} with conflicts: resolve the lines between `<<<<<<<` and `>>>>>>>`"
            ));
        }
        for path in &self.beside {
            let beside = scaffold::beside(path);
            console.summary_error(&format!(
                "cannot merge `{path}`: both you and its template changed it, and neither the templates nor git have the original text; copy what you \
                 need from `{beside}` to `{path}`, then delete `{beside}`"
            ));
        }
        self.leftovers.report(console)?;
        if self.is_merged() {
            return Ok(());
        }
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
    left: &Left,
    renames: &Renames,
    totals: Totals,
    next: Option<String>,
    dry_run: bool,
    console: &mut Console,
) {
    console.object(&json!({
        "type": "summary",
        "outcome": match (dry_run, left.is_done()) {
            (true, _) => "dry-run",
            (false, true) => "updated",
            (false, false) if left.is_merged() => "renamed",
            (false, false) => "conflicts",
        },
        "conflicts": left.conflicts,
        "unmerged": left.beside,
        "kept": left.kept,
        "written": totals.written,
        "removed": totals.removed,
        "renamed": renames.json(),
        "storageVersions": renames.stored_json(),
        "oldNames": left.leftovers.json(),
    }));
    for path in &left.kept {
        console.line(&format!("kept     {path}, which is yours"));
    }
    for path in &left.conflicts {
        console.line(&format!("conflict {path}"));
    }
    for path in &left.beside {
        console.line(&format!("unmerged {path}"));
    }
    let verb = match command {
        "add" => "added",
        _ => "updated",
    };
    let next = next.filter(|it| !it.is_empty());
    let next = next.map(|it| format!("; next: {it}")).unwrap_or_default();
    console.line(&format!("{verb}: {}{next}", totals.text()));
}
