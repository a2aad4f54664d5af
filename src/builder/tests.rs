//! Tests of the directives for cargo and of the files.
use super::*;
use std::error::Error as _;
use std::fs;
use tempfile::TempDir;

const CRDKIND: &str = include_str!("../../fixtures/crdkind.yaml");

fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::create_dir_all(directory.path().join("crds")).unwrap();
    fs::write(directory.path().join("crds/crdkind.yaml"), CRDKIND).unwrap();
    directory
}

/// Returns the directives with a placeholder for the directory.
fn normalized(directory: &TempDir, directives: &str) -> Vec<String> {
    let root = directory.path().display().to_string();
    directives
        .lines()
        .map(|line| line.replace(&root, "ROOT"))
        .collect()
}

#[test]
fn writes_to_out_dir_and_watches_every_input() {
    let directory = directory();
    let out = directory.path().join("out");
    let builder = Builder::with(Some(out.clone().into())).file(directory.path().join("crds"));
    let (outcome, directives) = builder.generate();
    outcome.unwrap();
    assert_eq!(
        normalized(&directory, &directives),
        [
            "cargo::rerun-if-changed=ROOT/crds",
            "cargo::rerun-if-changed=ROOT/crds/crdkind.yaml"
        ]
    );
    assert!(out.join("mod.rs").exists());
    assert!(out.join("iksoon_test_com/v1/types.rs").exists());
}

#[test]
fn emits_the_chosen_files() {
    let directory = directory();
    let out = directory.path().join("out");
    let builder = Builder::new()
        .file(directory.path().join("crds/*.yaml"))
        .out_dir(&out)
        .emit([Emitter::Types])
        .override_(Override::at("CrdKind.spec").type_name("Wanted"));
    let (outcome, directives) = builder.generate();
    outcome.unwrap();
    assert_eq!(
        normalized(&directory, &directives),
        [
            "cargo::rerun-if-changed=ROOT/crds",
            "cargo::rerun-if-changed=ROOT/crds/crdkind.yaml"
        ]
    );
    let types = fs::read_to_string(out.join("iksoon_test_com/v1/types.rs")).unwrap();
    assert!(types.contains("pub struct Wanted"), "{types}");
    assert!(!out.join("iksoon_test_com/v1/client.rs").exists());
}

#[test]
fn errors_are_readable_in_the_output_of_cargo() {
    let directory = directory();
    let file = directory.path().join("crds/bad.yaml");
    fs::write(&file, CRDKIND.replace("type: integer", "type: integre")).unwrap();
    let out = directory.path().join("out");
    let (outcome, directives) = Builder::new().file(&file).out_dir(&out).generate();
    let error = outcome.unwrap_err();
    assert!(error.source().is_none());
    let first = error.diagnostics().iter().next().unwrap();
    assert_eq!(first.code, diag::Code::UnknownType);
    let shown = format!("{error:?}");
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines[1].starts_with("error[KC"), "{shown}");
    assert!(
        lines.iter().any(|line| line.contains("bad.yaml:30:")),
        "{shown}"
    );
    assert!(lines.iter().any(|line| line.contains("^^^^^^^")), "{shown}");
    assert!(!out.exists());
    // The script runs again once the file changes.
    assert_eq!(
        normalized(&directory, &directives),
        ["cargo::rerun-if-changed=ROOT/crds/bad.yaml"]
    );
}

#[test]
fn a_missing_input_is_watched_too() {
    let directory = directory();
    let builder = Builder::new().file(directory.path().join("later.yaml"));
    let (outcome, directives) = builder.generate();
    let error = outcome.unwrap_err();
    assert_eq!(error.to_string(), "inputs cannot be read");
    assert!(error.source().unwrap().to_string().contains("later.yaml"));
    assert!(format!("{error:?}").contains("later.yaml"));
    assert_eq!(
        normalized(&directory, &directives),
        ["cargo::rerun-if-changed=ROOT/later.yaml"]
    );
    assert!(
        Builder::new()
            .generate()
            .0
            .unwrap_err()
            .to_string()
            .contains("no input")
    );
}

#[test]
fn warnings_are_shown_by_cargo_and_can_be_denied() {
    let directory = directory();
    let file = directory.path().join("crds/crdkind.yaml");
    let other = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";
    fs::write(&file, format!("{CRDKIND}{other}")).unwrap();
    let out = directory.path().join("out");
    let builder = Builder::new().file(&file).out_dir(&out);
    let (outcome, directives) = builder.clone().deny(Deny::Warnings).generate();
    assert!(format!("{:?}", outcome.unwrap_err()).contains("warning[KC"));
    assert!(!directives.contains("cargo::warning") && !out.exists());
    let (outcome, directives) = builder.generate();
    outcome.unwrap();
    let lines = normalized(&directory, &directives);
    let warning = lines
        .iter()
        .find(|line| line.starts_with("cargo::warning="))
        .unwrap();
    assert!(warning.contains("ROOT/crds/crdkind.yaml:"), "{warning}");
}
