//! Compares the part of the output for every fixture that people read with the committed files in `generated-examples/goldens/output`, and
//! the output of `kube-codegen crate` with `generated-examples/widget-clients`. The workspace compiles all of both.
//!
//! The rest is compiled, and samples of it are read and written: a diff of it would show only what a change of an emitter shows here.
//!
//! `KUBE_CODEGEN_ACCEPT=1 cargo test --test generator output::` accepts the new output.
#![allow(clippy::expect_used, reason = "helpers of tests fail by panicking")]

#[path = "../../generated-examples/goldens/fixtures.rs"]
mod fixtures;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use fixtures::{generate, source};
use kube_codegen::{
    options::{Emitter, Options},
    pipeline,
    private::write,
    source::Source,
};
use serde_json::Value;

/// The fixtures whose whole output is committed. With `widget-clients` they show what each emitter writes, for one and for several versions.
const WHOLE: [&str; 2] = ["cluster_scoped", "subresources"];

/// The files that show how schemas become types; the other emitters write the same of every fixture but for names.
const READ: [&str; 3] = ["conversion.rs", "shared.rs", "types.rs"];

/// The fixture whose builders are committed; those of others are compiled alone, since they repeat each field.
const BUILT: &str = "required_enums";

/// Thousands of values and fields that differ in a number.
const UNREAD: &str = "large_schemas";

/// Returns whether a file of the output for a fixture is committed.
fn is_committed(case: &str, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let is_read = READ.contains(&name) || (case == BUILT && name == "builders.rs");
    WHOLE.contains(&case) || (case != UNREAD && is_read)
}

#[test]
fn every_fixture_matches_its_golden() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let goldens = root.join("generated-examples/goldens/output");
    let mut expected = BTreeMap::new();
    for (case, path) in fixtures::all(root) {
        for (file, text) in generate(&path) {
            if is_committed(&case, &file) {
                expected.insert(Path::new(&case).join(file), text);
            }
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

/// An emitter without a golden would be compiled and never read.
#[test]
fn the_goldens_show_each_emitter() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let goldens = root.join("generated-examples/goldens/output");
    let mut found = BTreeMap::new();
    read(&goldens, &goldens, &mut found);
    for emitter in Emitter::all() {
        let (file, text) = match emitter {
            Emitter::Types => ("types.rs", "kube_codegen_record::records!"),
            Emitter::Resource => ("resource.rs", "kube_codegen_record::resource!"),
            Emitter::Client => ("client.rs", "TypedClient<"),
            Emitter::Lister => ("client.rs", "Lister<"),
            Emitter::Informer => ("client.rs", "SharedInformer<"),
            Emitter::Columns => ("resource.rs", "impl Columns for"),
            Emitter::Choices => ("types.rs", "OneOf<'a>"),
            Emitter::Conversion => ("conversion.rs", "Converter"),
            Emitter::Schema => ("schema.rs", "schemars::JsonSchema"),
            other => panic!("say where a golden shows the emitter {other}"),
        };
        let mut files = found.iter();
        let is_shown = files.any(|(path, it)| path.ends_with(file) && it.contains(text));
        assert!(is_shown, "{emitter}");
    }
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == "rs")
}

/// What the README says of its CRD.
#[test]
fn two_fields_are_five_files_of_two_hundred_lines() {
    let source = source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/crdkind.yaml"));
    let files = pipeline::run(&[source], &Options::default()).files;
    let rust: Vec<_> = (files.iter()).filter(|it| is_rust(&it.path)).collect();
    let version = "iksoon_test_com/v1";
    let paths: Vec<&str> = rust.iter().map(|it| it.path.as_str()).collect();
    let files = ["client", "mod", "resource", "types"].map(|it| format!("{version}/{it}.rs"));
    assert_eq!(paths[..4], files);
    assert_eq!(paths[4..], ["mod.rs"]);
    let lines: usize = rust.iter().map(|it| it.text.lines().count()).sum();
    assert!(lines <= 200, "{lines}");
    // No path that the libraries do not document, and one check for all of it.
    let all: String = rust.iter().map(|it| &*it.text).collect();
    assert!(!all.contains("private"));
    assert_eq!(all.matches("generated_code!").count(), 2);
    assert!(all.contains("{ CrdKindSpec { choice, replicas } }"));
}

