//! `kube-codegen new`: what it writes, what it keeps, and that the crate builds as it lies.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Two kinds: one of the cluster whose spec is required, one whose names are long, in two versions.
const TWO_KINDS: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: nodes.example.com }
spec:
  group: example.com
  scope: Cluster
  names: { plural: nodes, singular: node, kind: Node, listKind: NodeList }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        description: "quoted: \"yes\"\nand 'more' # of\t{{ it }}"
        properties:
          spec: { type: object, required: ["on"], properties: { "on": { type: string, enum: ["y", "1_000"] } } }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: verylongkindofnetworks.net.example.com }
spec:
  group: net.example.com
  scope: Namespaced
  names: { plural: verylongkindofnetworks, singular: verylongkindofnetwork, kind: VeryLongKindOfNetwork, listKind: VeryLongKindOfNetworkList }
  versions:
  - { name: v1beta1, served: true, storage: false, schema: { openAPIV3Schema: { type: object } } }
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
"#;

fn kube_codegen(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .current_dir(directory)
        .args(args)
        .output()
        .unwrap()
}

fn new(directory: &Path, args: &[&str]) -> Output {
    kube_codegen(
        directory,
        &[&["new", "test-operator", "-f", "crd.yaml"], args].concat(),
    )
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn directory(definitions: &str) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("crd.yaml"), definitions).unwrap();
    let package = directory.path().join("test-operator");
    (directory, package)
}

fn crdkind() -> String {
    fs::read_to_string(Path::new(ROOT).join("fixtures/crdkind.yaml")).unwrap()
}

/// All files below a directory but for what cargo puts there, by path.
fn files(root: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if !path.is_dir() {
                all.insert(name, fs::read_to_string(&path).unwrap());
            } else if name != "target" {
                waiting.push(path);
            }
        }
    }
    all
}

