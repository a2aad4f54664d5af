//! Reference pages: what is in the files, and what a browser shows.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod browser;
mod html;
mod pages;

use std::{fs, path::Path, process::Command, sync::OnceLock};

use tempfile::TempDir;

use crate::common::corpus;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Runs `kube-codegen docs`, which has to succeed, with its output in `site` of a directory.
fn docs(directory: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .current_dir(directory)
        .args(["docs", "-o", "site"])
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{args:?}: {out}{errors}");
    out
}

/// Makes the pages of a CRD.
fn pages_of(crd: &str, args: &[&str]) -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("crd.yaml"), crd).unwrap();
    docs(directory.path(), &[&["-f", "crd.yaml"], args].concat());
    directory
}

/// Makes the pages of fixtures that have something of everything.
fn pages_of_fixtures(args: &[&str]) -> TempDir {
    let directory = TempDir::new().unwrap();
    let files = FIXTURES.map(|name| format!("{ROOT}/fixtures/{name}.yaml"));
    let files = files.iter().flat_map(|file| ["-f", file]);
    let args: Vec<&str> = files.chain(args.iter().copied()).collect();
    docs(directory.path(), &args);
    directory
}

/// Returns the pages of the largest real CRD, which take some seconds.
fn largest() -> Option<&'static Path> {
    static MADE: OnceLock<TempDir> = OnceLock::new();
    let corpus = corpus("crds")?;
    let made = MADE.get_or_init(|| {
        let workflow = corpus.join("argoproj__argo-workflows/workflows.argoproj.io.yaml");
        let text = fs::read_to_string(workflow).unwrap();
        pages_of(&text, &[])
    });
    Some(Box::leak(made.path().join("site").into_boxed_path()))
}

const FIXTURES: [&str; 8] = [
    "crdkind",
    "conversion",
    "constraints",
    "descriptions",
    "known_types",
    "shared_types",
    "subresources",
    "lists_and_maps",
];
