//! Compares the output for every fixture with the committed crate `generated-examples/goldens`, and that of
//! `kube-codegen crate` with `generated-examples/widget-clients`. The workspace compiles both.
//!
//! `KUBE_CODEGEN_ACCEPT=1 cargo test --test generator output::` accepts the new output.
#![allow(clippy::expect_used, reason = "helpers of tests fail by panicking")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use kube_codegen::{
    options::{Conversion, Emitter, Kubernetes, Options, Override},
    pipeline,
    private::write,
    source::Source,
};

#[test]
fn every_fixture_matches_its_golden() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let goldens = root.join("generated-examples/goldens/src");
    let fixtures = fixtures(root);
    let mut expected = BTreeMap::new();
    expected.insert(PathBuf::from("lib.rs"), library(&fixtures));
    for (case, path) in &fixtures {
        for (file, text) in generate(path) {
            expected.insert(Path::new(case).join(file), text);
        }
    }
    if std::env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        accept(&goldens, &expected);
    }
    let mut found = BTreeMap::new();
    read(&goldens, &goldens, &mut found);
    let names = |files: &BTreeMap<PathBuf, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&found),
        names(&expected),
        "the files differ: see the head of this file"
    );
    for (path, text) in &expected {
        assert!(
            found[path] == *text,
            "{} differs: see the head of this file\n{}",
            path.display(),
            first_difference(&found[path], text)
        );
    }
}

#[test]
fn the_example_crate_matches_its_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let example = "generated-examples/widget-clients";
    for file in [
        "fixtures/versions.yaml",
        "fixtures/crdkind.yaml",
        "crates/runtime/Cargo.toml",
    ] {
        let copy = folder.path().join(file);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("write");
        fs::copy(root.join(file), copy).expect("copy");
    }
    let workspace = "[workspace]\nmembers = [\"generated-examples/*\"]\n";
    fs::write(folder.path().join("Cargo.toml"), workspace).expect("write");
    let output = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .args(["crate", "widget-clients", "-f", "fixtures/versions.yaml"])
        .args([
            "-f",
            "fixtures/crdkind.yaml",
            "-o",
            example,
            "--runtime-path",
            "crates",
        ])
        .current_dir(folder.path())
        .output()
        .expect("kube-codegen");
    assert!(output.status.success(), "{output:?}");
    let mut expected = BTreeMap::new();
    read(
        &folder.path().join(example),
        &folder.path().join(example),
        &mut expected,
    );
    let committed = root.join(example);
    if std::env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        accept(&committed, &expected);
    }
    let mut found = BTreeMap::new();
    read(&committed, &committed, &mut found);
    assert!(
        found.keys().eq(expected.keys()),
        "the files differ: see the head of this file"
    );
    for (path, text) in &expected {
        let difference = first_difference(&found[path], text);
        assert!(found[path] == *text, "{}: {difference}", path.display());
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for (_, path) in fixtures(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        assert_eq!(generate(&path), generate(&path));
    }
}

/// A crate of types needs neither clients nor the dependencies of the runtime.
#[test]
fn types_and_resources_need_no_runtime() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut options = Options::default();
    options.emit = vec![Emitter::Types, Emitter::Resource];
    for (_, path) in fixtures(root) {
        for file in pipeline::run(&[source(&path)], &options).files {
            let uses_runtime = file.text.contains("kube_codegen_runtime");
            assert!(!uses_runtime, "{}: {}", path.display(), file.path);
        }
    }
}

