//! `kube-codegen add FEATURE`: what a new operator does without is one command away.
use std::{collections::BTreeMap, fs, path::Path};

use tempfile::TempDir;

use super::{
    CRDKIND,
    deploy::{FEATURES, minimal},
    files, run, stderr, stdout, succeed,
};

/// Each feature, with its files and its target in the Makefile.
const PARTS: [(&str, &[&str], Option<&str>); 13] = [
    ("ci", &[".github/workflows/ci.yml"], None),
    ("dependabot", &[".github/dependabot.yml"], None),
    ("release", &[".github/workflows/image.yml"], None),
    ("docs", &[".github/workflows/docs.yml"], Some("docs")),
    ("api-changes", &[".github/workflows/api-changes.yml"], None),
    (
        "upgrade",
        &["upgrade/Cargo.toml", "upgrade/upgrade.rs"],
        Some("upgrade"),
    ),
    ("roles", &["deploy/roles.yaml"], None),
    ("availability", &["deploy/availability.yaml"], None),
    (
        "metrics",
        &["deploy/metrics.yaml", "deploy/prometheus.yaml"],
        None,
    ),
    ("dashboard", &["deploy/dashboard.json"], None),
    ("network-policy", &["deploy/network-policy.yaml"], None),
    ("chart", &[], Some("chart")),
    ("bundle", &[], Some("bundle")),
];

const RECORD: &str = ".kube-codegen/scaffold.json";

fn has_target(files: &BTreeMap<String, String>, target: &str) -> bool {
    let target = format!("{target}: ");
    files["Makefile"]
        .lines()
        .any(|line| line.starts_with(&target))
}

#[test]
fn a_new_operator_has_at_most_24_files_and_a_short_record() {
    let (_directory, package) = minimal(&["--owns=apps/v1/Deployment,v1/Service,v1/ConfigMap"]);
    let files = files(&package);
    assert!(files.len() <= 24, "{:?}", files.keys());
    let record = &files[RECORD];
    assert!(record.lines().count() < 60, "{record}");
    for (_, parts, target) in PARTS {
        assert!(parts.iter().all(|it| !files.contains_key(*it)));
        assert!(target.is_none_or(|it| !has_target(&files, it)));
    }
    // What it says about itself before the details.
    let readme = &files["README.md"];
    let (start, _) = readme.split_once("\n## ").unwrap();
    let rows = start.lines().filter(|line| line.starts_with('|'));
    assert!(rows.count() <= 12, "{start}");
    for part in ["edit", "run", "Generated", "kube-codegen add"] {
        assert!(start.contains(part), "{start}");
    }
}

#[test]
fn each_feature_is_one_command_away_and_added_once() {
    let names: Vec<&str> = PARTS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, FEATURES);
    let help = succeed(Path::new("."), &["add", "--help"]);
    for (name, parts, target) in PARTS {
        let line = help
            .lines()
            .find(|it| it.trim().starts_with(&format!("- {name}:")));
        assert!(line.is_some(), "{name}: {help}");
        let (_directory, package) = minimal(&[]);
        let before = files(&package);
        let dry = succeed(&package, &["add", name, "--dry-run"]);
        assert!(dry.contains("files to write"), "{dry}");
        assert_eq!(files(&package), before);
        let out = succeed(&package, &["add", name]);
        assert!(out.contains("; next: "), "{name}: {out}");
        for part in parts {
            assert!(out.contains(&format!("created  ./{part}\n")), "{out}");
        }
        let after = files(&package);
        let new: Vec<&str> = (after.keys())
            .filter(|path| !before.contains_key(*path))
            .map(String::as_str)
            .collect();
        assert_eq!(new, parts, "{name}");
        assert!(target.is_none_or(|it| has_target(&after, it)), "{name}");
        succeed(&package, &["update", "--check"]);
        succeed(&package, &["generate", "--check"]);
        succeed(&package, &["deploy", "check"]);
        let again = succeed(&package, &["add", name]);
        assert_eq!(again, format!("the operator has `{name}` already\n"));
        assert_eq!(files(&package), after, "{name}");
    }
}

#[test]
fn the_order_of_features_does_not_matter() {
    let (_first, all) = minimal(&["--webhooks=validating"]);
    succeed(&all, &[&["add"], &FEATURES[..]].concat());
    let (_second, one_by_one) = minimal(&[]);
    for feature in FEATURES.iter().rev() {
        succeed(&one_by_one, &["add", feature]);
    }
    succeed(&one_by_one, &["add", "--webhooks=validating"]);
    assert_eq!(files(&all), files(&one_by_one));
    succeed(&all, &["deploy", "check"]);
    // Some new, some not.
    let (_third, mixed) = minimal(&[]);
    succeed(&mixed, &["add", "chart"]);
    let output = succeed(&mixed, &["add", "chart", "roles"]);
    assert!(
        output.contains("has `chart` already") && output.contains("added: "),
        "{output}"
    );
    assert!(mixed.join("deploy/roles.yaml").exists());
}

