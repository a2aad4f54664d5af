//! Writes a workspace of crates; each contains some trees of modules and reads their samples.
use super::generate::{Corpus, Tree};
use super::samples::Sample;
use super::{Result, root};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// One crate.
pub(crate) struct Batch<'a> {
    /// Its name.
    pub(crate) name: String,
    /// Its trees, by index.
    trees: Vec<usize>,
    /// The Rust modules of its trees.
    pub(crate) modules: Vec<String>,
    /// Its samples, each with the Rust path of its type.
    pub(crate) samples: Vec<(String, &'a Sample)>,
}

/// Distributes the trees, about `size` CRDs per crate.
pub(crate) fn pack<'a>(corpus: &Corpus, samples: &'a [Sample], size: usize) -> Vec<Batch<'a>> {
    let mut batches: Vec<Batch<'a>> = Vec::new();
    let mut left = 0;
    for (index, tree) in corpus.trees.iter().enumerate() {
        if batches.is_empty() || left < tree.crds.len() {
            batches.push(Batch {
                name: format!("corpus-{}", batches.len()),
                trees: Vec::new(),
                modules: Vec::new(),
                samples: Vec::new(),
            });
            left = size;
        }
        left = left.saturating_sub(tree.crds.len());
        if let Some(batch) = batches.last_mut() {
            batch.trees.push(index);
            batch.modules.push(tree.module.clone());
            for sample in samples {
                let types = sample.types.iter().filter(|(tree, _)| *tree == index);
                let paths = types.map(|(_, path)| format!("{}::{path}", tree.module));
                batch.samples.extend(paths.map(|path| (path, sample)));
            }
        }
    }
    batches
}

/// Writes the crates into a directory; those of types alone depend on neither kube nor the runtime.
pub(crate) fn write(
    out: &Path,
    corpus: &Corpus,
    batches: &[Batch<'_>],
    only_types: bool,
) -> Result<()> {
    let mut written = BTreeMap::new();
    let members: Vec<&str> = batches.iter().map(|batch| batch.name.as_str()).collect();
    written.insert("Cargo.toml".to_owned(), workspace(&members));
    for batch in batches {
        let trees: Vec<&Tree> = batch
            .trees
            .iter()
            .map(|index| &corpus.trees[*index])
            .collect();
        let mut put =
            |file: &str, text: String| written.insert(format!("{}/{file}", batch.name), text);
        put("Cargo.toml", package(&batch.name, only_types));
        put("src/lib.rs", library(&trees));
        if !batch.samples.is_empty() {
            put("src/main.rs", program(batch));
            put("samples.json", objects(batch).to_string());
        }
        for tree in trees {
            for file in &tree.files {
                put(
                    &format!("src/{}/{}", tree.module, file.path),
                    file.text.to_string(),
                );
            }
        }
    }
    // Use the versions of this repository.
    written.insert(
        "Cargo.lock".to_owned(),
        fs::read_to_string(root().join("Cargo.lock"))?,
    );
    remove_others(out, out, &written)?;
    for (path, text) in &written {
        let path = out.join(path);
        if fs::read_to_string(&path).is_ok_and(|old| old == *text) {
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

/// Removes files of an earlier run.
fn remove_others(out: &Path, folder: &Path, kept: &BTreeMap<String, String>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(out, &path, kept)?;
        } else if !kept.contains_key(&*path.strip_prefix(out)?.to_string_lossy()) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn workspace(members: &[&str]) -> String {
    let mut text = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n");
    // The same profile as this repository, so that the dependencies are built once for both.
    text.push_str("[profile.dev]\ndebug = \"line-tables-only\"\n");
    for member in members {
        _ = write!(text, "\n[profile.dev.package.{member}]\ndebug = false\n");
    }
    text
}

fn package(name: &str, only_types: bool) -> String {
    let [record, runtime] = ["record", "runtime"]
        .map(|name| Value::from(&*root().join("crates").join(name).to_string_lossy()));
    let clients = format!(
        r#"kube = {{ version = "5", default-features = false, features = ["client"] }}
kube-codegen-runtime = {{ path = {runtime} }}
"#
    );
    let clients = if only_types { "" } else { &clients };
    format!(
        r#"[package]
name = "{name}"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
k8s-openapi = {{ version = "0.29", default-features = false, features = ["std"] }}
kube-codegen-record = {{ path = {record} }}
{clients}serde = {{ version = "1", default-features = false, features = ["std"] }}
serde_json = "1"
"#
    )
}

fn library(trees: &[&Tree]) -> String {
    let mut text = String::from("//! Generated modules of some repositories.\n");
    for tree in trees {
        _ = writeln!(text, "pub mod {};", tree.module);
    }
    text
}

/// The program that reads and writes the samples: the fixed part, and the types by their paths.
fn program(batch: &Batch<'_>) -> String {
    let library = batch.name.replace('-', "_");
    let paths: BTreeSet<&str> = batch
        .samples
        .iter()
        .map(|(path, _)| path.as_str())
        .collect();
    let mut text = String::from(include_str!("reader.rs.txt"));
    text.push_str("\n/// A sample, by the path of its type.\nfn through(path: &str, text: &str) -> Result<String, String> {\n    match path {\n");
    for path in paths {
        _ = writeln!(
            text,
            "        {path:?} => read_and_write::<{library}::{path}>(text),"
        );
    }
    text.push_str("        _ => Err(format!(\"there is no type {path}: {text}\")),\n    }\n}\n");
    text
}

fn objects(batch: &Batch<'_>) -> Value {
    let samples = batch.samples.iter();
    samples
        .map(|(path, sample)| json!([path, sample.object.to_string()]))
        .collect()
}
