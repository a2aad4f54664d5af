//! `kube-codegen crate`: what it updates, what it keeps, and that the crate builds with any of its features.
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use tempfile::TempDir;

use super::{ROOT, cargo, files, run, stderr, succeed};

/// Returns a CRD of a kind in these versions, with a text wherever the format allows one.
fn definition(group: &str, kind: &str, versions: &[&str], text: &str) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    let text = serde_json::Value::from(text);
    let mut yaml = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {plural}.{group}\n  \
         annotations: {{note: {text}}}\nspec:\n  group: {group}\n  scope: Namespaced\n  names: {{plural: {plural}, kind: {kind}}}\n  versions:\n"
    );
    for (index, version) in versions.iter().enumerate() {
        let storage = index == 0;
        _ = write!(
            yaml,
            "  - name: {version}\n    served: true\n    storage: {storage}\n    deprecated: {}\n    deprecationWarning: {text}\n    schema:\n      \
             openAPIV3Schema:\n        type: object\n        description: {text}\n        properties:\n          spec:\n            \
             type: object\n            properties:\n              size: {{type: integer, description: {text}}}\n",
            !storage
        );
    }
    yaml
}

/// Returns a directory with `crds.yaml`, and the directory of the crate to create in it.
fn directory(crds: &str) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("crds.yaml"), crds).unwrap();
    let package = directory.path().join("kinds");
    (directory, package)
}

fn make(directory: &Path, args: &[&str]) -> Output {
    run(
        directory,
        &[&["crate", "kinds", "-f", "crds.yaml"], args].concat(),
    )
}

/// Creates or updates the crate, and returns the output of the command.
fn create(directory: &Path, args: &[&str]) -> String {
    succeed(
        directory,
        &[&["crate", "kinds", "-f", "crds.yaml"], args].concat(),
    )
}

fn features(package: &Path) -> Vec<String> {
    let text = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let names = table["features"].as_table().unwrap().keys();
    names.filter(|name| *name != "default").cloned().collect()
}

#[test]
fn features_and_modules_follow_the_crds_and_the_rest_is_kept() {
    let widget = definition("example.com", "Widget", &["v1", "v1beta1"], "");
    let (directory, package) = directory(&widget);
    create(directory.path(), &[]);
    assert_eq!(
        features(&package),
        ["example-com-v1", "example-com-v1beta1", "full"]
    );
    // Changes of the user: a dependency, a feature, metadata, text and a module.
    let edit = |file: &str, from: &str, to: &str| {
        let path = package.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    edit(
        "Cargo.toml",
        "version = \"0.1.0\"",
        "version = \"7.0.0\" # mine",
    );
    edit(
        "Cargo.toml",
        "default = []",
        "default = [\"example-com-v1\"]\nextra = []",
    );
    edit(
        "Cargo.toml",
        "[dependencies]\n",
        "[dependencies]\nanyhow = \"1\"\n",
    );
    edit("README.md", "# kinds\n", "# The best kinds\n\nMine.\n");
    fs::write(package.join(".gitignore"), "target/\n*.swp\n").unwrap();
    fs::write(package.join("src/mine.rs"), "// mine\n").unwrap();
    let edited = files(&package);
    assert!(create(directory.path(), &[]).contains("0 files written"));
    assert_eq!(files(&package), edited);

    let gadget = definition("tools.example.com", "Gadget", &["v1"], "");
    fs::write(
        directory.path().join("crds.yaml"),
        format!("{widget}---\n{gadget}"),
    )
    .unwrap();
    create(directory.path(), &[]);
    let more = [
        "example-com-v1",
        "example-com-v1beta1",
        "extra",
        "full",
        "tools-example-com-v1",
    ];
    assert_eq!(features(&package), more);
    let all = files(&package);
    assert!(all.contains_key("src/tools_example_com/v1/types.rs"));
    assert!(
        all["README.md"]
            .contains("| `tools-example-com-v1` | `tools_example_com::v1` | `Gadget` |")
    );
    assert!(
        all["src/lib.rs"]
            .contains("#[cfg(feature = \"tools-example-com-v1\")]\npub mod tools_example_com {")
    );

    // Without the new kind, the generated lines disappear and the user's files are unchanged.
    fs::write(directory.path().join("crds.yaml"), &widget).unwrap();
    create(directory.path(), &[]);
    assert_eq!(files(&package), edited);
}

#[test]
fn a_directory_of_hundreds_of_kinds_is_one_crate() {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("crds.yaml")).unwrap();
    for index in 0..299 {
        let text = definition(&format!("g{index}.example.com"), "Widget", &["v1"], "");
        fs::write(
            directory.path().join(format!("crds.yaml/{index}.yaml")),
            text,
        )
        .unwrap();
    }
    let output = create(directory.path(), &["--emit", "types"]);
    assert!(
        output.starts_with("kinds in kinds: 299 features; "),
        "{output}"
    );
    let text = definition("more.example.com", "Widget", &["v1"], "");
    fs::write(directory.path().join("crds.yaml/more.yaml"), text).unwrap();
    let output = create(directory.path(), &["--emit", "types"]);
    assert!(output.contains("crates.io accepts at most 300"), "{output}");
    assert_eq!(features(&directory.path().join("kinds")).len(), 301);
}

