//! `kube-codegen new --watch`: kinds of Kubernetes, which need no CRD.
use std::path::Path;

use super::{CRDKIND, NAME, TWO_KINDS, create, directory, files, rules, succeed, watching};

#[test]
fn kinds_of_kubernetes_need_no_crd_and_are_only_read() {
    let (_directory, package) = watching("v1/Pod, apps/v1/Deployment,v1/Pod", &[]);
    let files = files(&package);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            ".gitignore",
            ".kube-codegen/scaffold.json",
            "Cargo.toml",
            "Dockerfile",
            "Makefile",
            "README.md",
            "deploy/deployment.yaml",
            "deploy/kustomization.yaml",
            "deploy/rbac.yaml",
            "src/deployments_controller.rs",
            "src/lib.rs",
            "src/main.rs",
            "src/pods_controller.rs",
            "tests/deployments_controller.rs",
            "tests/pods_controller.rs",
            "tests/simulate.rs",
        ]
    );
    let read = ["list", "watch"];
    assert_eq!(
        rules(&files),
        [
            serde_json::json!({ "apiGroups": ["apps"], "resources": ["deployments"], "verbs": read }),
            serde_json::json!({ "apiGroups": [""], "resources": ["pods"], "verbs": read }),
        ]
    );
    let extension = |path: &str| Path::new(path).extension().map(ToOwned::to_owned);
    let is_code = |path: &str| extension(path).is_some_and(|it| it == "rs" || it == "toml");
    let code = files.iter().filter(|(path, _)| is_code(path));
    let text: String = code.map(|(_, text)| text.as_str()).collect();
    for unused in ["generated", "crd", "serde_json", "kube-codegen-record"] {
        assert!(!text.contains(unused), "{unused}");
    }
}

#[test]
fn kinds_of_the_same_name_have_controllers_of_their_own() {
    let (_directory, package) = watching("v1/Event,events.k8s.io/v1/Event,v1/Node", &[]);
    let files = files(&package);
    for name in ["core_v1_events", "events_k8s_io_v1_events", "nodes"] {
        assert!(files.contains_key(&format!("src/{name}_controller.rs")));
    }
    // Beside those of a CRD.
    let (directory, package) = directory(TWO_KINDS);
    create(directory.path(), &["--watch=v1/Node"]);
    let files = super::files(&package);
    for name in ["core_v1_nodes", "example_com_v1_nodes"] {
        assert!(files.contains_key(&format!("src/{name}_controller.rs")));
    }
    succeed(&package, &["generate", "--check"]);
}

#[test]
fn watching_keeps_the_modules_of_an_operator_with_crds() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &[]);
    let before = files(&package);
    succeed(directory.path(), &["new", NAME, "--watch=v1/Pod"]);
    for (path, text) in before {
        assert_eq!(files(&package).get(&path), Some(&text), "{path}");
    }
}
