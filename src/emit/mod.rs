//! The frozen model comes in, files go out; an emitter never changes the model and touches no disk.
mod client;
mod columns;
mod informer;
mod lister;
mod parts;
mod resource;
mod types;

use crate::diag::{Code, Diagnostics, Place, nearest};
use crate::ir::Model;
use crate::options::Options;
use std::collections::BTreeSet;

/// All emitters, in the order they run: each is one file of this folder and one line here.
pub const ALL: &[&dyn Emitter] = &[
    &types::Emit,
    &resource::Emit,
    &client::Emit,
    &lister::Emit,
    &informer::Emit,
    &columns::Emit,
];

/// A file to be written, relative to the output directory.
pub struct OutFile<'m> {
    /// Path with `/`, below the output directory.
    pub path: String,
    /// What it holds.
    pub contents: Contents<'m>,
    /// What the module above it shows of it.
    pub exports: Exports,
}

/// What a file holds: made from the model only when the file is rendered, so that files are made side by side and none
/// takes memory before its turn.
pub enum Contents<'m> {
    /// Rust code, laid out as rustfmt leaves it.
    Rust(Make<'m>),
    /// Text of any other kind.
    Text(Make<'m>),
}

/// Makes what a file holds; the same each time.
pub type Make<'m> = Box<dyn Fn() -> String + Send + Sync + 'm>;

/// What the module above a file shows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exports {
    /// It is no module.
    NoModule,
    /// A module of its own, for everybody.
    Module,
    /// Nothing: it has impls only.
    Nothing,
    /// All that is public in it.
    All,
    /// These names.
    Names(Vec<String>),
}

/// Makes one kind of output from the model.
pub trait Emitter: Sync {
    /// Its name in `--emit`.
    fn name(&self) -> &'static str;

    /// What it writes, in one sentence.
    fn about(&self) -> &'static str;

    /// The emitters whose output this one's leans on: they run with it.
    fn needs(&self) -> &'static [&'static str] {
        &[]
    }

    /// The files.
    fn emit<'m>(&self, model: &'m Model, options: &'m Options) -> Vec<OutFile<'m>>;
}

/// Runs the chosen emitters and those they need, and declares the modules of what they wrote.
pub fn emit<'m>(
    model: &'m Model,
    options: &'m Options,
    diagnostics: &mut Diagnostics,
) -> Vec<OutFile<'m>> {
    let chosen = choose(options, diagnostics);
    let mut files: Vec<OutFile<'_>> = ALL
        .iter()
        .filter(|emitter| chosen.contains(emitter.name()))
        .flat_map(|emitter| emitter.emit(model, options))
        .collect();
    let modules = parts::modules::declare(model, &files, options);
    files.extend(modules);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The names of the emitters to run; an unknown one is told.
fn choose(options: &Options, diagnostics: &mut Diagnostics) -> BTreeSet<&'static str> {
    let mut chosen = BTreeSet::new();
    let mut todo = Vec::new();
    if options.emit.is_empty() {
        todo.extend(ALL.iter().map(|emitter| emitter.name()));
    }
    for name in &options.emit {
        if let Some(emitter) = ALL.iter().find(|emitter| emitter.name() == name) {
            todo.push(emitter.name());
            continue;
        }
        let names = ALL.iter().map(|emitter| emitter.name());
        let near = nearest(name, names.clone());
        let hint = if near.is_empty() {
            format!("there are {}", names.collect::<Vec<_>>().join(", "))
        } else {
            format!("did you mean `{}`?", near.join("` or `"))
        };
        diagnostics
            .report(
                Code::UnknownEmitter,
                Place::nowhere(),
                format!("there is no emitter `{name}`"),
            )
            .hint(hint);
    }
    while let Some(name) = todo.pop() {
        if chosen.insert(name)
            && let Some(emitter) = ALL.iter().find(|emitter| emitter.name() == name)
        {
            todo.extend(emitter.needs());
        }
    }
    chosen
}

#[cfg(test)]
mod tests;
