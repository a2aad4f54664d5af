//! Operators of others, made with kubebuilder or kube's derive, are taken over whole.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

use kube_codegen::options::Kubernetes;
use tempfile::TempDir;

use super::is_up_to_date;
use crate::cli::{ROOT, cargo, make, succeed};

/// Returns the directory of the operators of others, which may not exist.
fn root() -> PathBuf {
    let given = env::var_os("KUBE_CODEGEN_OPERATORS");
    given.map_or_else(
        || Path::new(ROOT).join("../shared/operators"),
        PathBuf::from,
    )
}

/// Returns the projects of others, unless there are none.
fn operators() -> Vec<PathBuf> {
    let root = root();
    let names = [
        "kubebuilder-testdata/testdata/project-v4",
        "kubebuilder-testdata/testdata/project-v4-multigroup",
        "lws",
    ];
    let all: Vec<PathBuf> = names.map(|name| root.join(name)).into();
    if all.iter().all(|path| path.exists()) {
        return all;
    }
    eprintln!("skipped: {} has no operators of others", root.display());
    Vec::new()
}

/// Takes a project over, for the version of Kubernetes in its `go.mod` unless another is given, and returns the crate and its directory.
fn take_over(project: &Path, kubernetes: Option<Kubernetes>) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let from = fs::canonicalize(project).unwrap().display().to_string();
    let mut new = vec!["new", "--from-kubebuilder", &from];
    if let Some(kubernetes) = &kubernetes {
        new.extend(["--kubernetes", kubernetes.as_str()]);
    }
    succeed(directory.path(), &new);
    let name = format!("{}-rs", project.file_name().unwrap().to_string_lossy());
    let package = directory.path().join(name);
    (directory, package)
}

#[test]
fn operators_are_taken_over() {
    for project in operators() {
        let (_directory, package) = take_over(&project, None);
        let crds = fs::read_to_string(package.join("deploy/crd.yaml")).unwrap();
        let mut changed = 0;
        for base in fs::read_dir(project.join("config/crd/bases")).unwrap() {
            let base = fs::read_to_string(base.unwrap().path()).unwrap();
            changed += usize::from(!crds.contains(&base));
        }
        // Only those whose versions are converted name the webhook of the new operator.
        let converts = crds.matches("strategy: Webhook").count();
        assert_eq!(changed, converts, "{}", project.display());
        is_up_to_date(&package);
        let report = fs::read_to_string(package.join("TAKEOVER.md")).unwrap();
        let go = files_of(&project, "go");
        assert!(go.len() > 10);
        for path in go.iter().filter(|path| !path.starts_with("test/")) {
            let is_there = [format!("| {path} |"), format!("`{path}`")];
            assert!(is_there.iter().any(|it| report.contains(it)), "{path}");
        }
    }
}

#[test]
fn crates_with_derived_types_are_taken_over() {
    let expected: [(&str, &[&str], &[&str]); 2] = [
        (
            "controller-rs",
            &["yaml/crd.yaml"],
            &[
                "| finalizer | `documents.kube.rs` | `FINALIZER` in `src/controller.rs` |",
                "| field manager | `cntrlr` | `FIELD_MANAGER` in `src/lib.rs`",
                "| reporter of Events | `doc-controller` |",
            ],
        ),
        (
            "restate-operator",
            &[
                "crd/restateclusters.yaml",
                "crd/restatecloudenvironments.yaml",
                "crd/restatedeployments.yaml",
            ],
            &[
                "| finalizer | `clusters.restate.dev` | `FINALIZER` in `src/restate_clusters_controller.rs` |",
                "| finalizer | `deployments.restate.dev` | `FINALIZER` in `src/restate_deployments_controller.rs` |",
                "| field manager | `restate-operator` | `FIELD_MANAGER` in `src/lib.rs`",
                "| field manager | `restate-operator/scale-down` | by hand:",
                "| `PodIdentityAssociation` | none: no CRD of `--file` has it.",
                "- src/controllers/restatecluster/controller.rs: `src/restate_clusters_controller.rs`\n",
            ],
        ),
    ];
    for (name, crds, expected) in expected {
        let source = root().join(name);
        if !source.exists() {
            eprintln!("skipped: {} does not exist", source.display());
            continue;
        }
        let source = fs::canonicalize(source).unwrap();
        let directory = TempDir::new().unwrap();
        let from = source.display().to_string();
        let mut args = vec!["new".to_owned(), "taken".to_owned()];
        args.extend(["--from-kube-derive".to_owned(), from]);
        for crd in crds {
            args.extend(["-f".to_owned(), source.join(crd).display().to_string()]);
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        succeed(directory.path(), &args);
        let package = directory.path().join("taken");
        is_up_to_date(&package);
        let report = fs::read_to_string(package.join("TAKEOVER.md")).unwrap();
        for expected in expected {
            assert!(report.contains(expected), "{expected}\n{report}");
        }
    }
}

/// Returns the paths of all files of an extension below a directory.
fn files_of(root: &Path, extension: &str) -> Vec<String> {
    let paths = crate::cli::paths(root).into_iter();
    let paths = paths.filter(|path| path.extension().is_some_and(|it| it == extension));
    let paths = paths.filter(|path| !path.to_string_lossy().ends_with("_test.go"));
    paths
        .map(|path| path.strip_prefix(root).unwrap().display().to_string())
        .collect()
}

#[test]
#[ignore = "compiles operators: takes minutes"]
fn operators_build_and_take_over_what_they_have_left() {
    for project in operators() {
        // k8s-openapi differs in which fields are required: the crates must compile with the newest version, too. The others share what is compiled for the
        // tests beside.
        let newest = Kubernetes::ALL.into_iter().max();
        let kubernetes = newest.filter(|_| project.ends_with("lws"));
        let kubernetes = kubernetes.unwrap_or_default();
        let (_directory, package) = take_over(&project, Some(kubernetes));
        if project.ends_with("project-v4") {
            make(&package, &["rbac", "test"]).unwrap();
        } else if project.ends_with("project-v4-multigroup") {
            fill_in(&package);
            cargo(&package, &["test", "--test=takeover"]);
        } else {
            cargo(&package, &["check", "--all-targets"]);
        }
    }
}

/// Fills in the reconcile of Memcached, and adds a simulation in which it takes over the children of the Go operator.
fn fill_in(package: &Path) {
    let path = package.join("src/memcacheds_controller.rs");
    let text = fs::read_to_string(&path).unwrap();
    let (head, tail) = text
        .split_once("    // Your reconcile logic goes here")
        .unwrap();
    let (_, tail) = tail.split_once("    let synced =").unwrap();
    let body = include_str!("memcached/reconcile.rs.txt");
    let deployment = include_str!("memcached/deployment.rs.txt");
    fs::write(
        &path,
        format!("{head}{body}    let synced ={tail}{deployment}"),
    )
    .unwrap();
    fs::write(
        package.join("tests/takeover.rs"),
        include_str!("memcached/takeover.rs.txt"),
    )
    .unwrap();
}