#[test]
fn a_version_enables_the_version_that_defines_its_types() {
    let widget = definition("example.com", "Widget", &["v1", "v1beta1"], "");
    let (directory, package) = directory(&widget);
    create(directory.path(), &[]);
    let all = files(&package);
    let either = "#[cfg(any(feature = \"example-com-v1\", feature = \"example-com-v1beta1\"))]\n";
    let root = &all["src/lib.rs"];
    assert!(
        root.contains(&format!("    {either}    pub mod v1;\n")),
        "{root}"
    );
    let own = "    #[cfg(feature = \"example-com-v1beta1\")]\n    pub mod v1beta1;\n";
    assert!(root.contains(own), "{root}");
    // Clients belong to one version.
    let (_, clients) = root.split_once("pub struct Clientset").unwrap();
    assert!(!clients.contains("any("), "{clients}");
}

#[test]
fn groups_that_differ_in_a_dash_have_different_features() {
    let definitions = ["a-b.example.com", "a.b.example.com"]
        .map(|group| definition(group, "Widget", &["v1"], ""))
        .join("---\n");
    let (directory, package) = directory(&definitions);
    create(directory.path(), &[]);
    let features = features(&package);
    assert_eq!(features.len(), 3, "{features:?}");
    assert!(
        features.contains(&"a-b-example-com-v1".to_owned()),
        "{features:?}"
    );
}

#[test]
fn text_of_a_crd_does_not_reach_the_files_of_the_user() {
    let evil = "evil\n\"\"\"\n]\n[dependencies]\nevil = \"1\"\n```\n<!-- kube-codegen: end -->\n# kube-codegen: end\n\u{1b}[31m */ #![evil] {{ evil }}";
    let (directory, package) = directory(&definition("example.com", "Widget", &["v1", "v2"], evil));
    create(directory.path(), &[]);
    let all = files(&package);
    for path in [
        "Cargo.toml",
        "README.md",
        ".gitignore",
        ".cargo/config.toml",
        "src/lib.rs",
    ] {
        assert!(!all[path].contains("evil"), "{path}: {}", all[path]);
    }
    let manifest: toml::Table = all["Cargo.toml"].parse().unwrap();
    assert_eq!(manifest["dependencies"].as_table().unwrap().len(), 5);
}

