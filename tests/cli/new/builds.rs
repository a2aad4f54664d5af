//! Scaffolded crates build, and their tests pass.
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use tempfile::TempDir;

use super::{CRDKIND, NAME, TWO_KINDS, create, directory, watching};
use crate::{ROOT, cargo, cargo_with, common, run, stderr, succeed};

#[test]
#[ignore = "compiles whole operators: takes minutes"]
fn the_crate_and_its_tests_build_and_pass() {
    let both = "--watch=v1/Pod,v1/Namespace,autoscaling/v1/HorizontalPodAutoscaler";
    let with_crds = [(CRDKIND, &[][..]), (TWO_KINDS, &[both])].map(|(crds, args)| {
        let (directory, package) = directory(crds);
        create(directory.path(), args);
        (directory, package)
    });
    let owning = {
        let (directory, package) = directory(CRDKIND);
        create(
            directory.path(),
            &["--owns=apps/v1/Deployment,v1/Service", "--scope=namespace"],
        );
        (directory, package)
    };
    let others = [watching("v1/Pod", &[]), owning];
    for (_directory, package) in with_crds.into_iter().chain(others) {
        cargo(
            &package,
            &["clippy", "--all-targets", "--", "-D", "warnings"],
        );
        // The rights of a new operator are those that its tests use.
        let log = package.join("requests.jsonl");
        cargo_with(&package, &["test"], &[("KUBE_CODEGEN_REQUESTS", &log)]);
        let output = succeed(&package, &["rbac", "--check", "--requests=requests.jsonl"]);
        assert!(output.contains("no problems"), "{output}");
    }
}

#[test]
#[ignore = "compiles an operator of many kinds: takes minutes"]
fn an_operator_of_all_kinds_of_kubernetes_builds_with_its_tests() {
    let directory = TempDir::new().unwrap();
    let output = run(directory.path(), &["new", NAME, "--watch", "none"]);
    let message = stderr(&output);
    let (_, kinds) = message.split_once("the kinds are ").unwrap();
    let kinds = kinds.lines().next().unwrap().split(", ");
    // Some need a newer Kubernetes than the default.
    let kinds: Vec<&str> = kinds
        .filter(|kind| {
            let args = ["new", NAME, "--dry-run", "--watch", kind];
            run(directory.path(), &args).status.success()
        })
        .collect();
    assert!(kinds.len() > 50, "{kinds:?}");
    let (_directory, package) = watching(&kinds.join(","), &[]);
    cargo(&package, &["check", "--tests"]);
}

/// Controls the kinds of all fixtures, and of one CRD of each repository in the corpus, in one crate.
#[test]
#[ignore = "compiles an operator of many kinds: takes minutes"]
fn an_operator_of_many_kinds_builds_with_its_tests() {
    let mut crds = entries(&Path::new(ROOT).join("fixtures"));
    // One fixture defines a kind of another one differently.
    crds.retain(|path| path.is_file() && !path.ends_with("prelude_names.yaml"));
    if let Some(corpus) = common::corpus("crds") {
        let day = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() / (24 * 60 * 60);
        let repositories = entries(&corpus);
        crds.extend(repositories.iter().filter_map(|repository| {
            let files = entries(repository);
            let index = usize::try_from(day).unwrap().checked_rem(files.len())?;
            Some(files[index].clone())
        }));
    }
    let directory = TempDir::new().unwrap();
    let mut args = vec!["new", NAME, "--quiet"];
    for path in &crds {
        args.extend(["-f", path.to_str().unwrap()]);
    }
    succeed(directory.path(), &args);
    cargo(&directory.path().join(NAME), &["check", "--tests"]);
}

/// Returns the YAML files and directories in a directory, sorted.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_dir() || path.extension().is_some_and(|it| it == "yaml"));
    paths.sort();
    paths
}
