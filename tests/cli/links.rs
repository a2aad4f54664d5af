//! No command writes through a symbolic link, and runs at once leave the files of one of them.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use tempfile::TempDir;

use super::{
    CRDKIND, deploy::scaffold, directory, files, kube_codegen, paths, run, stderr, succeed,
};

/// A directory with an operator, beside one that no command may write to.
struct Place {
    _directory: TempDir,
    package: PathBuf,
    victim: PathBuf,
}

impl Place {
    fn new() -> Self {
        let (directory, package) = scaffold(&[]);
        let victim = directory.path().join("victim");
        fs::create_dir_all(victim.join("sub")).unwrap();
        fs::write(victim.join("file"), "theirs").unwrap();
        Self {
            _directory: directory,
            package,
            victim,
        }
    }

    /// Links a path in the package to the victim.
    fn link(&self, path: &str, to: &str) {
        let path = self.package.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else if path.exists() {
            fs::remove_file(&path).unwrap();
        }
        symlink(self.victim.join(to), path).unwrap();
    }
}

/// A path that is a link, what it leads to, and a command that would write there.
const LINKS: &[(&str, &str, &[&str])] = &[
    ("dist", "", &["deploy", "chart"]),
    ("dist/chart", "", &["deploy", "chart"]),
    ("dist/chart/templates", "", &["deploy", "chart"]),
    (
        "dist/chart/values.yaml",
        "file",
        &["deploy", "chart", "--force"],
    ),
    ("dist/chart/Chart.yaml", "missing", &["deploy", "chart"]),
    ("dist", "", &["deploy", "bundle"]),
    ("dist/bundle/manifests", "sub", &["deploy", "bundle"]),
    ("dist", "", &["docs"]),
    ("dist/docs/index.html", "file", &["docs", "--force"]),
    (
        "schemas",
        "",
        &["schema", "-f", "deploy/crd.yaml", "-o", "schemas"],
    ),
    (
        "schemas/index.json",
        "file",
        &["schema", "-f", "deploy/crd.yaml", "-o", "schemas"],
    ),
    ("man", "", &["man", "-o", "man"]),
    ("man/kube-codegen.1", "file", &["man", "-o", "man"]),
    ("src/generated", "", &["generate"]),
    ("src/generated", "", &["update"]),
    ("src/generated/mod.rs", "file", &["update"]),
    (
        "out",
        "",
        &["generate", "-f", "deploy/crd.yaml", "-o", "out"],
    ),
    ("new", "", &["new", "new", "-f", "deploy/crd.yaml"]),
    (
        "new/src",
        "",
        &["new", "new", "-f", "deploy/crd.yaml", "--force"],
    ),
    (
        "new/src/generated",
        "",
        &["new", "new", "-f", "deploy/crd.yaml"],
    ),
    (
        "new/README.md",
        "missing",
        &["new", "new", "-f", "deploy/crd.yaml"],
    ),
    ("kinds", "", &["crate", "kinds", "-f", "deploy/crd.yaml"]),
    (
        "kinds/src",
        "",
        &["crate", "kinds", "-f", "deploy/crd.yaml", "--force"],
    ),
    (
        "kinds/Cargo.toml",
        "missing",
        &["crate", "kinds", "-f", "deploy/crd.yaml"],
    ),
    ("src", "", &["add", "--watch=v1/Pod"]),
    (
        "crds",
        "",
        &[
            "crd",
            "init",
            "--group=a.example.com",
            "--kind=A",
            "-o",
            "crds/a.yaml",
        ],
    ),
    (
        "a.yaml",
        "missing",
        &[
            "crd",
            "init",
            "--group=a.example.com",
            "--kind=A",
            "-o",
            "a.yaml",
        ],
    ),
    (
        "deploy/rbac.yaml",
        "file",
        &["rbac", "--write", "--requests=requests.jsonl"],
    ),
    (
        "RIGHTS.md",
        "file",
        &[
            "rbac",
            "--write",
            "--requests=requests.jsonl",
            "--page=RIGHTS.md",
        ],
    ),
];

