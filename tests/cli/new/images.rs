//! `make docker-build` of an operator whose crates are those of a checkout.
use std::{fs, path::Path, process::Command};

use serde::Deserialize;

use super::{CRDKIND, create, directory};
use crate::cli::{deploy::add_all, files, run, stderr, succeed};

#[test]
fn an_image_is_rejected_while_the_crates_are_those_of_a_checkout() {
    let (directory, package) = directory(CRDKIND);
    create(directory.path(), &[]);
    let build = || {
        let make = Command::new("make")
            .args(["docker-build", "CONTAINER_TOOL=echo container"])
            .current_dir(&package)
            .output()
            .unwrap();
        let output = [make.stdout, make.stderr].concat();
        (make.status.success(), String::from_utf8(output).unwrap())
    };
    let (succeeded, output) = build();
    assert!(
        !succeeded && output.contains("kube-codegen update --runtime-git URL"),
        "{output}"
    );
    assert!(output.contains("kube-codegen-runtime = {"), "{output}");
    assert!(!output.contains("container build"), "{output}");

    let manifest = package.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("path = ", "version = ")).unwrap();
    fs::write(package.join("Cargo.lock"), "").unwrap();
    let (succeeded, output) = build();
    assert!(
        succeeded && output.contains("container build -t"),
        "{output}"
    );

    // The reader of the README knows it before, and that copies in the package do as well.
    let readme = fs::read_to_string(package.join("README.md")).unwrap();
    let (before, _) = readme.split_once("make docker-build docker-push").unwrap();
    assert!(
        before.contains("kube-codegen update --runtime-git") && before.contains("copies in this"),
        "{before}"
    );
    let (_, checkout) = text.split_once("path = \"").unwrap();
    let (checkout, _) = checkout.split_once("record").unwrap();
    for (path, is_inside) in [
        ("vendor/", true),
        ("./vendor/", true),
        ("../", false),
        ("../../up/", false),
        ("/opt/", false),
        ("C:/up/", false),
    ] {
        fs::write(&manifest, text.replace(checkout, path)).unwrap();
        let (succeeded, output) = build();
        assert_eq!(succeeded, is_inside, "{path}: {output}");
    }
}

const REVISION: [&str; 2] = [
    "--runtime-git=https://git.example.com/kube-codegen.git",
    "--runtime-rev=0123abc",
];

#[test]
fn an_image_and_ci_take_the_crates_of_a_revision() {
    let (parent, package) = directory(CRDKIND);
    create(
        parent.path(),
        &[&REVISION[..], &["--webhooks=defaulting"]].concat(),
    );
    add_all(&package);
    is_of_a_revision(&package);

    // An operator that exists changes its mind.
    let (parent, package) = directory(CRDKIND);
    create(parent.path(), &[]);
    add_all(&package);
    succeed(&package, &[&["update"], &REVISION[..]].concat());
    is_of_a_revision(&package);
    succeed(&package, &["update", "--check"]);
    let output = run(&package, &["update", REVISION[0]]);
    assert!(
        stderr(&output).contains("--runtime-rev"),
        "{}",
        stderr(&output)
    );
    let output = run(
        &package,
        &["update", REVISION[1], "--runtime-git=git@example.com:a/b"],
    );
    assert!(
        stderr(&output).contains("ssh://git@HOST"),
        "{}",
        stderr(&output)
    );
}

