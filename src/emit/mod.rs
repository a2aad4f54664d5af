//! Makes the generated files from the frozen model, one emitter per kind of output.
mod client;
mod columns;
mod informer;
mod lister;
mod modules;
mod parts;
mod resource;
mod types;

use crate::diag::{Code, Diagnostics, Place, nearest};
use crate::ir::Model;
use crate::options::Options;
use proc_macro2::TokenStream;
use std::collections::BTreeSet;

/// All emitters, in the order they run: each is one module of this folder and one line here.
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
    /// The contents.
    pub contents: Contents<'m>,
    /// How the module of its folder shows it.
    pub exports: Exports,
}

/// What a file holds. It is made when the file is rendered, so that files are made in parallel and none takes memory
/// before its turn.
pub enum Contents<'m> {
    /// Rust code, to be formatted.
    Rust(Make<'m, TokenStream>),
    /// Rust code with a layout of its own.
    Table(Make<'m, String>),
    /// Text of another format.
    Text(Make<'m, String>),
}

/// Makes what a file holds; the same each time.
pub type Make<'m, T> = Box<dyn Fn() -> T + Send + Sync + 'm>;

impl<'m> Contents<'m> {
    fn rust(make: impl Fn() -> TokenStream + Send + Sync + 'm) -> Self {
        Self::Rust(Box::new(make))
    }
}

/// How the module of the folder shows a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exports {
    /// Not at all: the file is not a module.
    NoModule,
    /// As a public module.
    Module,
    /// As a private module, which has impls only.
    Nothing,
    /// As a private module whose public items are re-exported.
    All,
    /// As a private module of which these names are re-exported.
    Names(Vec<String>),
}

/// Makes one kind of output from the model.
pub trait Emitter: Sync {
    /// Returns its name in `--emit`.
    fn name(&self) -> &'static str;

    /// Describes its output in one phrase.
    fn about(&self) -> &'static str;

    /// Returns the emitters whose output this one uses: they run with it.
    fn needs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the files.
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
    let modules = modules::declare(model, &files, options);
    files.extend(modules);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Returns the names of the emitters to run, and reports unknown ones.
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
