//! Renders a crate of types and clients around generated modules.
mod docs;
mod features;

use minijinja::Value;

use super::{
    Package, marks, no_kind,
    templates::{self, Templates},
};
use crate::output::render::{File, HEADER};

/// What a crate of types and clients is made from.
#[derive(Clone, Copy)]
pub(crate) struct ClientCrateRequest<'a> {
    /// What every crate is made from.
    pub(crate) package: Package<'a>,
    /// The modules that were generated from the model, with feature gates.
    pub(crate) generated: &'a [File],
    /// Whether they have a clientset.
    pub(crate) has_clients: bool,
    /// The SPDX identifier of the license.
    pub(crate) license: &'a str,
    /// The command line that creates the crate, for its README.
    pub(crate) command: &'a str,
    /// Returns the current text of a file in the crate.
    pub(crate) existing: &'a dyn Fn(&str) -> Result<Option<String>, String>,
}

/// A crate of types and clients.
#[derive(Debug)]
pub(crate) struct ClientCrate {
    /// The files of the user, unchanged except between marks; relative to the crate.
    pub(crate) own: Vec<File>,
    /// The generated files; relative to [`SOURCE`].
    pub(crate) source: Vec<File>,
    /// The number of features, one per group and version.
    pub(crate) features: usize,
    /// Notes for the user.
    pub(crate) notes: Vec<String>,
}

/// The directory of the generated files in the crate.
pub(crate) const SOURCE: &str = "src";

const README: &str = "README.md";

/// Renders the files of the crate.
///
/// # Errors
/// If no kind is served, or the user has to change a file first.
pub(crate) fn client_crate(request: &ClientCrateRequest<'_>) -> Result<ClientCrate, String> {
    let package = &request.package;
    if package.model.modules.is_empty() {
        return Err(no_kind());
    }
    let templates = Templates::new(templates::CLIENT_CRATE, None)?;
    let mut variables = package.variables();
    variables.insert("license", Value::from(request.license));
    for (name, text) in [
        // Contains only words, dots and commas, which need no escaping in any language.
        ("about", docs::about(package.model)),
        (
            "command",
            request.command.replace(char::is_control, "\u{fffd}"),
        ),
    ] {
        variables.insert(name, Value::from_safe_string(text));
    }
    let mut notes = Vec::new();
    let mut own = Vec::new();
    for template in templates::CLIENT_CRATE {
        let mut file = match (request.existing)(template.path)? {
            Some(text) => File {
                path: template.path.to_owned(),
                text: text.into(),
            },
            None => templates.render(template, template.path.to_owned(), &variables)?,
        };
        if template.path == features::PATH {
            let (text, found) = features::update(&file.text, request)?;
            (file.text, notes) = (text.into(), found);
        } else if template.path == README
            && let Some(text) = marks::MARKDOWN.fill(&file.text, &docs::readme(request))
        {
            // Without marks, the whole README belongs to the user.
            file.text = text.into();
        }
        own.push(file);
    }
    Ok(ClientCrate {
        own,
        source: source(request)?,
        features: package.model.modules.len(),
        notes,
    })
}

/// Returns the generated modules; the root module becomes that of the crate.
fn source(request: &ClientCrateRequest<'_>) -> Result<Vec<File>, String> {
    let mut files = request.generated.to_vec();
    for file in &mut files {
        if file.path == "mod.rs" {
            let modules = file.text.trim_start_matches(HEADER).trim_start();
            let docs = docs::root(request);
            let text =
                format!("{HEADER}\n\n{docs}#![cfg_attr(docsrs, feature(doc_cfg))]\n\n{modules}");
            syn::parse_file(&text)
                .map_err(|error| format!("`lib.rs` is not valid Rust: {error}"))?;
            (file.path, file.text) = ("lib.rs".to_owned(), text.into());
        }
    }
    Ok(files)
}