#[test]
fn cargo_fmt_leaves_generated_files_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let inputs = ["versions", "long_names", "known_types"]
        .map(|case| source(&root.join(format!("fixtures/{case}.yaml"))));
    for feature_gates in [false, true] {
        let mut options = Options::default();
        options.feature_gates = feature_gates;
        let files = pipeline::run(&inputs, &options).files;
        for config in [
            "",
            "max_width = 80\n",
            "hard_tabs = true\nstyle_edition = \"2015\"\nuse_small_heuristics = \"Max\"\n",
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let generated = folder.path().join("src/generated");
            let plan = || write::plan(&generated, &files, false).expect("plan");
            plan().apply().expect("write");
            for (path, text) in [
                (
                    "Cargo.toml",
                    "[package]\nname = \"a\"\nedition = \"2024\"\n[workspace]\n",
                ),
                ("rustfmt.toml", config),
                ("src/lib.rs", "pub mod generated;\n"),
            ] {
                fs::write(folder.path().join(path), text).expect("write");
            }
            let formatted = Command::new("cargo")
                .arg("fmt")
                .current_dir(folder.path())
                .output()
                .expect("cargo fmt");
            assert!(formatted.status.success(), "{formatted:?}");
            let plan = plan();
            let changed = plan.changes().iter();
            let changed: Vec<_> = changed.map(|it| (&it.path, plan.present(it))).collect();
            assert!(changed.is_empty(), "{config}: {changed:#?}");
        }
    }
}

/// Name and path of every fixture.
fn fixtures(root: &Path) -> BTreeMap<String, PathBuf> {
    let fixtures: BTreeMap<String, PathBuf> = fs::read_dir(root.join("fixtures"))
        .expect("fixtures")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "yaml"))
        .map(|path| {
            (
                path.file_stem().expect("name").to_string_lossy().into(),
                path,
            )
        })
        .collect();
    assert!(fixtures.contains_key("crdkind"));
    fixtures
}

fn source(path: &Path) -> Source {
    Source::new(
        path.display().to_string(),
        fs::read_to_string(path).expect("fixture"),
    )
}

fn generate(path: &Path) -> BTreeMap<String, String> {
    let output = pipeline::run(&[source(path)], &options(path));
    assert!(
        !output.diagnostics.has_errors(),
        "{:#?}",
        output.diagnostics
    );
    assert!(!output.files.is_empty());
    output
        .files
        .into_iter()
        .map(|file| (file.path, file.text.to_string()))
        .collect()
}

/// Reads the options file beside a fixture.
fn options(fixture: &Path) -> Options {
    #[derive(Default, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct OptionsFile {
        kubernetes: Kubernetes,
        emit: Vec<Emitter>,
        #[serde(rename = "override")]
        overrides: Vec<Override>,
        #[serde(rename = "conversion")]
        conversions: Vec<Conversion>,
    }
    let file: OptionsFile = match fs::read_to_string(fixture.with_extension("toml")) {
        Ok(text) => toml::from_str(&text).expect("options"),
        Err(_) => OptionsFile::default(),
    };
    let mut options = Options::default();
    options.kubernetes = file.kubernetes;
    options.emit = file.emit;
    options.overrides = file.overrides;
    options.conversions = file.conversions;
    options
}

fn library(fixtures: &BTreeMap<String, PathBuf>) -> String {
    let mut text = String::from(
        "//! The output for each of `fixtures/*.yaml`, one module per file, written by the test `golden`.\n",
    );
    for (case, path) in fixtures {
        let kubernetes = options(path).kubernetes;
        let declaration = if kubernetes == Kubernetes::default() {
            format!("pub mod {case};\n")
        } else {
            // It does not compile for an older version.
            let version = kubernetes.as_str().replace('.', "_");
            format!("k8s_openapi::k8s_if_ge_{version}! {{\n    pub mod {case};\n}}\n")
        };
        text.push_str(&declaration);
    }
    text
}

fn accept(goldens: &Path, expected: &BTreeMap<PathBuf, String>) {
    if goldens.exists() {
        fs::remove_dir_all(goldens).expect("remove the old goldens");
    }
    for (path, text) in expected {
        let path = goldens.join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        fs::write(path, text).expect("write");
    }
}

fn read(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("goldens") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            read(root, &path, found);
        } else {
            let name = path.strip_prefix(root).expect("below").to_owned();
            found.insert(name, fs::read_to_string(&path).expect("text"));
        }
    }
}

fn first_difference(found: &str, expected: &str) -> String {
    found
        .lines()
        .zip(expected.lines())
        .find(|(found, expected)| found != expected)
        .map_or_else(
            || "one is longer".to_owned(),
            |(found, expected)| format!("- {found}\n+ {expected}"),
        )
}
