//! `kube-codegen new`: what it writes, what it keeps, and that the crate builds.
mod builds;
mod examples;
mod images;
mod kube_derive;
mod kubebuilder;
mod others;
mod watch;
mod webhooks;

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde::Deserialize;
use tempfile::TempDir;

use super::{CRDKIND, deploy::add_all, files, run, stderr, succeed};

/// Two kinds: a cluster-scoped one with required fields at its root, and one with long names in two versions.
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
    subresources: { status: {} }
    schema:
      openAPIV3Schema:
        type: object
        required: [spec, mode, replicas]
        description: "quoted: \"yes\"\nand 'more' # of\t{{ it }}"
        properties:
          mode: { type: string, enum: [a, b] }
          replicas: { type: integer, minimum: 1 }
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

const NAME: &str = "test-operator";

/// Returns a directory with `crd.yaml`, and the directory of the crate to create in it.
fn directory(crds: &str) -> (TempDir, PathBuf) {
    let directory = super::directory(crds);
    let package = directory.path().join(NAME);
    (directory, package)
}

fn new(directory: &Path, args: &[&str]) -> Output {
    run(
        directory,
        &[&["new", NAME, "-f", "crd.yaml"], args].concat(),
    )
}

/// Creates the crate of kinds of Kubernetes, and returns it with its directory.
fn watching(kinds: &str, args: &[&str]) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let watch = ["new", NAME, "--watch", kinds, "--quiet"];
    succeed(directory.path(), &[&watch, args].concat());
    let package = directory.path().join(NAME);
    (directory, package)
}

/// Creates the crate, and returns the output of the command.
fn create(directory: &Path, args: &[&str]) -> String {
    succeed(
        directory,
        &[&["new", NAME, "-f", "crd.yaml"], args].concat(),
    )
}

/// Asserts that the commands which compare a crate with its CRDs find no difference.
fn is_up_to_date(package: &Path) {
    for args in [
        &["generate", "--check"][..],
        &["update", "--check"],
        &["deploy", "check"],
    ] {
        succeed(package, args);
    }
}

/// Formats a file with rustfmt.
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
fn every_file_is_valid() {
    let created = [CRDKIND, TWO_KINDS].map(|crds| {
        let (directory, package) = directory(crds);
        create(directory.path(), &[]);
        add_all(&package);
        (directory, package)
    });
    let watching = watching("v1/Pod", &[]);
    for (index, (_directory, package)) in created.into_iter().chain([watching]).enumerate() {
        for (path, text) in files(&package) {
            let extension = Path::new(&path).extension().unwrap_or_default();
            if extension == "rs" && !path.contains("generated") && index != 1 {
                assert_eq!(formatted(&text), text, "{path}");
            } else if extension == "toml" {
                text.parse::<toml::Table>().unwrap();
            } else if extension == "json" {
                serde_json::from_str::<serde_json::Value>(&text).unwrap();
            } else if extension == "yml" {
                serde_yaml::from_str::<serde_json::Value>(&text).unwrap();
            } else if extension == "yaml" {
                for document in serde_yaml::Deserializer::from_str(&text) {
                    let value = serde_json::Value::deserialize(document).unwrap();
                    assert!(value["kind"].is_string(), "{path}: {value}");
                }
            }
            assert!(!text.contains("{{ kind") && text.ends_with('\n'), "{path}");
            assert!(!text.contains("{%") && !text.contains("\n\n\n"), "{path}");
        }
    }
}

#[test]
fn each_kind_has_a_controller_and_permissions() {
    let (directory, package) = directory(TWO_KINDS);
    create(directory.path(), &[]);
    let files = files(&package);
    assert!(files.contains_key("src/nodes_controller.rs"));
    // Controls the storage version.
    let controller = &files["src/very_long_kind_of_networks_controller.rs"];
    assert!(controller.contains("net_example_com::v1::VeryLongKindOfNetwork"));
    let crds = &files["deploy/crd.yaml"];
    assert_eq!(crds.matches("kind: CustomResourceDefinition").count(), 2);
    let allowed = |group, resources, verbs| serde_json::json!({ "apiGroups": [group], "resources": resources, "verbs": verbs });
    for expected in [
        allowed("example.com", vec!["nodes"], vec!["get", "list", "watch"]),
        allowed(
            "net.example.com",
            vec!["verylongkindofnetworks"],
            vec!["get", "list", "watch"],
        ),
    ] {
        let rules = rules(&files);
        assert!(rules.contains(&expected), "{expected}: {rules:?}");
    }
}

/// Returns the rules of the operator's `ClusterRole`.
fn rules(files: &BTreeMap<String, String>) -> Vec<serde_json::Value> {
    let documents = serde_yaml::Deserializer::from_str(&files["deploy/rbac.yaml"]);
    let mut documents = documents.map(|it| serde_json::Value::deserialize(it).unwrap());
    let role = documents.find(|it| it["kind"] == "ClusterRole").unwrap();
    role["rules"].as_array().unwrap().clone()
}

#[test]
fn generate_in_the_crate_changes_nothing() {
    let (directory, package) = directory(TWO_KINDS);
    create(directory.path(), &[]);
    let before = files(&package);
    succeed(&package, &["generate", "--check"]);
    succeed(&package, &["generate"]);
    assert_eq!(files(&package), before);
}