#[test]
fn a_manifest_without_marks_is_not_changed() {
    let (directory, package) = directory(&definition("example.com", "Widget", &["v1"], ""));
    let manifest = "[package]\nname = \"kinds\"\nversion = \"1.0.0\"\n\n[features]\nexample-com-v1 = []\n\n[dependencies]\nkube = \"4\"\n";
    fs::create_dir(&package).unwrap();
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    fs::write(package.join("README.md"), "# Mine\n").unwrap();
    // All features are declared by hand; a dependency has another version.
    let output = create(directory.path(), &[]);
    assert!(
        output.contains("note: `Cargo.toml` depends on kube 4, but the generated code needs 5"),
        "{output}"
    );
    let all = files(&package);
    assert_eq!(
        (all["Cargo.toml"].as_str(), all["README.md"].as_str()),
        (manifest, "# Mine\n")
    );

    let more = definition("example.com", "Widget", &["v1", "v2"], "");
    fs::write(directory.path().join("crds.yaml"), more).unwrap();
    let output = make(directory.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("does not declare 1 of 2 features, such as `example-com-v2`"));
    assert_eq!(files(&package), all);

    let broken = manifest.replace(
        "[features]",
        "[features]\n# kube-codegen: begin\n# kube-codegen: end",
    );
    fs::write(package.join("Cargo.toml"), broken).unwrap();
    let output = make(directory.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("duplicate key"),
        "{}",
        stderr(&output)
    );
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_at_the_path_of_a_file_is_an_error() {
    let (directory, package) = directory(&definition("example.com", "Widget", &["v1"], ""));
    fs::create_dir(&package).unwrap();
    let elsewhere = directory.path().join("elsewhere");
    fs::write(&elsewhere, "target/\n").unwrap();
    std::os::unix::fs::symlink(&elsewhere, package.join(".gitignore")).unwrap();
    let output = make(directory.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("is a symbolic link"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(elsewhere).unwrap(), "target/\n");
    assert!(!package.join("Cargo.toml").exists());
}

#[test]
fn the_kubernetes_version_reaches_every_file() {
    let (directory, package) = directory(&definition("example.com", "Widget", &["v1"], ""));
    create(directory.path(), &["--kubernetes=1.36"]);
    let files = files(&package);
    let config: toml::Table = files[".cargo/config.toml"].parse().unwrap();
    assert_eq!(
        config["env"]["K8S_OPENAPI_ENABLED_VERSION"].as_str(),
        Some("1.36")
    );
    let manifest: toml::Table = files["Cargo.toml"].parse().unwrap();
    let docs = &manifest["package"]["metadata"]["docs"]["rs"]["features"];
    let features = ["full", "k8s-openapi/v1_36"];
    assert_eq!(docs, &toml::Value::from(features.to_vec()));
    assert!(files["README.md"].contains("--features v1_36"));
    assert!(files["README.md"].contains("--kubernetes 1.36"));
    for (path, text) in files {
        assert!(!text.contains("1_33") && !text.contains("1.33"), "{path}");
    }
}

#[test]
fn options_are_read_from_a_config_file() {
    let (directory, package) = directory(&definition("example.com", "Widget", &["v1"], ""));
    let config = "file = [\"crds.yaml\"]\noutput = \"kinds\"\nemit = [\"types\"]\n";
    fs::write(directory.path().join("kube-codegen.toml"), config).unwrap();
    succeed(directory.path(), &["crate", "kinds", "--license", "MIT"]);
    let all = files(&package);
    assert!(!all["src/lib.rs"].contains("Clientset"));
    assert!(all["Cargo.toml"].contains("license = \"MIT\""));
    assert!(all["README.md"].contains("use kinds::example_com::v1::Widget;"));
}

/// Runs the checks before a publication: with each feature alone, none and all.
#[test]
#[ignore = "compiles a crate a dozen times: takes minutes"]
fn the_crate_can_be_published() {
    let cluster =
        definition("example.com", "Cluster", &["v1"], "").replace("Namespaced", "Cluster");
    let widget = definition(
        "tools.example.com",
        "Widget",
        &["v1", "v1beta1"],
        "Not `this`.",
    );
    let (directory, package) = directory(&format!("{cluster}---\n{widget}"));
    create(directory.path(), &[]);
    let [record, runtime] = ["record", "runtime"]
        .map(|name| format!("patch.crates-io.kube-codegen-{name}.path='{ROOT}/crates/{name}'"));
    let cargo = |args: &[&str]| cargo(&package, args);
    cargo(&["fmt", "--check"]);
    let mut sets = features(&package);
    sets.push(String::new());
    for set in &sets {
        cargo(&["clippy", "--features", set, "--", "-D", "warnings"]);
    }
    for set in ["", "full"] {
        cargo(&["doc", "--no-deps", "--features", set]);
        cargo(&["test", "--features", set]);
    }
    let packed = cargo(&["package", "--list", "--allow-dirty"]);
    for file in [
        "README.md",
        "src/lib.rs",
        "src/tools_example_com/widgets.json",
    ] {
        assert!(packed.lines().any(|line| line == file), "{file}: {packed}");
    }
    // Takes the runtime crates from this checkout, published or not.
    cargo(&[
        "publish",
        "--dry-run",
        "--allow-dirty",
        "--features",
        "full",
        "--config",
        &record,
        "--config",
        &runtime,
    ]);
}
