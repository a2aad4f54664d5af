//! Generates the output for all fixtures into `OUT_DIR`.
#![allow(
    clippy::expect_used,
    reason = "a fixture that cannot be generated fails the build"
)]

mod fixtures;

use std::{env, fs, path::Path};

use kube_codegen::options::Kubernetes;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo::rerun-if-changed=../../fixtures");
    let directory = env::var_os("OUT_DIR").expect("cargo sets it");
    let directory = Path::new(&directory);
    let mut library = String::new();
    for (case, path) in fixtures::all(&root) {
        library.push_str(&declaration(&case, &path));
        for (file, text) in fixtures::generate(&path) {
            write(&directory.join(&case).join(file), &text);
        }
    }
    write(&directory.join("lib.rs"), &library);
}

/// Writes a file, unless it has this text: the compiler would read it again.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, text).expect("written");
}

/// Returns the declaration of the module with a fixture's output.
fn declaration(case: &str, path: &Path) -> String {
    let kubernetes = fixtures::options(path).kubernetes;
    if kubernetes == Kubernetes::default() {
        return format!("pub mod {case};\n");
    }
    // It does not compile for an older version.
    let version = kubernetes.as_str().replace('.', "_");
    format!("k8s_openapi::k8s_if_ge_{version}! {{\n    pub mod {case};\n}}\n")
}
