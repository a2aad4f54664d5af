//! Packages the crates that are published, and checks their metadata and contents.
use std::error::Error;
use std::fs::File;
use std::path::Path;

use clap::Args;
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::{cargo, root, target};

/// Arguments of the task.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Only print the names of the crates, as arguments of cargo
    #[arg(long)]
    list: bool,

    /// Compile each package from its own files, as users do
    #[arg(long)]
    verify: bool,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The largest package in bytes; crates.io takes ten times as much.
const LARGEST: u64 = 1_000_000;

/// Checks or lists the packages. Returns whether no problem was found.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let packages = published()?;
    let names: Vec<&str> = packages
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    if arguments.list {
        let arguments: Vec<String> = names.iter().map(|it| format!("--package {it}")).collect();
        println!("{}", arguments.join(" "));
        return Ok(true);
    }
    let mut problems: Vec<String> = packages.iter().flat_map(problems).collect();
    // The working tree may have changes that are not committed.
    let mut command = cargo(&["package", "--quiet", "--locked", "--allow-dirty"]);
    if !arguments.verify {
        command.arg("--no-verify");
    }
    command.args(names.iter().flat_map(|name| ["--package", name]));
    if !command.status()?.success() {
        return Err("cargo failed; see its output".into());
    }
    for package in &packages {
        problems.extend(problems_of_file(package)?);
    }
    for problem in &problems {
        eprintln!("error: {problem}");
    }
    Ok(problems.is_empty())
}

/// Returns the crates that are published, as `cargo metadata` describes them.
fn published() -> Result<Vec<Value>> {
    let output = cargo(&["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let examples = root().join("generated-examples");
    let is_published = |package: &Value| {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        package["publish"].is_null() && !Path::new(manifest).starts_with(&examples)
    };
    Ok(packages.into_iter().filter(is_published).collect())
}

/// Returns what is wrong with the metadata of a crate.
fn problems(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let mut problems = Vec::new();
    let mut expect = |is_met: bool, what: &str| {
        if !is_met {
            problems.push(format!("{name}: {what}"));
        }
    };
    for key in [
        "description",
        "license",
        "repository",
        "readme",
        "rust_version",
    ] {
        expect(package[key].is_string(), &format!("`{key}` is missing"));
    }
    let texts = |key: &str| {
        let list = package[key].as_array().cloned().unwrap_or_default();
        list.iter()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let keywords = texts("keywords");
    expect(
        (1..=5).contains(&keywords.len()),
        "crates.io takes one to five keywords",
    );
    let is_word = |word: &String| {
        word.len() <= 20 && word.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
    };
    expect(
        keywords.iter().all(is_word),
        "a keyword has at most 20 letters, digits and `-`",
    );
    expect(
        (1..=5).contains(&texts("categories").len()),
        "crates.io takes one to five categories",
    );
    let docs = &package["metadata"]["docs"]["rs"];
    expect(
        docs["all-features"] == true,
        "docs.rs shows no feature: `all-features` is missing",
    );
    let dependencies = package["dependencies"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let chooses = |dependency: &Value| {
        let features = dependency["features"].as_array();
        dependency["name"] == "k8s-openapi"
            && features.is_some_and(|it| {
                it.iter()
                    .any(|it| it.as_str().is_some_and(|it| it.starts_with("v1_")))
            })
    };
    let libraries = dependencies.iter().filter(|it| it["kind"].is_null());
    let (needs, has) = libraries
        .filter(|it| it["name"] == "k8s-openapi")
        .fold((false, false), |(_, has), it| (true, has || chooses(it)));
    let for_docs = docs["features"].as_array().is_some_and(|it| {
        it.iter().any(|it| {
            it.as_str()
                .is_some_and(|it| it.starts_with("k8s-openapi/v1_"))
        })
    });
    expect(
        !needs || has || for_docs,
        "docs.rs cannot build it: it needs a version of k8s-openapi",
    );
    problems
}

/// Returns what is wrong with the file of a package.
fn problems_of_file(package: &Value) -> Result<Vec<String>> {
    let (name, version) = (&package["name"], &package["version"]);
    let stem = format!(
        "{}-{}",
        name.as_str().unwrap_or_default(),
        version.as_str().unwrap_or_default()
    );
    let path = target().join("package").join(format!("{stem}.crate"));
    let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let size = file.metadata()?.len();
    let mut archive = tar::Archive::new(GzDecoder::new(file));
    let mut files = Vec::new();
    for entry in archive.entries()? {
        files.push(entry?.path()?.display().to_string());
    }
    println!("{stem}: {} files, {} kB", files.len(), size / 1000);
    let mut problems = Vec::new();
    // A package may have a program alone.
    let root = if files.contains(&format!("{stem}/src/main.rs")) {
        "src/main.rs"
    } else {
        "src/lib.rs"
    };
    for needed in ["Cargo.toml", "LICENSE", "README.md", root] {
        if !files.contains(&format!("{stem}/{needed}")) {
            problems.push(format!("{stem}: its package lacks {needed}"));
        }
    }
    if size > LARGEST {
        problems.push(format!(
            "{stem}: its package has {size} bytes; is `include` too wide?"
        ));
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_crates_that_users_need_are_published_with_all_metadata() {
        let packages = published().unwrap();
        let mut names: Vec<_> = packages
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        names.sort_unstable();
        let expected = [
            "kube-codegen",
            "kube-codegen-cel",
            "kube-codegen-dev",
            "kube-codegen-formats",
            "kube-codegen-look",
            "kube-codegen-quantity",
            "kube-codegen-record",
            "kube-codegen-runtime",
            "kube-codegen-schema",
            "kube-codegen-simulation",
            "kube-codegen-testenv",
            "kube-codegen-testing",
        ];
        assert_eq!(names, expected);
        let found: Vec<String> = packages.iter().flat_map(problems).collect();
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn missing_metadata_is_reported() {
        let empty = json!({"name": "a", "dependencies": [{"name": "k8s-openapi", "kind": null, "features": []}]});
        let found = problems(&empty).join("\n");
        for what in [
            "`readme` is missing",
            "keywords",
            "categories",
            "`all-features`",
            "a version of k8s-openapi",
        ] {
            assert!(found.contains(what), "{what} is not in:\n{found}");
        }
    }
}