#[test]
fn unknown_features_and_those_without_a_crd_are_errors() {
    let (directory, package) = minimal(&[]);
    let before = files(&package);
    let output = run(&package, &["add", "dashbord"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(
        message.contains("similar value exists: 'dashboard'"),
        "{message}"
    );
    for feature in FEATURES {
        assert!(message.contains(feature), "{message}");
    }
    let output = run(&package, &["add"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("name a feature (ci, dependabot,"));
    assert_eq!(files(&package), before);

    succeed(directory.path(), &["new", "watcher", "--watch=v1/Pod"]);
    let watcher = directory.path().join("watcher");
    let before = files(&watcher);
    for feature in ["roles", "docs", "api-changes"] {
        let output = run(&watcher, &["add", "chart", feature]);
        assert_eq!(output.status.code(), Some(2));
        let expected = format!("`{feature}` needs a CRD");
        assert!(stderr(&output).contains(&expected), "{}", stderr(&output));
        assert_eq!(files(&watcher), before);
    }
    succeed(&watcher, &["add", "upgrade", "availability"]);
    succeed(&watcher, &["add", "roles", "-f", "../crd.yaml"]);
    assert!(watcher.join("deploy/roles.yaml").exists());
    succeed(&watcher, &["update", "--check"]);
    succeed(&watcher, &["deploy", "check"]);
}

#[test]
fn lines_and_files_of_the_user_stay() {
    let (_directory, package) = minimal(&[]);
    for (path, old, new) in [
        ("Makefile", "KUBECTL ?= kubectl", "KUBECTL ?= oc"),
        ("deploy/deployment.yaml", "replicas: 2", "replicas: 3"),
        ("README.md", "# test-operator", "# Mine"),
    ] {
        let text = fs::read_to_string(package.join(path)).unwrap();
        assert!(text.contains(old), "{path}");
        fs::write(package.join(path), text.replacen(old, new, 1)).unwrap();
    }
    fs::create_dir_all(package.join(".github/workflows")).unwrap();
    fs::write(package.join(".github/workflows/ci.yml"), "mine: true\n").unwrap();
    let output = succeed(&package, &["add", "ci", "availability", "upgrade"]);
    let kept = "kept     .github/workflows/ci.yml, which is yours";
    assert!(output.contains(kept), "{output}");
    let after = files(&package);
    assert_eq!(after[".github/workflows/ci.yml"], "mine: true\n");
    for (path, parts) in [
        ("Makefile", ["KUBECTL ?= oc", "\nupgrade: "]),
        (
            "deploy/deployment.yaml",
            ["replicas: 3", "priorityClassName"],
        ),
        (
            "deploy/kustomization.yaml",
            ["rbac.yaml", "availability.yaml"],
        ),
    ] {
        for part in parts {
            assert!(after[path].contains(part), "{path} lacks {part}");
        }
    }
    succeed(&package, &["update", "--check"]);
    assert!(after["README.md"].starts_with("# Mine"));
}

#[test]
fn a_deleted_file_of_a_feature_comes_back_by_add_alone() {
    let (_directory, package) = minimal(&[]);
    succeed(&package, &["add", "metrics"]);
    let before = files(&package);
    fs::remove_file(package.join("deploy/prometheus.yaml")).unwrap();
    succeed(&package, &["update"]);
    assert!(!package.join("deploy/prometheus.yaml").exists());
    succeed(&package, &["add", "metrics"]);
    assert_eq!(files(&package), before);
    // After `new --force` the record has no features, and their files are there.
    let new = ["new", "test-operator", "-qf", "../crd.yaml", "-o", "."];
    succeed(&package, &[&new[..], &["--force"]].concat());
    assert!(package.join("deploy/prometheus.yaml").exists());
    succeed(&package, &["add", "metrics"]);
    assert_eq!(files(&package), before);
}

/// Makes the record one of those that have the lines of all files, and no features.
fn old_record(package: &Path) {
    let path = package.join(RECORD);
    let mut record: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let parameters = record["parameters"].as_object_mut().unwrap();
    parameters.remove("features").unwrap();
    for (name, text) in record["files"].as_object_mut().unwrap() {
        let lines = fs::read_to_string(package.join(name)).unwrap();
        *text = lines.lines().collect();
    }
    fs::write(&path, record.to_string()).unwrap();
}

#[test]
fn an_operator_from_before_features_keeps_all_it_has() {
    let (_directory, package) = minimal(&[]);
    succeed(&package, &[&["add"], &FEATURES[..]].concat());
    let new = files(&package);
    old_record(&package);
    // A line of the user's, and one of an older template.
    let makefile = package.join("Makefile");
    let text = new["Makefile"].replace("KUBECTL ?= kubectl", "KUBECTL ?= oc");
    fs::write(&makefile, &text).unwrap();
    let record = fs::read_to_string(package.join(RECORD)).unwrap();
    let (now, before) = ("## Push the image IMG", "## Push");
    fs::write(package.join(RECORD), record.replace(now, before)).unwrap();
    fs::write(&makefile, text.replace(now, before)).unwrap();
    fs::remove_file(package.join("deploy/dashboard.json")).unwrap();
    succeed(&package, &["update"]);
    let mut after = files(&package);
    assert_eq!(after["Makefile"], text);
    assert!(!after.contains_key("deploy/dashboard.json"));
    succeed(&package, &["update", "--check"]);
    // The dashboard is one `add` away.
    succeed(&package, &["add", "dashboard"]);
    after = files(&package);
    after.insert("Makefile".to_owned(), new["Makefile"].clone());
    assert_eq!(after, new);
}

#[test]
fn an_operator_that_takes_over_adds_features_too() {
    let directory = TempDir::new().unwrap();
    let source = directory.path().join("old");
    fs::create_dir_all(source.join("src")).unwrap();
    fs::write(directory.path().join("crd.yaml"), CRDKIND).unwrap();
    let manifest = "[package]\nname = \"old\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(source.join("Cargo.toml"), manifest).unwrap();
    let program = "#[derive(CustomResource)]\n#[kube(group = \"iksoon.test.com\", version = \"v1\", kind = \"CrdKind\", plural = \"crdplural\", namespaced)]\npub struct CrdKindSpec {}\nfn main() {}\n";
    fs::write(source.join("src/main.rs"), program).unwrap();
    let args = ["new", "taken", "--from-kube-derive=old", "-f", "crd.yaml"];
    succeed(directory.path(), &args);
    let package = directory.path().join("taken");
    // Beside those of any operator, the page about the change.
    assert!(files(&package).len() <= 25);
    assert!(package.join("TAKEOVER.md").exists());
    succeed(&package, &[&["add"], &FEATURES[..]].concat());
    succeed(&package, &["update", "--check"]);
    succeed(&package, &["deploy", "check"]);
    let output = run(&package, &["add", "--message-format=json", "chart"]);
    let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(summary["outcome"], "up-to-date");
}

#[test]
fn the_comments_of_crds_stay() {
    let folder = TempDir::new().unwrap();
    let directory = folder.path();
    for kind in ["Website", "Page"] {
        let file = format!("{kind}.yaml");
        let args = [
            "crd",
            "init",
            "--group",
            "example.com",
            "--kind",
            kind,
            "-o",
            &file,
        ];
        succeed(directory, &args);
        assert_eq!(run(directory, &args).status.code(), Some(2));
    }
    succeed(directory, &["new", "web", "-f", "Website.yaml"]);
    let read = |path: &str| fs::read_to_string(directory.join(path)).unwrap();
    let website = read("Website.yaml");
    assert_eq!(read("web/deploy/crd.yaml"), website);
    succeed(directory, &["add", "-o", "web", "-f", "Page.yaml"]);
    let both = format!("{website}---\n{}", read("Page.yaml"));
    assert_eq!(read("web/deploy/crd.yaml"), both);
    // Of several documents, only one of which is a CRD, the CRD is written anew.
    let other = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    fs::write(directory.join("several.yaml"), website + other).unwrap();
    succeed(directory, &["new", "other", "-f", "several.yaml"]);
    let text = read("other/deploy/crd.yaml");
    assert!(!text.contains('#') && !text.contains("ConfigMap"), "{text}");
}

#[test]
fn a_declared_conversion_is_a_decision() {
    let folder = TempDir::new().unwrap();
    let directory = folder.path();
    let version = |name: &str, field: &str, storage: bool| {
        format!(
            "  - {{name: {name}, served: true, storage: {storage}, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: \
             {{{field}: {{type: string}}}}}}}}}}}}}}\n"
        )
    };
    let crd = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: sites.example.com}}\nspec:\n  group: example.com\n  \
         scope: Namespaced\n  names: {{kind: Site, plural: sites}}\n  versions:\n{}{}",
        version("v1beta1", "host", false),
        version("v1", "domain", true)
    );
    fs::write(directory.join("crd.yaml"), crd).unwrap();
    let versions = |config: &str| {
        fs::write(directory.join("kube-codegen.toml"), config).unwrap();
        succeed(directory, &["versions"])
    };
    let before = versions("file = 'crd.yaml'\n");
    assert!(before.contains("2 need a decision"), "{before}");
    let after = versions(
        "file = 'crd.yaml'\n[[conversion]]\nkind = 'Site'\nrename = 'spec.host -> spec.domain'\n",
    );
    assert!(after.contains("none needs a decision"), "{after}");
}
