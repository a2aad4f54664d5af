//! Updates the features in the `Cargo.toml` of a crate of types and clients.
use std::{collections::BTreeSet, fmt::Write};

use toml::{Table, Value};

use super::{
    super::{dependencies, location, marks},
    ClientCrateRequest,
};
use crate::model::ir::Module;

/// The path of the manifest.
pub(super) const PATH: &str = "Cargo.toml";

/// The maximum number of features on crates.io.
const MAX_FEATURES: usize = 300;

/// Returns the manifest with the features of all modules, and notes for the user.
///
/// # Errors
/// If the manifest belongs to another package, or lacks features and the marks to add them.
pub(super) fn update(
    text: &str,
    request: &ClientCrateRequest<'_>,
) -> Result<(String, Vec<String>), String> {
    let features: Vec<String> = request
        .package
        .model
        .modules
        .iter()
        .map(Module::feature)
        .collect();
    let filled = marks::TOML.fill(text, &declarations(&features));
    let text = filled.unwrap_or_else(|| text.to_owned());
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("`{PATH}`: {}", error.message()))?;
    let name = table
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    if name != request.package.name.as_str() {
        return Err(format!(
            "`{PATH}` belongs to the package `{}`, not to `{}`",
            name.escape_debug(),
            request.package.name
        ));
    }
    check_declared(&table, &features)?;
    let mut notes = version_notes(&table);
    if features.len() >= MAX_FEATURES {
        notes.push(format!(
            "the crate has {} features, but crates.io accepts at most {MAX_FEATURES}; split it to publish it there",
            features.len() + 1
        ));
    }
    Ok((text, notes))
}

/// Renders the features, and one that enables all of them.
fn declarations(features: &[String]) -> String {
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

/// Fails if the manifest does not declare all features because its marks were removed.
fn check_declared(table: &Table, features: &[String]) -> Result<(), String> {
    let declared: BTreeSet<&str> = table
        .get("features")
        .and_then(Value::as_table)
        .map(|table| table.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let missing: Vec<&str> = features
        .iter()
        .map(String::as_str)
        .filter(|feature| !declared.contains(feature))
        .collect();
    match missing.first() {
        None => Ok(()),
        Some(first) => Err(format!(
            "`{PATH}` does not declare {} of {} features, such as `{first}`; add these lines to its `[features]`, between which \
             they are kept up to date:\n# kube-codegen: begin\n# kube-codegen: end",
            missing.len(),
            features.len()
        )),
    }
}

/// Returns a note for each dependency whose version differs from the one the generated code needs.
fn version_notes(table: &Table) -> Vec<String> {
    let version_of = |name: &str| {
        let entry = table.get("dependencies")?.get(name)?;
        entry.as_str().or_else(|| entry.get("version")?.as_str())
    };
    [
        ("k8s-openapi", dependencies::K8S_OPENAPI),
        ("kube", dependencies::KUBE),
        ("kube-codegen-record", location::RUNTIME),
        ("kube-codegen-runtime", location::RUNTIME),
    ]
    .into_iter()
    .filter_map(|(name, needed)| {
        let found = version_of(name).filter(|found| *found != needed)?;
        Some(format!(
            "`{PATH}` depends on {name} {}, but the generated code needs {needed}",
            found.escape_debug()
        ))
    })
    .collect()
}
