//! A model and its generated modules come in, the files of a crate of types and clients go out; nothing is written here.
mod contents;
mod manifest;

use super::block::{self, Marks};
use super::templates::{self, Templates};
use super::{Membership, PackageName, Runtime, versions};
use crate::diag::Diagnostics;
use crate::emit::{Contents, Exports, OutFile};
use crate::ir::Model;
use crate::options::Kubernetes;
use crate::render::{self, File};
use minijinja::Value;
use std::collections::BTreeMap;

/// What a crate of types and clients is made from.
#[derive(Clone, Copy)]
pub struct LibraryRequest<'a> {
    /// Its name.
    pub name: &'a PackageName,
    /// Its kinds.
    pub model: &'a Model,
    /// The modules that were generated from the model, with feature gates.
    pub generated: &'a [File],
    /// The oldest Kubernetes that the modules were generated for.
    pub kubernetes: Kubernetes,
    /// Where its runtime library comes from.
    pub runtime: &'a Runtime,
    /// What the directory above says of a new package.
    pub membership: Membership,
    /// Its licence, as SPDX has it.
    pub license: &'a str,
    /// The command line that makes it, for its README.
    pub command: &'a str,
    /// The text of a file of the crate as it is now.
    pub existing: &'a dyn Fn(&str) -> Result<Option<String>, String>,
}

/// A crate of types and clients.
#[derive(Debug)]
pub struct Library {
    /// What is a person's, as it is, but for the lines that follow the kinds; relative to the crate.
    pub own: Vec<File>,
    /// What is the tool's; relative to [`SOURCE`].
    pub source: Vec<File>,
    /// How many features it has: one per group and version.
    pub features: usize,
    /// What a person is to know of it.
    pub notes: Vec<String>,
}

/// Directory of the tool's own files in the crate.
pub const SOURCE: &str = "src";

/// The files of the crate.
///
/// # Errors
/// Why the model gives no crate, or what a person has to change in a file first.
pub fn library(request: &LibraryRequest<'_>) -> Result<Library, String> {
    if request.model.modules.is_empty() {
        return Err("the input defines no kind that is served".to_owned());
    }
    let templates = Templates::new(templates::LIBRARY, None)?;
    let context = context(request)?;
    let mut notes = Vec::new();
    let mut own = Vec::new();
    for template in templates::LIBRARY {
        let text = match (request.existing)(template.path)? {
            Some(text) => text,
            None => templates.render(template, context.clone())?,
        };
        let text = match template.path {
            manifest::PATH => {
                let (text, remarks) = manifest::bring_up_to_date(&text, request)?;
                notes.extend(remarks);
                text
            }
            // A person who takes the marks out of the README wants it to be all theirs.
            README => fill(block::MARKDOWN, text, &contents::readme(request)),
            _ => text,
        };
        own.push(File {
            path: template.path.to_owned(),
            text,
        });
    }
    Ok(Library {
        own,
        source: source(request)?,
        features: request.model.modules.len(),
        notes,
    })
}

const README: &str = "README.md";

fn fill(marks: Marks, text: String, block: &str) -> String {
    marks.fill(&text, block).unwrap_or(text)
}

/// The generated modules, whose root is that of a crate.
fn source(request: &LibraryRequest<'_>) -> Result<Vec<File>, String> {
    const ROOT: &str = "mod.rs";
    let mut files = Vec::with_capacity(request.generated.len());
    let mut diagnostics = Diagnostics::new();
    for file in request.generated {
        if file.path != ROOT {
            files.push(file.clone());
            continue;
        }
        let modules = file.text.trim_start_matches(render::HEADER).trim_start();
        let docs = contents::docs(request);
        let root = OutFile {
            path: "lib.rs".to_owned(),
            contents: Contents::Table(Box::new(move || {
                format!("{docs}#![cfg_attr(docsrs, feature(doc_cfg))]\n\n{modules}")
            })),
            exports: Exports::NoModule,
        };
        files.extend(render::render(vec![root], &mut diagnostics));
    }
    match diagnostics.iter().next() {
        None => Ok(files),
        Some(finding) => Err(finding.message.clone()),
    }
}

/// What the templates see.
fn context(request: &LibraryRequest<'_>) -> Result<Value, String> {
    Ok(Value::from(BTreeMap::from([
        ("name", Value::from(request.name.as_str())),
        ("crate", Value::from(request.name.ident())),
        // Words, dots and commas: no language takes them for anything else.
        (
            "about",
            Value::from_safe_string(contents::about(request.model)),
        ),
        ("license", Value::from(request.license)),
        ("command", Value::from_safe_string(shown(request.command))),
        ("crates_path", Value::from(request.runtime.path()?)),
        ("versions", versions::values(request.kubernetes)),
        (
            "own_workspace",
            Value::from(request.membership == Membership::Stranger),
        ),
    ])))
}

/// A command line as one line, whatever is in it.
fn shown(command: &str) -> String {
    command
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
