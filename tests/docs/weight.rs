//! Compares the table of counts in CONTRIBUTING.md: who adds weight changes it and says why. `KUBE_CODEGEN_ACCEPT=1` rewrites it.
use std::{collections::BTreeSet, env, fs, path::Path, process::Command};

use serde_json::Value;

const START: &str = "<!-- counts: begin -->\n";
const END: &str = "<!-- counts: end -->\n";

fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(args)
        .arg("--offline")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the number of crates that are compiled for a package, on this machine.
fn crates(package: &str, features: &[&str]) -> usize {
    let args = [
        "tree",
        "--package",
        package,
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ];
    let tree = cargo(&[&args, features].concat());
    let all: BTreeSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .collect();
    all.len()
}

/// Returns the number of lines of Rust below a directory, in thousands, rounded up.
fn lines(directory: &Path) -> usize {
    fn count(directory: &Path) -> usize {
        let entries = fs::read_dir(directory).into_iter().flatten();
        entries
            .map(|entry| {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    count(&path)
                } else if path.extension().is_some_and(|it| it == "rs") {
                    fs::read_to_string(path).unwrap().lines().count()
                } else {
                    0
                }
            })
            .sum()
    }
    count(directory).div_ceil(1_000)
}

#[test]
fn counts_are_those_of_the_table() {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--no-deps", "--format-version", "1"])).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let mut programs = 0;
    let head = [
        "| package | crates | thousand lines, with tests |",
        "|---|---|---|",
    ];
    let mut table = Vec::from(head.map(str::to_owned));
    let mut row = |name: &str, crates: usize, lines: String| {
        table.push(format!("| {name} | {crates} | {lines} |"));
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut rows: Vec<(String, usize)> = Vec::new();
    for package in packages {
        let targets = package["targets"].as_array().unwrap();
        let is_test = |it: &&Value| it["test"] == true && it["kind"][0] != "custom-build";
        programs += targets.iter().filter(is_test).count();
        let name = package["name"].as_str().unwrap();
        let directory = Path::new(package["manifest_path"].as_str().unwrap())
            .parent()
            .unwrap();
        if directory.parent() == Some(&root.join("crates")) && package["publish"].is_null() {
            let lines = lines(&directory.join("src")) + lines(&directory.join("tests"));
            rows.push((name.to_owned(), lines));
        }
    }
    let generator = lines(&root.join("src")) + lines(&root.join("tests"));
    row(
        "`kube-codegen`, in a build script",
        crates("kube-codegen", &["--no-default-features"]),
        String::new(),
    );
    row(
        "`kube-codegen`, the command",
        crates("kube-codegen", &[]),
        generator.to_string(),
    );
    rows.sort();
    for (name, lines) in &rows {
        row(&format!("`{name}`"), crates(name, &[]), lines.to_string());
    }
    row(
        "`crdkind-operator`, the operator of the README",
        crates("crdkind-operator", &[]),
        String::new(),
    );
    let goldens = lines(&root.join("generated-examples/goldens/output"));
    let table = format!(
        "{}\n\nTest programs: {programs}. Lines of goldens, in thousands: {goldens}.\n",
        table.join("\n")
    );

    let path = root.join("CONTRIBUTING.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let (found, after) = rest.split_once(END).unwrap();
    if env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        fs::write(&path, format!("{before}{START}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(
        found, table,
        "CONTRIBUTING.md: change the table, and say in the commit why"
    );
}
