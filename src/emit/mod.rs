//! The frozen model comes in, files go out; an emitter never changes the model and touches no disk.
use crate::diag::Diagnostics;
use crate::ir::Model;
use crate::options::Options;
use proc_macro2::TokenStream;

/// A file to be written, relative to the output directory.
#[derive(Clone, Debug)]
pub struct OutFile {
    /// Path with `/`, below the output directory.
    pub path: String,
    /// What it holds.
    pub contents: Contents,
}

/// What a file holds, before it is rendered.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Rust code, to be formatted.
    Rust(TokenStream),
    /// Text as it is.
    Text(String),
}

/// Makes one kind of output from the model.
pub trait Emitter: Sync {
    /// Its name in `--emit`.
    fn name(&self) -> &'static str;

    /// What it writes, in one sentence.
    fn about(&self) -> &'static str;

    /// The files.
    fn emit(&self, model: &Model, options: &Options) -> Vec<OutFile>;
}

/// Runs the chosen emitters.
pub fn emit(model: &Model, options: &Options, diagnostics: &mut Diagnostics) -> Vec<OutFile> {
    let _ = (model, options, diagnostics);
    Vec::new()
}