fn is_of_a_revision(package: &Path) {
    for name in ["Cargo.toml", "upgrade/Cargo.toml"] {
        let manifest: toml::Table = fs::read_to_string(package.join(name))
            .unwrap()
            .parse()
            .unwrap();
        let mut found = 0;
        for section in ["dependencies", "dev-dependencies"] {
            let crates = manifest.get(section).and_then(toml::Value::as_table);
            for (name, dependency) in crates.into_iter().flatten() {
                if name.starts_with("kube-codegen-") {
                    found += 1;
                    assert_eq!(
                        dependency["git"].as_str(),
                        Some("https://git.example.com/kube-codegen.git")
                    );
                    assert_eq!(dependency["rev"].as_str(), Some("0123abc"));
                    assert!(dependency.get("path").is_none(), "{name}");
                }
            }
        }
        assert!(found > 1, "{name}");
    }
    for (name, text) in files(package) {
        if name.starts_with(".github/workflows/") {
            for line in text.lines().filter(|it| it.contains("cargo install")) {
                let install = "cargo install kube-codegen --locked --git https://git.example.com/kube-codegen.git --rev 0123abc";
                assert_eq!(line.trim(), format!("- run: {install}"), "{name}");
            }
        }
    }
    let make = Command::new("make")
        .args(["published"])
        .current_dir(package)
        .output()
        .unwrap();
    assert!(make.status.success(), "{}", stderr(&make));
}

/// What docs/security.md says of new operators.
#[test]
fn versions_are_pinned_and_no_role_has_a_wildcard() {
    for args in [
        &[][..],
        &[
            "--scope=namespace",
            "--owns=v1/Service",
            "--webhooks=defaulting",
        ],
    ] {
        let (parent, package) = directory(CRDKIND);
        create(parent.path(), args);
        add_all(&package);
        let (mut rules, mut pins) = (0, 0);
        for (name, text) in files(&package) {
            let is_yaml = Path::new(&name).extension().is_some_and(|it| it == "yaml");
            if name.starts_with("deploy/") && is_yaml {
                for document in serde_yaml::Deserializer::from_str(&text) {
                    let object = serde_json::Value::deserialize(document).unwrap();
                    for rule in object["rules"].as_array().into_iter().flatten() {
                        rules += 1;
                        assert!(!rule.to_string().contains("\"*\""), "{name}: {rule}");
                    }
                }
            }
            if name == "Dockerfile" || name.starts_with(".github/") {
                let commands = [
                    "cargo build",
                    "cargo chef cook",
                    "cargo install",
                    "cargo test",
                ];
                let is_command = |line: &&str| commands.iter().any(|it| line.contains(it));
                for line in text.lines().filter(is_command) {
                    assert!(line.contains("--locked"), "{name}: {line}");
                }
                pins += pinned(&name, &text);
            }
        }
        assert!(rules > 5);
        assert!(pins > 10);
        // Of a CI runner, and of a person who has just added a dependency.
        for (ci, locked) in [("true", true), ("", false)] {
            let make = Command::new("make")
                .args(["--dry-run", "check", "test"])
                .env("CI", ci)
                .current_dir(&package)
                .output()
                .unwrap();
            let commands = String::from_utf8(make.stdout).unwrap();
            for command in ["cargo clippy", "cargo test"] {
                let line = commands.lines().find(|it| it.contains(command)).unwrap();
                assert_eq!(line.contains("--locked"), locked, "{line}");
            }
        }
    }
}

/// Counts the actions and base images of a file, each pinned by a commit or a digest.
fn pinned(name: &str, text: &str) -> usize {
    let is_hex = |text: &str| text.bytes().all(|c| c.is_ascii_hexdigit());
    let stages: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once(" AS ").map(|(_, stage)| stage))
        .collect();
    let mut count = 0;
    for line in text.lines() {
        let action = line.trim_start_matches([' ', '-']).strip_prefix("uses: ");
        let image = line.strip_prefix("FROM ");
        let image = image.filter(|it| !stages.contains(&it.split(' ').next().unwrap()));
        if let Some(action) = action {
            let (commit, version) = action
                .split_once('@')
                .unwrap()
                .1
                .split_once(" # v")
                .unwrap();
            assert!(commit.len() == 40 && is_hex(commit), "{name}: {line}");
            assert!(!version.is_empty(), "{name}: {line}");
        } else if let Some(image) = image {
            let digest = image.split(' ').next().unwrap().split_once("@sha256:");
            let (_, digest) = digest.unwrap_or_else(|| panic!("{name}: {line}"));
            assert!(digest.len() == 64 && is_hex(digest), "{name}: {line}");
        } else {
            continue;
        }
        count += 1;
    }
    count
}
