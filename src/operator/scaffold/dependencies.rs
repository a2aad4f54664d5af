//! The dependencies of generated code, in versions that work together.
use std::{collections::BTreeMap, fmt::Write, path::Path};

use minijinja::Value;
use toml::Table;

use super::location::{Location, RUNTIME, RuntimeArgs, RuntimeCrates};
use crate::{base::options::Kubernetes, output::render::File};

/// The Rust edition of scaffolded crates.
const EDITION: &str = "2024";
/// Their minimum supported Rust version.
const RUST: &str = env!("CARGO_PKG_RUST_VERSION");
/// The version of `k8s-openapi`.
pub(super) const K8S_OPENAPI: &str = "0.29";
/// The version of `kube`, whose API contains types of `k8s-openapi`.
pub(super) const KUBE: &str = "5";
/// The version of `serde_json`.
const SERDE_JSON: &str = "1";

/// Formats the dependencies of generated files for the `Cargo.toml` of a program in the working directory.
///
/// # Errors
/// If the working directory cannot be resolved.
pub(crate) fn dependencies(files: &[File], kubernetes: Kubernetes) -> Result<String, String> {
    let crates = Location::of(Path::new("."), &RuntimeArgs::default())?.crates;
    let feature = kubernetes.feature();
    let dependencies = [
        (
            "k8s_openapi",
            format!("{{ version = \"{K8S_OPENAPI}\", features = [\"{feature}\"] }}"),
        ),
        (
            "kube",
            format!(
                "{{ version = \"{KUBE}\", default-features = false, features = [\"client\", \"ring\", \"rustls-tls\"] }}"
            ),
        ),
        ("kube_codegen_record", crates.dependency("record")),
        ("kube_codegen_runtime", crates.dependency("runtime")),
    ];
    let mut text = String::from("[dependencies]\n");
    for (name, value) in dependencies {
        let path = format!("{name}::");
        // k8s-openapi needs a feature even if only another crate uses it.
        if name == "k8s_openapi" || files.iter().any(|file| file.text.contains(&path)) {
            let name = name.replace('_', "-");
            _ = writeln!(text, "{name} = {value}");
        }
    }
    Ok(text)
}

/// Returns the lines of a `Cargo.toml` with the dependencies that another one lacks; empty if it lacks none, or is invalid.
pub(crate) fn missing_dependencies(existing: &str, wanted: &str) -> String {
    let Ok(existing) = existing.parse::<Table>() else {
        return String::new();
    };
    let (mut text, mut section, mut has_header) = (String::new(), "", false);
    for line in wanted.lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            (section, has_header) = (name, false);
        }
        let Some((name, _)) = line.split_once(" = ") else {
            continue;
        };
        let is_missing = || {
            existing
                .get(section)
                .is_none_or(|table| table.get(name).is_none())
        };
        if section.ends_with("dependencies") && is_missing() {
            if !std::mem::replace(&mut has_header, true) {
                _ = writeln!(text, "\n[{section}]");
            }
            _ = writeln!(text, "{line}");
        }
    }
    text
}

/// Returns the versions and dependencies as a template variable.
pub(super) fn variables(kubernetes: Kubernetes, crates: &RuntimeCrates) -> Value {
    let dependency = |name| Value::from_safe_string(crates.dependency(name));
    let below = |name| Value::from_safe_string(crates.below().dependency(name));
    Value::from(BTreeMap::from([
        ("kube_codegen", Value::from(RUNTIME)),
        ("install", Value::from_safe_string(crates.install())),
        ("edition", Value::from(EDITION)),
        ("rust", Value::from(RUST)),
        ("k8s_openapi", Value::from(K8S_OPENAPI)),
        ("kube", Value::from(KUBE)),
        ("serde_json", Value::from(SERDE_JSON)),
        ("record", dependency("record")),
        ("runtime", dependency("runtime")),
        (
            "runtime_with_cli",
            Value::from_safe_string(crates.with_features("runtime", &["cli"])),
        ),
        (
            "runtime_with_webhooks",
            Value::from_safe_string(crates.with_features("runtime", &["cli", "webhook"])),
        ),
        (
            "schema_with_sample",
            Value::from_safe_string(crates.with_features("schema", &["sample"])),
        ),
        ("runtime_below", below("runtime")),
        ("simulation", dependency("simulation")),
        ("simulation_below", below("simulation")),
        ("testing", dependency("testing")),
        ("kubernetes", Value::from(kubernetes.to_string())),
        ("kubernetes_feature", Value::from(kubernetes.feature())),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(path: &str) -> toml::Table {
        let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap().parse().unwrap()
    }

    #[test]
    fn versions_are_those_of_this_workspace() {
        let workspace = table("Cargo.toml")["workspace"].clone();
        let dependency = |name: &str| {
            let entry = &workspace["dependencies"][name];
            let version = entry.get("version").unwrap_or(entry);
            version.as_str().map(str::to_owned)
        };
        for (name, version) in [
            ("k8s-openapi", K8S_OPENAPI),
            ("kube", KUBE),
            ("serde_json", SERDE_JSON),
        ] {
            assert_eq!(dependency(name).as_deref(), Some(version), "{name}");
        }
        assert_eq!(workspace["package"]["version"].as_str(), Some(RUNTIME));
        assert_eq!(workspace["package"]["edition"].as_str(), Some(EDITION));
        let environment = &table(".cargo/config.toml")["env"];
        assert_eq!(
            environment["K8S_OPENAPI_ENABLED_VERSION"].as_str(),
            Some(Kubernetes::default().as_str())
        );
    }

    #[test]
    fn missing_dependencies_are_those_of_the_other_manifest() {
        let wanted = "[package]\nname = 'a'\n[dependencies]\na = '1'\nb = { version = '2' }\n\n[dev-dependencies]\na = '1'\n";
        let existing = "[package]\nname = 'mine'\n[dependencies]\na = { path = '../a' }\n";
        let missing = missing_dependencies(existing, wanted);
        let expected = "\n[dependencies]\nb = { version = '2' }\n\n[dev-dependencies]\na = '1'\n";
        assert_eq!(missing, expected);
        assert_eq!(missing_dependencies(wanted, wanted), "");
    }

    #[test]
    fn only_used_crates_are_dependencies() {
        let file = |text: &str| File {
            path: "a.rs".to_owned(),
            text: text.into(),
        };
        let names = |text: &str| {
            let text = dependencies(&[file(text)], Kubernetes::V1_35).unwrap();
            let table: toml::Table = text.parse().unwrap();
            let dependencies = table["dependencies"].as_table().unwrap().clone();
            assert_eq!(
                dependencies["k8s-openapi"]["features"][0].as_str(),
                Some("v1_35")
            );
            dependencies.keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(
            names("kube_codegen_record::a!(); kube_codegen_record::serde_json::Value"),
            ["k8s-openapi", "kube-codegen-record"]
        );
        assert_eq!(names("use kube::Client;"), ["k8s-openapi", "kube"]);
    }
}