/// Nothing empty is written.
#[test]
fn what_a_kind_does_not_have_is_not_there() {
    let source = Source::new(
        "plain.yaml",
        r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "plains.example.com"},
            "spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Plain", "plural": "plains"},
                     "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}"#,
    );
    let text = |emit: &[Emitter]| {
        let mut options = Options::default();
        options.emit = emit.to_vec();
        let output = pipeline::run(std::slice::from_ref(&source), &options);
        let files = output.files.into_iter().filter(|it| is_rust(&it.path));
        files
            .map(|it| (it.path, it.text))
            .collect::<BTreeMap<_, _>>()
    };
    let all: String = text(&[]).into_values().map(|it| it.to_string()).collect();
    for absent in ["SHORT_NAMES", "CATEGORIES", "Column", "short_names", "&[]"] {
        assert!(!all.contains(absent), "{absent}");
    }
    let columns: Vec<String> = text(&[Emitter::Columns]).into_keys().collect();
    assert_eq!(
        columns,
        ["example_com/v1/mod.rs", "example_com/v1/types.rs", "mod.rs"]
    );
}

#[test]
fn the_constructor_takes_what_the_schema_requires() {
    let parameters = |required: &str, spec: &str| {
        let source = Source::new(
            "plain.yaml",
            format!(
                r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {{"name": "plains.example.com"}},
                    "spec": {{"group": "example.com", "scope": "Cluster", "names": {{"kind": "Plain", "plural": "plains"}},
                             "versions": [{{"name": "v1", "served": true, "storage": true, "schema": {{"openAPIV3Schema":
                                 {{"type": "object", "required": [{required}], "properties": {{"spec": {spec}}}}}}}}}]}}}}"#
            ),
        );
        let output = pipeline::run(&[source], &Options::default());
        let text: String = output.files.iter().map(|it| it.text.to_string()).collect();
        let (_, signature) = text.split_once("pub fn new(name").expect("a constructor");
        let (parameters, _) = signature.split_once(')').expect("parameters");
        parameters.replace(": impl Into<String>", "")
    };
    let free = r#"{"type": "object", "properties": {"size": {"type": "integer"}}}"#;
    let strict =
        r#"{"type": "object", "required": ["size"], "properties": {"size": {"type": "string"}}}"#;
    let map = r#"{"type": "object", "additionalProperties": {"type": "string"}}"#;
    let any = r#"{"x-kubernetes-preserve-unknown-fields": true}"#;
    for (required, spec, expected) in [
        ("", free, ""),
        ("", strict, ""),
        (r#""spec""#, free, ""),
        (r#""spec""#, map, ""),
        (r#""spec""#, strict, ", spec: PlainSpec"),
        (r#""spec""#, any, ", spec: Value"),
    ] {
        assert_eq!(parameters(required, spec), expected, "[{required}] {spec}");
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
    for (_, path) in fixtures::all(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        assert_eq!(generate(&path), generate(&path));
    }
}

/// A crate of types needs neither clients nor the dependencies of the runtime.
#[test]
fn types_and_resources_need_no_runtime() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut options = Options::default();
    options.emit = vec![Emitter::Types, Emitter::Resource];
    for (_, path) in fixtures::all(root) {
        for file in pipeline::run(&[source(&path)], &options).files {
            let uses_runtime = file.text.contains("kube_codegen_runtime");
            assert!(!uses_runtime, "{}: {}", path.display(), file.path);
        }
    }
}

/// The text of `crd()` is the input, whole or without the descriptions of its schemas; nothing else depends on the option.
#[test]
fn manifests_lose_nothing_but_descriptions_and_those_on_request() {
    /// Removes what the smaller manifest lacks; all of it is text of descriptions.
    fn strip(whole: &mut Value, smaller: &Value) {
        match (whole, smaller) {
            (Value::Object(whole), Value::Object(smaller)) => {
                whole.retain(|key, value| {
                    smaller.contains_key(key) || key != "description" || !value.is_string()
                });
                for (key, value) in whole {
                    strip(value, &smaller[key]);
                }
            }
            (Value::Array(whole), Value::Array(smaller)) => {
                for (value, smaller) in whole.iter_mut().zip(smaller) {
                    strip(value, smaller);
                }
            }
            _ => {}
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for case in ["crdkind", "descriptions", "versions_alike", "cookbook"] {
        let path = root.join(format!("fixtures/{case}.yaml"));
        let files = |crd_descriptions| {
            let mut options = fixtures::options(&path);
            options.crd_descriptions = crd_descriptions;
            let files = pipeline::run(&[source(&path)], &options).files;
            let files = files.into_iter().map(|it| (it.path, it.text.to_string()));
            files.collect::<BTreeMap<_, _>>()
        };
        let (whole, smaller) = (files(true), files(false));
        assert!(whole.keys().eq(smaller.keys()));
        for (file, text) in &whole {
            let other = &smaller[file];
            if Path::new(file).extension().is_none_or(|it| it != "json") {
                assert_eq!(text, other, "{case}: {file}");
                continue;
            }
            assert!(other.len() < text.len(), "{case}: {file} is no smaller");
            let parse = |text| serde_json::from_str::<Value>(text).expect("JSON");
            let (mut whole, smaller) = (parse(text), parse(other));
            strip(&mut whole, &smaller);
            assert_eq!(whole, smaller, "{case}: {file}");
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
