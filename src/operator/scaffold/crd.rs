//! The CRDs of an operator: one to start from, and those of its kinds.
use std::collections::{BTreeMap, BTreeSet};

use minijinja::Value;

use super::templates::{self, Templates};
use crate::{
    base::{diag::Diagnostics, source::Source},
    input,
    model::ir::Model,
    output::yaml,
};

/// The names in a CRD.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrdNames<'a> {
    /// The API group.
    pub(crate) group: &'a str,
    /// The version.
    pub(crate) version: &'a str,
    /// The kind.
    pub(crate) kind: &'a str,
    /// The plural.
    pub(crate) plural: &'a str,
    /// Whether the objects are not in namespaces.
    pub(crate) cluster: bool,
}

/// Returns the CRD as YAML with comments.
///
/// # Errors
/// If a name cannot be part of YAML.
pub(crate) fn crd_skeleton(names: &CrdNames<'_>) -> Result<String, String> {
    let templates = Templates::new(templates::CRD, None)?;
    let singular = names.kind.to_ascii_lowercase();
    let mut variables = BTreeMap::from([("cluster", Value::from(names.cluster))]);
    for (name, value) in [
        ("group", names.group),
        ("version", names.version),
        ("kind", names.kind),
        ("plural", names.plural),
        ("singular", &singular),
    ] {
        variables.insert(name, Value::from(value));
    }
    let mut text = String::new();
    for template in templates::CRD {
        let file = templates.render(template, template.path.to_owned(), &variables)?;
        text.push_str(&file.text);
    }
    Ok(text)
}

/// Returns the regular English plural. The user sees it in the CRD, which is where all other commands take it from.
pub(crate) fn plural(kind: &str) -> String {
    let word = kind.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    if ends(&["s", "x", "z", "ch", "sh"]) {
        return word + "es";
    }
    match word.strip_suffix('y') {
        Some(stem) if !ends(&["ay", "ey", "iy", "oy", "uy"]) => format!("{stem}ies"),
        _ => word + "s",
    }
}

/// Returns the CRDs of all kinds as YAML documents, in the order of the model, by their names.
pub(crate) fn definitions(model: &Model) -> Vec<(String, String)> {
    let values = definition_values(model).into_iter();
    values
        .map(|(name, value)| (name, yaml::document(&value)))
        .collect()
}

/// The text of the sources, with its comments, if they have exactly the CRDs of these names, each once and in YAML.
pub(crate) fn as_written(sources: &[Source], names: &[&str]) -> Option<String> {
    let mut missing: BTreeSet<&str> = names.iter().copied().collect();
    let mut texts = Vec::new();
    for source in sources {
        let mut diagnostics = Diagnostics::new();
        let documents = input::yaml::documents(source, &mut diagnostics);
        if diagnostics.has_errors() || source.text.trim_start().starts_with('{') {
            return None;
        }
        for document in documents {
            let is_crd = document["kind"] == "CustomResourceDefinition"
                && document["apiVersion"] == "apiextensions.k8s.io/v1";
            let name = document["metadata"]["name"].as_str()?;
            if !is_crd || !missing.remove(name) {
                return None;
            }
        }
        texts.push(source.text.as_str());
    }
    missing.is_empty().then(|| joined(texts))
}

/// Texts of YAML as one text of several documents.
pub(crate) fn joined<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            if !all.ends_with('\n') {
                all.push('\n');
            }
            if !text.starts_with("---") {
                all.push_str("---\n");
            }
        }
        all.push_str(text);
    }
    all
}

/// Returns the CRDs of all kinds by their names, in the order of the model.
fn definition_values(model: &Model) -> Vec<(String, serde_json::Value)> {
    let mut seen = BTreeSet::new();
    let kinds = model.kinds.iter();
    kinds
        .filter(|kind| seen.insert((&kind.group, &kind.plural)))
        .map(|kind| (kind.crd_name(), kind.definition()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::{options::Options, source::Source},
        pipeline,
    };

    #[test]
    fn plurals_are_regular() {
        for (kind, expected) in [
            ("Website", "websites"),
            ("Proxy", "proxies"),
            ("Key", "keys"),
            ("Mailbox", "mailboxes"),
            ("Switch", "switches"),
        ] {
            assert_eq!(plural(kind), expected);
        }
    }

    #[test]
    fn the_skeleton_is_a_crd_without_diagnostics() {
        for cluster in [false, true] {
            let names = CrdNames {
                group: "apps.example.com",
                version: "v1alpha1",
                kind: "Website",
                plural: "websites",
                cluster,
            };
            let source = Source::new("crd.yaml", crd_skeleton(&names).unwrap());
            let output = pipeline::run(&[source], &Options::default());
            let diagnostics: Vec<_> = output.diagnostics.iter().collect();
            assert!(diagnostics.is_empty(), "{diagnostics:?}");
            assert_eq!(output.model.kinds.len(), 1);
        }
    }
}
