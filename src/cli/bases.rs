//! Finds the text that a file was scaffolded with, of which the record has the hash alone.
//!
//! A merge of an edited file needs this text, and nothing in the crate keeps a copy. Two places can have it:
//!
//! 1. The templates. They are rendered with the recorded parameters and the CRDs that the modules were generated from, which are among the
//!    modules. This finds the text if only the kinds, features or parameters of the operator have changed.
//! 2. Git, if the file was committed as it was scaffolded. This finds the text if the templates have changed.
//!
//! The hash tells whether a text is the wanted one. If neither has it, the file cannot be merged, and the caller says so.
use std::{
    cell::OnceCell,
    path::Path,
    process::{Command, Stdio},
};

use super::renames::Renames;
use crate::{
    base::options::Options,
    model::ir::Model,
    operator::scaffold::{self, Operator, Parameters, Recorded},
    output::render::File,
    pipeline::{self, Output},
    run,
};

/// The number of versions of a file that are read from git.
const MAX_VERSIONS: &str = "--max-count=100";

/// Where to look.
pub(super) struct Bases<'a> {
    /// The crate.
    pub(super) directory: &'a Path,
    /// Its generated modules, before they are updated.
    pub(super) modules: &'a Path,
    /// What the crate was scaffolded from.
    pub(super) parameters: &'a Parameters,
    /// The options of the generator.
    pub(super) options: &'a Options,
    /// The kinds of today.
    pub(super) model: &'a Model,
    /// The CRDs that had other names.
    pub(super) renames: &'a Renames,
    /// The directory of the user's templates.
    pub(super) templates: Option<&'a Path>,
    /// All files, once they are needed.
    pub(super) rendered: OnceCell<Vec<File>>,
}

impl Bases<'_> {
    /// The text that a file was scaffolded with.
    pub(super) fn find(&self, path: &str, recorded: &Recorded) -> Option<String> {
        let rendered = || {
            let files = self.rendered.get_or_init(|| self.render());
            let file = files.iter().find(|file| file.path == path)?;
            recorded.is(&file.text).then(|| file.text.to_string())
        };
        let text = recorded.text().or_else(rendered);
        text.or_else(|| committed(self.directory, path, recorded))
    }

    /// Renders all files as they were, as far as today's templates can; none if the CRDs do not fit the record.
    fn render(&self) -> Vec<File> {
        let mut before = run::last_definitions(self.modules, &Output::default());
        // In the order of the inputs, which the modules do not have.
        let today = scaffold::definitions(self.model);
        before.sort_by_key(|(name, _)| {
            let mut renamed = self.renames.crds();
            let name = renamed
                .find(|(old, _)| old == name)
                .map_or(name.as_str(), |(_, new)| new);
            let position = today.iter().position(|(other, _)| other == name);
            position.unwrap_or(today.len())
        });
        let sources: Vec<_> = before.into_iter().map(|(_, source)| source).collect();
        let output = pipeline::run(&sources, self.options);
        let operator = Operator {
            parameters: self.parameters,
            model: &output.model,
            generated: &output.files,
        };
        let rendered = operator.render(self.templates);
        rendered.map_or_else(|_| Vec::new(), |it| it.files)
    }
}

/// The version of a file in the history of the repository, if there is one, that is the recorded text.
fn committed(directory: &Path, path: &str, recorded: &Recorded) -> Option<String> {
    let arguments = [
        "log",
        MAX_VERSIONS,
        "--format=",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "-m",
        "--",
        path,
    ];
    let history = git(directory, &arguments)?;
    // :100644 100644 BEFORE AFTER M	PATH
    let versions = history.lines().filter_map(|line| line.split(' ').nth(3));
    let mut texts = versions.filter_map(|version| git(directory, &["cat-file", "blob", version]));
    let text = texts.find(|text| recorded.is(text))?;
    Some(text.replace("\r\n", "\n"))
}

fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    let command = command.args(arguments).current_dir(directory);
    let output = command.stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}
