//! Operators of others, made with kubebuilder, are taken over whole.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::cli::{ROOT, cargo, make, succeed};

/// Returns the projects of others, unless there are none.
fn operators() -> Vec<PathBuf> {
    let given = env::var_os("KUBE_CODEGEN_OPERATORS");
    let root = given.map_or_else(
        || Path::new(ROOT).join("../shared/operators"),
        PathBuf::from,
    );
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

/// Takes a project over, and returns the crate and its directory.
fn take_over(project: &Path) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let from = fs::canonicalize(project).unwrap().display().to_string();
    succeed(directory.path(), &["new", "--from-kubebuilder", &from]);
    let name = format!("{}-rs", project.file_name().unwrap().to_string_lossy());
    let package = directory.path().join(name);
    (directory, package)
}

#[test]
fn operators_are_taken_over() {
    for project in operators() {
        let (_directory, package) = take_over(&project);
        let crds = fs::read_to_string(package.join("deploy/crd.yaml")).unwrap();
        let mut changed = 0;
        for base in fs::read_dir(project.join("config/crd/bases")).unwrap() {
            let base = fs::read_to_string(base.unwrap().path()).unwrap();
            changed += usize::from(!crds.contains(&base));
        }
        // Only those whose versions are converted name the webhook of the new operator.
        let converts = crds.matches("strategy: Webhook").count();
        assert_eq!(changed, converts, "{}", project.display());
        for args in [
            &["generate", "--check"][..],
            &["update", "--check"],
            &["deploy", "check"],
        ] {
            succeed(&package, args);
        }
        let report = fs::read_to_string(package.join("TAKEOVER.md")).unwrap();
        let go = files_of(&project, "go");
        assert!(go.len() > 10);
        for path in go.iter().filter(|path| !path.starts_with("test/")) {
            assert!(report.contains(&format!("| {path} |")), "{path}");
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
        let (_directory, package) = take_over(&project);
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
    let (_, tail) = tail.split_once("    let note =").unwrap();
    let body = include_str!("memcached/reconcile.rs.txt");
    let deployment = include_str!("memcached/deployment.rs.txt");
    fs::write(
        &path,
        format!("{head}{body}    let note ={tail}{deployment}"),
    )
    .unwrap();
    fs::write(
        package.join("tests/takeover.rs"),
        include_str!("memcached/takeover.rs.txt"),
    )
    .unwrap();
}
