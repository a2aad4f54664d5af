//! Writes a workspace of crates, each with the types and programs of some CRDs.
use super::{Result, Subject};
use crate::root;
use kube_codegen::options::Kubernetes;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The CRD and the variant of each folder, by index: `trial-0/src/c3/field`.
pub(crate) type Places = BTreeMap<String, (usize, usize)>;

/// Writes the crates, each with some of the CRDs, into a directory, which is emptied first.
pub(crate) fn write(out: &Path, crates: &[&[Subject]]) -> Result<Places> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    let mut places = Places::new();
    let mut members = Vec::new();
    let mut before = 0;
    // Two workspaces share a target directory: with one name, cargo would take the files of one for those of the other.
    let prefix = out.file_name().unwrap_or_default().to_string_lossy();
    for (number, some) in crates.iter().enumerate() {
        let name = format!("{prefix}-{number}");
        let mut library = String::from("//! Types of some CRDs, and programs that use them.\n");
        for (index, subject) in some.iter().enumerate() {
            _ = writeln!(library, "mod c{index};");
            let mut modules = String::new();
            for (at, variant) in subject.variants.iter().enumerate() {
                let module = variant.module;
                _ = writeln!(modules, "mod {module};");
                let folder = format!("{name}/src/c{index}/{module}");
                let put = |file: &str, text: &str| put(&out.join(&folder).join(file), text);
                put("mod.rs", "mod generated;\nmod program;\n")?;
                put("program.rs", &variant.program)?;
                for file in &variant.files {
                    put(&format!("generated/{}", file.path), &file.text)?;
                }
                places.insert(folder, (before + index, at));
            }
            put(&out.join(format!("{name}/src/c{index}/mod.rs")), &modules)?;
        }
        put(&out.join(format!("{name}/src/lib.rs")), &library)?;
        put(&out.join(format!("{name}/Cargo.toml")), &package(&name))?;
        members.push(name);
        before += some.len();
    }
    let workspace = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[profile.dev]\ndebug = false\n"
    );
    put(&out.join("Cargo.toml"), &workspace)?;
    // Use the versions of this repository.
    fs::copy(root().join("Cargo.lock"), out.join("Cargo.lock"))?;
    Ok(places)
}

fn put(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, text)?)
}

fn package(name: &str) -> String {
    let record = Value::from(&*root().join("crates/record").to_string_lossy());
    let newest = Kubernetes::ALL
        .last()
        .map(|it| it.feature())
        .unwrap_or_default();
    format!(
        r#"[package]
name = "{name}"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
k8s-openapi = {{ version = "0.29", default-features = false, features = ["std", "{newest}"] }}
kube-codegen-record = {{ path = {record} }}
serde = {{ version = "1", default-features = false, features = ["std"] }}
serde_json = "1"
"#
    )
}
