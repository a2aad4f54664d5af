//! Scaffolded crates build, and their tests pass.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use tempfile::TempDir;

use super::{CRDKIND, NAME, TWO_KINDS, create, directory, watching};
use crate::{
    cli::{ROOT, cargo, deploy::add_all, make, run, stderr, succeed},
    common,
};

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
    let others = [watching("v1/Pod", &[]), owning, with_webhooks()];
    for (index, (_directory, package)) in with_crds.into_iter().chain(others).enumerate() {
        // A new operator, and one with all there is.
        if index == 0 {
            add_all(&package);
        }
        // rustfmt wraps lines with the long names of the second one.
        if index == 1 {
            let args = ["clippy", "--all-targets", "--", "-D", "warnings"];
            cargo(&package, &args);
        } else {
            make(&package, &["generate", "check"]).unwrap();
        }
        // The rights of a new operator are those that its tests use.
        let output = make(&package, &["test"]).unwrap();
        assert_eq!(output.matches("no problems").count(), 2, "{output}");
    }
}

#[test]
#[ignore = "compiles an operator: takes minutes"]
fn an_upgrade_from_the_last_release_is_simulated() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &[]);
    succeed(&package, &["add", "upgrade"]);
    let git = |args: &[&str]| {
        let settings = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
        let mut command = Command::new("git");
        let output = command.current_dir(&package).args(settings).args(args);
        let output = output.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=first"]);
    let output = make(&package, &["upgrade"]).unwrap();
    assert!(output.contains("No tag names a release"), "{output}");
    git(&["tag", "v1.0.0"]);
    git(&["commit", "--quiet", "--allow-empty", "--message=second"]);
    let output = make(&package, &["upgrade"]).unwrap();
    let passed = "each_version_takes_over_what_the_other_one_has_left ... ok";
    assert!(output.contains(passed), "{output}");
}

/// Creates an operator with all webhooks, for the kind of an example with two versions.
fn with_webhooks() -> (TempDir, PathBuf) {
    let crd = Path::new(ROOT).join("generated-examples/virtualmachine-operator/deploy/crd.yaml");
    let (directory, package) = directory(&fs::read_to_string(crd).unwrap());
    create(
        directory.path(),
        &["--webhooks=defaulting,validating,conversion"],
    );
    (directory, package)
}

/// Replaces a text in a manifest of a new operator, and returns what `make test` says with this command in place of all tests.
fn after(package: &Path, tests: &str, file: &str, old: &str, new: &str) -> String {
    let path = package.join("deploy").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file}: {text}");
    fs::write(&path, text.replacen(old, new, 1)).unwrap();
    let message = make(package, &["test", &format!("TEST={tests}")]).unwrap_err();
    fs::write(&path, text).unwrap();
    message
}

#[test]
#[ignore = "compiles operators: takes minutes"]
fn a_test_of_the_operator_fails_after_each_wrong_change_of_a_manifest() {
    // What `make test` checks beside the tests, from the requests that they have left.
    const NONE: &str = "true";
    const CONTROLLER: &str =
        "mkdir -p target && KUBE_CODEGEN_REQUESTS=$(REQUESTS) cargo test --test=controller";
    const WEBHOOKS: &str = "cargo test --test=webhooks";
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &["--owns=v1/Service"]);
    let other = with_webhooks();
    for package in [&package, &other.1] {
        succeed(package, &["add", "network-policy"]);
    }
    // What the operator lacks is measured by tests that allow all.
    let rbac = package.join("deploy/rbac.yaml");
    let complete = fs::read_to_string(&rbac).unwrap();
    let without_events = complete.replace(r#""create", "patch""#, r#""patch""#);
    fs::write(&rbac, without_events).unwrap();
    make(&package, &["rbac"]).unwrap();
    assert_eq!(fs::read_to_string(&rbac).unwrap(), complete);
    make(&package, &["test", &format!("TEST={NONE}")]).unwrap();
    for (tests, file, old, new, expected) in [
        // A right that no test uses.
        (
            NONE,
            "rbac.yaml",
            r#""list", "watch""#,
            r#""list", "watch", "delete""#,
            "error[KC0704]",
        ),
        // The operator has too few rights: its tests run with those of the file.
        (
            CONTROLLER,
            "rbac.yaml",
            r#""list", "watch""#,
            r#""list""#,
            "watch crdplural.iksoon.test.com",
        ),
        (
            CONTROLLER,
            "rbac.yaml",
            r#""create", "patch""#,
            r#""patch""#,
            "create events.events.k8s.io",
        ),
        // Its caches are filled by watches, and fall back to lists.
        (
            NONE,
            "rbac.yaml",
            r#""list", "watch""#,
            r#""watch""#,
            "does not grant `list` on `crdplural.iksoon.test.com`",
        ),
        (
            NONE,
            "deployment.yaml",
            "port: health",
            "port: 8080",
            "has no port 8080 for its livenessProbe",
        ),
        (
            NONE,
            "deployment.yaml",
            "containerPort: 8081",
            "containerPort: 8082",
            "error[KC0702]",
        ),
        (
            NONE,
            "network-policy.yaml",
            "port: 8443",
            "port: 443",
            "has the port 443",
        ),
    ] {
        let message = after(&package, tests, file, old, new);
        assert!(message.contains(expected), "{file}: {message}");
    }
    let package = &other.1;
    // The Service has port 443, the container 9443.
    let message = after(
        package,
        NONE,
        "network-policy.yaml",
        "port: 9443",
        "port: 443",
    );
    assert!(message.contains("has the port 443"), "{message}");
    let message = after(
        package,
        CONTROLLER,
        "rbac.yaml",
        "-webhook-cert",
        "-other-cert",
    );
    assert!(message.contains("`get` on `secrets`"), "{message}");
    let (old, new) = ("timeoutSeconds: 10", "timeoutSeconds: 30");
    let message = after(package, WEBHOOKS, "webhooks.yaml", old, new);
    assert!(
        message.contains("the_manifests_register_the_webhooks"),
        "{message}"
    );
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
        let rejected = include_str!("../../../xtask/src/corpus/rejected.tsv");
        let is_rejected = |path: &Path| {
            let input = Path::new("crds").join(path.strip_prefix(&corpus).unwrap());
            let mut inputs = rejected.lines().filter_map(|line| line.split('\t').next());
            inputs.any(|it| Path::new(it) == input)
        };
        crds.extend(repositories.iter().filter_map(|repository| {
            let mut files = entries(repository);
            files.retain(|path| !is_rejected(path));
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