/// A file as rustfmt leaves it.
fn formatted(text: &str) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    rustfmt
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    String::from_utf8(rustfmt.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn every_file_is_of_its_language() {
    for definitions in [crdkind(), TWO_KINDS.to_owned()] {
        let (directory, package) = directory(&definitions);
        let output = new(directory.path(), &[]);
        assert!(output.status.success(), "{}", stderr(&output));
        for (path, text) in files(&package) {
            let extension = Path::new(&path).extension().unwrap_or_default();
            if extension == "rs" && !path.contains("generated") {
                assert_eq!(formatted(&text), text, "{path}");
            } else if extension == "toml" {
                text.parse::<toml::Table>().unwrap();
            } else if extension == "yaml" {
                for document in serde_yaml::Deserializer::from_str(&text) {
                    let value =
                        <serde_json::Value as serde::Deserialize>::deserialize(document).unwrap();
                    assert!(value["kind"].is_string(), "{path}: {value}");
                }
            }
            assert!(!text.contains("{{ kind") && text.ends_with('\n'), "{path}");
        }
    }
}

#[test]
fn each_kind_has_its_controller_and_its_rights() {
    let (directory, package) = directory(TWO_KINDS);
    assert!(new(directory.path(), &[]).status.success());
    let files = files(&package);
    for path in [
        "src/nodes_controller.rs",
        "src/very_long_kind_of_networks_controller.rs",
    ] {
        assert!(files.contains_key(path), "{path}: {:?}", files.keys());
    }
    // The storage version is the one that is controlled.
    assert!(
        files["src/very_long_kind_of_networks_controller.rs"]
            .contains("net_example_com::v1::VeryLongKindOfNetwork")
    );
    let rbac = &files["deploy/rbac.yaml"];
    assert!(rbac.contains("- apiGroups: [example.com]\n  resources: [nodes]\n  verbs: [\"get\", \"list\", \"watch\"]"), "{rbac}");
    assert!(
        rbac.contains("resources: [verylongkindofnetworks]"),
        "{rbac}"
    );
    assert_eq!(
        files["deploy/crd.yaml"]
            .matches("kind: CustomResourceDefinition")
            .count(),
        2
    );
}

#[test]
fn generate_in_the_crate_finds_no_difference() {
    let (directory, package) = directory(TWO_KINDS);
    assert!(new(directory.path(), &[]).status.success());
    let before = files(&package);
    let output = kube_codegen(&package, &["generate", "--check"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert!(kube_codegen(&package, &["generate"]).status.success());
    assert_eq!(files(&package), before);
}

#[test]
fn a_newer_kubernetes_is_that_of_all_its_files() {
    let (directory, package) = directory(&crdkind());
    let output = new(directory.path(), &["--kubernetes=1.35"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let files = files(&package);
    let manifest: toml::Table = files["Cargo.toml"].parse().unwrap();
    let features = &manifest["dependencies"]["k8s-openapi"]["features"];
    assert_eq!(features, &toml::Value::from(vec!["v1_35"]));
    let config: toml::Table = files["kube-codegen.toml"].parse().unwrap();
    assert_eq!(config["kubernetes"].as_str(), Some("1.35"));
    let output = kube_codegen(&package, &["generate", "--check"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn what_a_person_wrote_is_kept() {
    let (directory, package) = directory(&crdkind());
    assert!(new(directory.path(), &[]).status.success());
    let made = files(&package);
    let controller = package.join("src/controller.rs");
    let types = package.join("src/generated/iksoon_test_com/v1/types.rs");
    fs::write(&controller, "// mine\n").unwrap();
    fs::write(
        &types,
        format!(
            "{}// stray\n",
            made["src/generated/iksoon_test_com/v1/types.rs"]
        ),
    )
    .unwrap();

    let again = new(directory.path(), &[]);
    assert!(again.status.success());
    let told = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(
        told.contains("kept     test-operator/src/controller.rs"),
        "{told}"
    );
    let mut expected = made.clone();
    expected.insert("src/controller.rs".to_owned(), "// mine\n".to_owned());
    assert_eq!(files(&package), expected);

    assert!(new(directory.path(), &["--force"]).status.success());
    assert_eq!(files(&package), made);
}

#[test]
fn other_definitions_than_the_crates_are_refused() {
    let (directory, package) = directory(&crdkind());
    assert!(new(directory.path(), &[]).status.success());
    let made = files(&package);
    let changed = crdkind().replace("maximum: 10", "maximum: 20");
    fs::write(directory.path().join("crd.yaml"), &changed).unwrap();
    let output = new(directory.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("deploy/crd.yaml` is not what --file defines"),
        "{}",
        stderr(&output)
    );
    assert_eq!(files(&package), made);
    // The way that is told: bring the change there, and generate.
    fs::write(package.join("deploy/crd.yaml"), &changed).unwrap();
    assert!(kube_codegen(&package, &["generate"]).status.success());
    assert!(new(directory.path(), &[]).status.success());
}

#[test]
fn a_bad_name_or_template_writes_nothing() {
    let (directory, package) = directory(&crdkind());
    for name in ["../x", "Crd", "a b", "fn", "tokio", ""] {
        let output = kube_codegen(directory.path(), &["new", name, "-f", "crd.yaml"]);
        assert_eq!(output.status.code(), Some(2), "{name:?}");
    }
    let templates = directory.path().join("templates");
    fs::create_dir(&templates).unwrap();
    fs::write(templates.join("README.md.j2"), "one\ntwo {{ nothing }}\n").unwrap();
    let output = new(directory.path(), &["--templates", "templates"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("README.md.j2:2"),
        "{}",
        stderr(&output)
    );
    assert!(!package.exists());
    fs::write(templates.join("README.md.j2"), "# {{ name }}\n").unwrap();
    assert!(
        new(directory.path(), &["--templates", "templates"])
            .status
            .success()
    );
    assert_eq!(
        fs::read_to_string(package.join("README.md")).unwrap(),
        "# test-operator\n"
    );
}

#[test]
fn in_a_foreign_workspace_it_is_its_own() {
    let (directory, package) = directory(&crdkind());
    fs::write(
        directory.path().join("Cargo.toml"),
        "[workspace]\nmembers = []\n",
    )
    .unwrap();
    assert!(new(directory.path(), &[]).status.success());
    let text = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    assert!(
        text.parse::<toml::Table>()
            .unwrap()
            .contains_key("workspace")
    );
}

/// Compiles an operator with all its dependencies: minutes from cold, so only where it is asked for.
#[test]
#[ignore = "compiles and tests whole operators: minutes from cold"]
fn it_builds_and_its_tests_pass_wherever_it_lies() {
    for definitions in [crdkind(), TWO_KINDS.to_owned()] {
        let (directory, package) = directory(&definitions);
        assert!(new(directory.path(), &[]).status.success());
        // The versions that this workspace was tested with.
        fs::copy(
            Path::new(ROOT).join("Cargo.lock"),
            package.join("Cargo.lock"),
        )
        .unwrap();
        for command in [
            &["clippy", "--all-targets", "--", "-D", "warnings"][..],
            &["test"][..],
        ] {
            let output = Command::new(env!("CARGO"))
                .current_dir(&package)
                .args(command)
                .env(
                    "CARGO_TARGET_DIR",
                    Path::new(env!("CARGO_TARGET_TMPDIR")).join("new"),
                )
                .output()
                .unwrap();
            assert!(output.status.success(), "{command:?}: {}", stderr(&output));
        }
    }
}

/// The committed operator is the tool's part and a person's part, in different files.
#[test]
fn the_committed_operator_is_generated_and_keeps_its_lines() {
    let committed = Path::new(ROOT).join("generated-examples/crdkind-operator");
    let check = kube_codegen(&committed, &["generate", "--check"]);
    assert!(
        check.status.success(),
        "{}",
        String::from_utf8_lossy(&check.stdout)
    );

    let (directory, package) = directory(&crdkind());
    let before = files(&committed);
    for (path, text) in &before {
        let path = package.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let again = new(directory.path(), &[]);
    assert!(again.status.success(), "{}", stderr(&again));
    let after = files(&package);
    for (path, text) in &before {
        assert_eq!(after.get(path), Some(text), "{path}");
    }
}