#[test]
fn no_command_writes_through_a_link() {
    let requests = "{\"verb\":\"list\",\"group\":\"iksoon.test.com\",\"resource\":\"crdplural\"}\n";
    for (link, to, args) in LINKS {
        let place = Place::new();
        fs::write(place.package.join("requests.jsonl"), requests).unwrap();
        if args[0] == "rbac" && *link == "deploy/rbac.yaml" {
            fs::copy(place.package.join(link), place.victim.join("file")).unwrap();
        }
        let before = files(&place.victim);
        place.link(link, to);
        if args[0] == "update" || args[0] == "add" {
            // Something to write.
            let config = place.package.join("kube-codegen.toml");
            let text = fs::read_to_string(&config).unwrap();
            fs::write(&config, format!("dedup = false\n{text}")).unwrap();
        }
        let output = run(&place.package, args);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{link} {args:?}: {message}");
        assert!(
            message.contains("is a symbolic link"),
            "{link} {args:?}: {message}"
        );
        assert_eq!(files(&place.victim), before, "{link} {args:?}");
        assert!(
            fs::symlink_metadata(place.package.join(link))
                .unwrap()
                .is_symlink()
        );
    }
}

#[test]
fn a_path_that_the_user_spells_out_may_be_a_link() {
    let directory = directory(CRDKIND);
    let real = directory.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, directory.path().join("link")).unwrap();
    let link = directory.path().join("link").display().to_string();
    succeed(
        directory.path(),
        &["generate", "-qf", "crd.yaml", "-o", &link],
    );
    assert!(real.join("mod.rs").exists());
}

fn start(directory: &Path, args: &[&str]) -> Child {
    let mut command = kube_codegen(directory);
    command.args(args).stdout(Stdio::null());
    command.spawn().unwrap()
}

#[test]
fn runs_at_once_leave_the_files_of_one_of_them() {
    let directory = directory(CRDKIND);
    let other = CRDKIND
        .replace("CrdKind", "Other")
        .replace("crdplural", "others")
        .replace("iksoon", "other");
    fs::write(directory.path().join("other.yaml"), other).unwrap();
    let expected = ["crd.yaml", "other.yaml"].map(|input| {
        succeed(
            directory.path(),
            &[
                "generate",
                "-qf",
                input,
                "-o",
                input.trim_end_matches(".yaml"),
            ],
        );
        files(&directory.path().join(input.trim_end_matches(".yaml")))
    });
    assert_ne!(expected[0], expected[1]);
    for round in 0..20 {
        // A new directory, or one with the files of the last round.
        let output = format!("out/{}", round / 2);
        let runs = ["crd.yaml", "other.yaml"].map(|input| {
            start(
                directory.path(),
                &["generate", "-qqf", input, "-o", &output],
            )
        });
        for mut run in runs {
            assert!(run.wait().unwrap().success());
        }
        let found = files(&directory.path().join(&output));
        assert!(expected.contains(&found), "{round}: {:?}", found.keys());
    }
}

#[test]
fn updates_and_runs_of_the_generator_at_once_leave_an_operator_that_is_up_to_date() {
    let (_directory, package) = scaffold(&[]);
    for round in 0..5 {
        let config = package.join("kube-codegen.toml");
        let text = fs::read_to_string(&config).unwrap();
        let text = text.lines().filter(|it| !it.starts_with("dedup"));
        let text: Vec<_> = text.collect();
        let text = format!("dedup = {}\n{}\n", round % 2 == 0, text.join("\n"));
        fs::write(&config, text).unwrap();
        let runs =
            ["update", "generate", "update"].map(|command| start(&package, &[command, "-qq"]));
        for mut run in runs {
            assert!(run.wait().unwrap().success());
        }
        succeed(&package, &["generate", "--check"]);
        succeed(&package, &["update", "--check"]);
        let leftovers = paths(&package)
            .into_iter()
            .filter(|it| it.extension().is_some_and(|it| it == "tmp"));
        assert_eq!(leftovers.count(), 0);
    }
}
