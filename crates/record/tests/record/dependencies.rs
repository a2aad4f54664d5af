//! The dependencies of a crate that uses only generated types.
use std::{collections::BTreeSet, process::Command};

#[test]
fn a_crate_of_types_compiles_at_most_25_crates() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--manifest-path", manifest])
        .args([
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let crates: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split(" (").next())
        .collect();
    let has = |name: &str| crates.iter().any(|it| it.split(' ').next() == Some(name));
    assert!(has("kube-codegen-record"), "{tree}");
    // One more: the crate of types itself.
    assert!(crates.len() < 25, "{tree}");
    for heavy in ["kube", "kube-core", "tokio", "hyper"] {
        assert!(!has(heavy), "{tree}");
    }
}
