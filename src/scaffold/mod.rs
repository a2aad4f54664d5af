//! A model and a name come in, the files of a crate go out: those a person owns from then on; nothing is written here.
mod block;
mod context;
mod library;
mod name;
mod runtime;
mod templates;
mod versions;
mod workspace;
mod yaml;

pub use library::{Library, LibraryRequest, SOURCE, library};
pub use name::PackageName;
pub use runtime::Runtime;
pub use workspace::Membership;

use crate::ir::Model;
use crate::options::Kubernetes;
use crate::render::File;
use minijinja::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// What a crate is made from.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Its name.
    pub name: &'a PackageName,
    /// The kinds it is to control.
    pub model: &'a Model,
    /// The oldest Kubernetes that it is to serve.
    pub kubernetes: Kubernetes,
    /// Where its runtime library comes from.
    pub runtime: &'a Runtime,
    /// What the directory above says of a new package.
    pub membership: Membership,
    /// A directory of templates that replace built-in ones of the same name.
    pub templates: Option<&'a Path>,
}

/// Directory of the generated modules in the crate.
pub const GENERATED: &str = "src/generated";

/// The file of the crate that holds the definitions.
pub const DEFINITIONS: &str = "deploy/crd.yaml";

/// The files of the crate but for what is generated.
///
/// # Errors
/// What is wrong with a template, or why the model gives no crate.
pub fn scaffold(request: &Request<'_>) -> Result<Vec<File>, String> {
    let context = context::of(request)?;
    let templates = templates::Templates::new(templates::OPERATOR, request.templates)?;
    let mut files = vec![File {
        path: DEFINITIONS.to_owned(),
        text: definitions(request.model),
    }];
    for template in templates::OPERATOR {
        let contexts: Vec<(&str, Value)> = if template.per_kind {
            let kinds = context.kinds.iter();
            kinds
                .map(|kind| (kind.controller.as_str(), context.with(kind)))
                .collect()
        } else {
            vec![("", context.whole())]
        };
        for (controller, context) in contexts {
            files.push(File {
                path: template.path.replace("KIND", controller),
                text: templates.render(template, context)?,
            });
        }
    }
    Ok(files)
}

/// The definitions of all kinds, each once, in the order of the model.
fn definitions(model: &Model) -> String {
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    for kind in &model.kinds {
        if seen.insert((&kind.group, &kind.plural)) {
            if !text.is_empty() {
                text.push_str("---\n");
            }
            text.push_str(&yaml::document(&kind.definition()));
        }
    }
    text
}
