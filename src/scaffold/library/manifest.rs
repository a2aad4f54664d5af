//! The crate's Cargo.toml comes in, the same goes out with the features of the kinds; what does not fit them is told.
use super::super::{block, versions};
use super::LibraryRequest;
use crate::ir::Module;
use std::collections::BTreeSet;
use std::fmt::Write;
use toml::{Table, Value};

/// Where it is.
pub(super) const PATH: &str = "Cargo.toml";

/// The most features that crates.io takes.
const MOST: usize = 300;

/// The text with the features of all modules, and what a person is to know of it.
pub(super) fn bring_up_to_date(
    text: &str,
    request: &LibraryRequest<'_>,
) -> Result<(String, Vec<String>), String> {
    let features: Vec<String> = request.model.modules.iter().map(Module::feature).collect();
    let filled = block::TOML.fill(text, &declared(&features));
    let text = filled.unwrap_or_else(|| text.to_owned());
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("`{PATH}`: {}", error.message()))?;
    let name = table
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    if name != request.name.as_str() {
        return Err(format!(
            "`{PATH}` is that of the package `{}`, not of `{}`",
            name.escape_debug(),
            request.name
        ));
    }
    lacking(&table, &features)?;
    let mut notes = skewed(&table);
    if features.len() >= MOST {
        notes.push(format!(
            "the crate has {} features and crates.io takes {MOST}; make several crates of it to publish them there",
            features.len() + 1
        ));
    }
    Ok((text, notes))
}

/// The features, and one for all of them.
fn declared(features: &[String]) -> String {
    let mut text = String::from("full = [\n");
    for feature in features {
        _ = writeln!(text, "    \"{feature}\",");
    }
    text.push_str("]\n");
    for feature in features {
        _ = writeln!(text, "{feature} = []");
    }
    text
}

/// Features that the manifest does not declare: its marks are gone.
fn lacking(table: &Table, features: &[String]) -> Result<(), String> {
    let declared: BTreeSet<&str> = table
        .get("features")
        .and_then(Value::as_table)
        .map(|table| table.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let lacking: Vec<&str> = features
        .iter()
        .map(String::as_str)
        .filter(|feature| !declared.contains(feature))
        .collect();
    match lacking.first() {
        None => Ok(()),
        Some(first) => Err(format!(
            "`{PATH}` does not declare {} of {} features, as `{first}`, and has no place for them; put these lines below its \
             `[features]`, and they are kept up to date:\n# kube-codegen: begin\n# kube-codegen: end",
            lacking.len(),
            features.len()
        )),
    }
}

/// Dependencies of other versions than the generated code is made for.
fn skewed(table: &Table) -> Vec<String> {
    let asked = |name: &str| {
        let entry = table.get("dependencies")?.get(name)?;
        entry.as_str().or_else(|| entry.get("version")?.as_str())
    };
    [
        ("k8s-openapi", versions::K8S_OPENAPI),
        ("kube", versions::KUBE),
        ("kube-codegen-record", versions::RUNTIME),
        ("kube-codegen-runtime", versions::RUNTIME),
    ]
    .into_iter()
    .filter_map(|(name, made_for)| {
        let asked = asked(name).filter(|asked| *asked != made_for)?;
        Some(format!(
            "`{PATH}` asks for {name} {}, and the code is made for {made_for}",
            asked.escape_debug()
        ))
    })
    .collect()
}