#[test]
fn the_kubernetes_version_reaches_every_file() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &["--kubernetes=1.35"]);
    let files = files(&package);
    let manifest: toml::Table = files["Cargo.toml"].parse().unwrap();
    let features = &manifest["dependencies"]["k8s-openapi"]["features"];
    assert_eq!(features, &toml::Value::from(vec!["v1_35"]));
    let config: toml::Table = files["kube-codegen.toml"].parse().unwrap();
    assert_eq!(config["kubernetes"].as_str(), Some("1.35"));
    succeed(&package, &["generate", "--check"]);
}

#[test]
fn files_of_the_user_are_kept() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &[]);
    let created = files(&package);
    fs::write(package.join("src/controller.rs"), "// mine\n").unwrap();
    let types = "src/generated/iksoon_test_com/v1/types.rs";
    fs::write(
        package.join(types),
        format!("{}// edited\n", created[types]),
    )
    .unwrap();

    let output = create(directory.path(), &[]);
    assert!(
        output.contains("kept     test-operator/src/controller.rs"),
        "{output}"
    );
    let mut expected = created.clone();
    expected.insert("src/controller.rs".to_owned(), "// mine\n".to_owned());
    assert_eq!(files(&package), expected);

    create(directory.path(), &["--force"]);
    assert_eq!(files(&package), created);
}

#[test]
fn other_crds_than_those_of_the_crate_are_an_error() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &[]);
    let created = files(&package);
    let changed = CRDKIND.replace("maximum: 10", "maximum: 20");
    fs::write(directory.path().join("crd.yaml"), &changed).unwrap();
    let output = new(directory.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(
        message.contains("deploy/crd.yaml` differs from the CRDs of --file"),
        "{message}"
    );
    assert_eq!(files(&package), created);
    // The message suggests this.
    fs::write(package.join("deploy/crd.yaml"), &changed).unwrap();
    succeed(&package, &["generate"]);
    create(directory.path(), &[]);
}

#[test]
fn an_invalid_name_or_template_writes_nothing() {
    let (directory, package) = directory(CRDKIND);
    for name in ["../x", "Crd", "a b", "fn", "tokio", ""] {
        let output = run(directory.path(), &["new", name, "-f", "crd.yaml"]);
        assert_eq!(output.status.code(), Some(2), "{name:?}");
    }
    let with_templates = ["--templates", "templates"];
    let fails = |expected: &str| {
        let output = new(directory.path(), &with_templates);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!package.exists());
    };
    fails("the template directory `templates` does not exist");
    let templates = directory.path().join("templates");
    fs::create_dir(&templates).unwrap();
    fs::write(templates.join("README.md.j2"), "one\ntwo {{ nothing }}\n").unwrap();
    fails("README.md.j2:2");
    fs::write(templates.join("README.md.j2"), "# {{ name }}\n").unwrap();
    create(directory.path(), &with_templates);
    assert_eq!(files(&package)["README.md"], "# test-operator\n");
}

#[test]
fn in_a_workspace_of_others_it_is_its_own_workspace() {
    let (directory, package) = directory(CRDKIND);
    let workspace = directory.path().join("Cargo.toml");
    fs::write(workspace, "[workspace]\nmembers = []\n").unwrap();
    create(directory.path(), &[]);
    let manifest: toml::Table = files(&package)["Cargo.toml"].parse().unwrap();
    assert!(manifest.contains_key("workspace"));
}

#[test]
fn owned_kinds_have_caches_and_rights() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &["--owns=apps/v1/Deployment,v1/Service"]);
    let files = files(&package);
    let controller = &files["src/controller.rs"];
    assert_eq!(formatted(controller), *controller);
    for expected in [
        "deployments: controller.children(),",
        "pub services: Children<Service>",
    ] {
        assert!(controller.contains(expected), "{controller}");
    }
    for resource in ["deployments", "services"] {
        let rules = rules(&files);
        assert!(rules.iter().any(|it| it["resources"][0] == resource));
    }
    let output = run(
        directory.path(),
        &[
            "new",
            "other",
            "-f=crd.yaml",
            "--owns=events.k8s.io/v1/Event,v1/Event",
        ],
    );
    assert!(stderr(&output).contains("another type in it is named `Event`"));
}

#[test]
fn each_kind_has_its_own_children() {
    let (directory, package) = directory(TWO_KINDS);
    let all = "--owns=v1/ConfigMap";
    let kind = "--owns=Node=apps/v1/Deployment,v1/Service";
    let crd = "--owns=verylongkindofnetworks.net.example.com=v1/Secret";
    create(directory.path(), &[all, kind, crd]);
    let files = files(&package);
    for (module, owned) in [
        ("nodes", ["ConfigMap", "Deployment", "Service"].as_slice()),
        ("very_long_kind_of_networks", &["ConfigMap", "Secret"]),
    ] {
        let controller = &files[&format!("src/{module}_controller.rs")];
        for kind in ["ConfigMap", "Deployment", "Secret", "Service"] {
            let is_owned = controller.contains(&format!("Children<{kind}>"));
            assert_eq!(is_owned, owned.contains(&kind), "{module}: {kind}");
        }
    }
}

#[test]
fn rights_in_one_namespace_are_a_role() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &["--scope=namespace"]);
    let files = files(&package);
    let rbac = &files["deploy/rbac.yaml"];
    assert!(
        rbac.contains("kind: Role\nmetadata:\n  name: test-operator-namespace"),
        "{rbac}"
    );
    assert!(files["deploy/deployment.yaml"].contains("--namespace=$(WATCH_NAMESPACE)"));
    let output = run(
        directory.path(),
        &["new", "other", "--watch=v1/Node", "--scope=namespace"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`v1/Node` or a kind that it owns is cluster-scoped"));
}
