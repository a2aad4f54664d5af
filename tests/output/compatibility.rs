//! Generated code and the libraries name their format: if they do not fit together, compilation fails with a sentence.
#![allow(clippy::expect_used, reason = "tests fail by panicking")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use kube_codegen::{options::Options, pipeline, source::Source};
use tempfile::TempDir;

/// Compiles the line that checks the format of generated code, with the macro of a library.
fn compile(library: &str, check: &str) -> Output {
    let directory = TempDir::new().expect("a directory");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join(format!("crates/{library}/src/compatibility.rs"));
    // The macro needs nothing else of its crate.
    let text = fs::read_to_string(file)
        .expect("readable")
        .replace("//!", "//");
    // In generated code, the crate's name is before the macro's.
    let check = check.split_once("::").map_or(check, |(_, check)| check);
    let program = directory.path().join("lib.rs");
    fs::write(&program, format!("{text}\n{check}\n")).expect("writable");
    Command::new("rustc")
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "--out-dir",
        ])
        .arg(directory.path())
        .arg(program)
        .output()
        .expect("rustc runs")
}

#[test]
fn code_of_another_format_fails_to_compile_with_a_sentence() {
    let source = Source::new("crdkind.yaml", include_str!("../../fixtures/crdkind.yaml"));
    let output = pipeline::run(&[source], &Options::default());
    let root = output
        .files
        .iter()
        .find(|file| file.path == "mod.rs")
        .expect("a root");
    for library in ["record", "runtime"] {
        let name = format!("kube_codegen_{library}::generated_code!");
        let line = (root.text.lines())
            .find(|line| line.starts_with(&name))
            .expect("a check");
        let compiled = compile(library, line);
        assert!(
            compiled.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&compiled.stderr)
        );

        let compiled = compile(library, &format!("{name}(999);"));
        let errors = String::from_utf8_lossy(&compiled.stderr);
        let sentence = format!(
            "error: this code was generated in format 999, which this version of kube-codegen-{library} does not support: use the same release of \
             kube-codegen, kube-codegen-record and kube-codegen-runtime, and run `kube-codegen generate` again"
        );
        assert!(
            !compiled.status.success() && errors.starts_with(&sentence),
            "{errors}"
        );
        assert_eq!(
            errors.matches("error:").count(),
            2,
            "the sentence, and rustc's last line: {errors}"
        );
    }
}
