//! The library as a build script sees it.
use std::process::Command;

/// A build script is compiled before anything else: it must not wait for a command line, an HTTP stack or a runtime.
#[test]
fn is_light() {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["tree", "-p", "kube-codegen", "--no-default-features"])
        .args([
            "-e",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--offline",
            "--locked",
        ])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let tree = String::from_utf8(output.stdout).unwrap();
    let mut crates: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    crates.sort_unstable();
    crates.dedup();
    assert!(crates.contains(&"kube-codegen") && crates.contains(&"syn"));
    for heavy in [
        "clap",
        "clap_builder",
        "tokio",
        "kube",
        "k8s-openapi",
        "minijinja",
        "toml",
        "hyper",
        "similar",
    ] {
        assert!(
            !crates.contains(&heavy),
            "{heavy} is needed by the library: {crates:?}"
        );
    }
    assert!(crates.len() <= 50, "{} crates: {crates:?}", crates.len());
}
