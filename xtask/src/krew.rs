//! Writes the manifest by which krew installs the archives of a release as the kubectl plugin `kubectl codegen`.
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::dist::{DEV, DOCUMENTS, NAME, VERSION, stem};

/// Arguments of the task.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directory of the archives and of their checksums (`*.tar.gz.sha256`)
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The targets of a release, with the names that krew selects them by. `release.yml` builds them; a test compares.
const PLATFORMS: [(&str, &str, &str); 3] = [
    ("aarch64-apple-darwin", "darwin", "arm64"),
    ("aarch64-unknown-linux-musl", "linux", "arm64"),
    ("x86_64-unknown-linux-musl", "linux", "amd64"),
];

/// Prints the manifest, as JSON, which is YAML, too.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let mut platforms = Vec::new();
    for (triple, os, arch) in PLATFORMS {
        let path = arguments
            .directory
            .join(format!("{}.tar.gz.sha256", stem(triple)));
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let sum = text.split_whitespace().next().unwrap_or_default();
        platforms.push(platform(triple, os, arch, sum));
    }
    println!("{:#}", manifest(&platforms));
    Ok(true)
}

fn platform(triple: &str, os: &str, arch: &str, sum: &str) -> Value {
    let stem = stem(triple);
    let files = [NAME, DEV].iter().chain(&DOCUMENTS);
    let files: Vec<_> = files
        .map(|name| json!({"from": format!("{stem}/{name}"), "to": "."}))
        .collect();
    json!({
        "selector": {"matchLabels": {"os": os, "arch": arch}},
        "uri": format!("{REPOSITORY}/releases/download/v{VERSION}/{stem}.tar.gz"),
        "sha256": sum,
        "files": files,
        "bin": NAME,
    })
}

fn manifest(platforms: &[Value]) -> Value {
    json!({
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "codegen"},
        "spec": {
            "version": format!("v{VERSION}"),
            "homepage": REPOSITORY,
            "shortDescription": "Rust operators from CRDs, and checks of CRDs",
            "description": "Generates Rust types, clients, informers and controllers from\nCustomResourceDefinitions, and checks, compares and documents these.\n",
            "platforms": platforms,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platforms_are_those_of_the_release() {
        let path = crate::root().join(".github/workflows/release.yml");
        let text = fs::read_to_string(path).unwrap();
        let targets = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- {target: "));
        let mut targets: Vec<_> = targets.filter_map(|it| it.split(',').next()).collect();
        targets.sort_unstable();
        assert_eq!(targets, PLATFORMS.map(|(triple, ..)| triple));
    }

    #[test]
    fn archives_are_named_with_their_checksums() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = Arguments {
            directory: folder.path().to_owned(),
        };
        let error = run(&arguments).unwrap_err().to_string();
        assert!(
            error.contains("aarch64-apple-darwin.tar.gz.sha256"),
            "{error}"
        );
        let platform = platform("x86_64-unknown-linux-musl", "linux", "amd64", "abc");
        let stem = stem("x86_64-unknown-linux-musl");
        let uri = format!("{REPOSITORY}/releases/download/v{VERSION}/{stem}.tar.gz");
        assert_eq!(
            (platform["uri"].as_str(), platform["sha256"].as_str()),
            (Some(&*uri), Some("abc"))
        );
        assert_eq!(platform["files"][0]["from"], format!("{stem}/kube-codegen"));
        // krew takes at most 50 characters.
        let manifest = manifest(&[platform]);
        assert!(manifest["spec"]["shortDescription"].as_str().unwrap().len() <= 50);
    }
}
