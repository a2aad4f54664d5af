//! `kube-codegen update` and `kube-codegen add`: the lines of the user stay.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::{ROOT, deploy::scaffold, files, run, stderr, stdout, succeed};

/// A second kind.
const FOO: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: foos.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: foos, singular: foo, kind: Foo, listKind: FooList }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { a: { type: string } } } } } }
";

fn replace(package: &Path, file: &str, old: &str, new: &str) {
    let path = package.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file}: {text}");
    fs::write(&path, text.replacen(old, new, 1)).unwrap();
}

const LINE: &str = "/// Adds the controller of the kind to `manager`.";

/// Creates an operator with an older template of `src/controller.rs`, in which `LINE` is `/// Older.`.
fn older() -> (TempDir, PathBuf) {
    let directory = super::directory(super::CRDKIND);
    let templates = directory.path().join("templates");
    fs::create_dir(&templates).unwrap();
    let built_in = Path::new(ROOT).join("templates/operator/controller.rs.j2");
    let text = fs::read_to_string(built_in).unwrap();
    assert!(text.contains(LINE));
    let override_ = templates.join("controller.rs.j2");
    fs::write(&override_, text.replace(LINE, "/// Older.")).unwrap();
    let args = ["new", "test-operator", "-qf", "crd.yaml"];
    succeed(
        directory.path(),
        &[&args[..], &["--templates=templates"]].concat(),
    );
    // From now on, the built-in one is used.
    fs::remove_file(override_).unwrap();
    let package = directory.path().join("test-operator");
    (directory, package)
}

fn git(package: &Path, args: &[&str]) {
    let settings = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    let mut command = Command::new("git");
    let output = command.current_dir(package).args(settings).args(args);
    let output = output.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
}

fn commit(package: &Path) {
    git(package, &["init", "--quiet"]);
    git(package, &["add", "--all"]);
    git(package, &["commit", "--quiet", "--message=change"]);
}

fn without_generated(package: &Path) -> BTreeMap<String, String> {
    let mut files = files(package);
    files.retain(|path, _| !path.contains("generated") && !path.starts_with('.'));
    files
}

#[test]
fn a_new_crate_is_up_to_date() {
    for args in [
        &[][..],
        &["--watch=v1/Pod", "--scope=namespace"],
        &["--kubernetes=1.35"],
    ] {
        let (_directory, package) = scaffold(args);
        let before = files(&package);
        succeed(&package, &["update", "--check"]);
        succeed(&package, &["update"]);
        assert_eq!(files(&package), before);
    }
}

#[test]
fn newer_templates_are_merged_into_the_files_of_the_user() {
    let (_directory, package) = older();
    // In the history of a repository, the file as it was scaffolded is not the last version.
    commit(&package);
    let mine = "use std::sync::Arc;\n// Mine.";
    replace(&package, "src/controller.rs", "use std::sync::Arc;", mine);
    commit(&package);
    let output = run(&package, &["update", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("changed  ./src/controller.rs"),
        "{}",
        stdout(&output)
    );
    succeed(&package, &["update"]);
    let text = &files(&package)["src/controller.rs"];
    assert!(text.contains(LINE) && text.contains("// Mine."), "{text}");
    succeed(&package, &["update", "--check"]);
}

#[test]
fn a_file_that_the_user_has_not_edited_needs_no_history() {
    let (_directory, package) = older();
    succeed(&package, &["update"]);
    assert!(files(&package)["src/controller.rs"].contains(LINE));
    succeed(&package, &["update", "--check"]);
}

#[test]
fn a_file_whose_scaffolded_text_nothing_has_stays_with_the_new_one_beside() {
    let (directory, package) = older();
    let mine = "use std::sync::Arc;\n// Mine.";
    replace(&package, "src/controller.rs", "use std::sync::Arc;", mine);
    // Too late: the text as it was scaffolded is in no commit.
    commit(&package);
    let before = files(&package)["src/controller.rs"].clone();
    let output = run(&package, &["update"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("unmerged src/controller.rs"),
        "{}",
        stdout(&output)
    );
    let message = stderr(&output);
    let expected = "copy what you need from `src/controller.rs.new` to `src/controller.rs`";
    assert!(message.contains(expected), "{message}");
    let after = files(&package);
    assert_eq!(after["src/controller.rs"], before);
    let new = &after["src/controller.rs.new"];
    assert!(new.contains(LINE) && !new.contains("Mine"), "{new}");
    // Until the user has merged, nothing else is.
    fs::write(directory.path().join("foo.yaml"), FOO).unwrap();
    for args in [&["update"][..], &["add", "-f", "../foo.yaml"]] {
        let output = run(&package, args);
        assert_eq!(output.status.code(), Some(2));
        let message = stderr(&output);
        assert!(
            message.contains("`src/controller.rs.new` is waiting"),
            "{message}"
        );
        assert_eq!(files(&package), after);
    }
    replace(&package, "src/controller.rs", "/// Older.", LINE);
    fs::remove_file(package.join("src/controller.rs.new")).unwrap();
    succeed(&package, &["update", "--check"]);
    succeed(&package, &["add", "-f", "../foo.yaml"]);
    assert!(files(&package)["src/controller.rs"].contains("// Mine."));
}

#[test]
fn lines_that_both_changed_are_a_conflict() {
    let (_directory, package) = older();
    commit(&package);
    replace(&package, "src/controller.rs", "/// Older.", "/// Mine.");
    let output = run(&package, &["update"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("conflict src/controller.rs"),
        "{}",
        stdout(&output)
    );
    assert!(stderr(&output).contains("1 file with conflicts: resolve the lines"));
    let text = files(&package)["src/controller.rs"].clone();
    assert!(
        text.contains("<<<<<<< ") && text.contains("/// Mine.") && text.contains(LINE),
        "{text}"
    );
    // An unresolved conflict stops the next run.
    let output = run(&package, &["update"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("has unresolved conflicts"),
        "{}",
        stderr(&output)
    );
    assert_eq!(files(&package)["src/controller.rs"], text);
}

#[test]
fn deleted_files_stay_deleted_and_new_templates_appear() {
    let (_directory, package) = scaffold(&[]);
    fs::remove_file(package.join("deploy/prometheus.yaml")).unwrap();
    fs::write(package.join("Dockerfile"), "FROM mine\n").unwrap();
    succeed(&package, &["update"]);
    assert!(!package.join("deploy/prometheus.yaml").exists());
    assert_eq!(files(&package)["Dockerfile"], "FROM mine\n");
    // The record of an older version lacks a file.
    let path = package.join(".kube-codegen/scaffold.json");
    let mut record: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let recorded = record["files"].as_object_mut().unwrap();
    assert!(recorded.remove("Makefile").is_some() && recorded.remove("Dockerfile").is_some());
    fs::write(&path, record.to_string()).unwrap();
    fs::remove_file(package.join("Makefile")).unwrap();
    succeed(&package, &["update"]);
    assert!(package.join("Makefile").exists());
    assert_eq!(files(&package)["Dockerfile"], "FROM mine\n");
    // A template that is gone takes its file along, unless the user has changed it.
    let text = fs::read_to_string(&path).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["files"]["old"] = serde_json::json!(["a"]);
    record["files"]["mine"] = serde_json::json!(["a"]);
    fs::write(&path, record.to_string()).unwrap();
    fs::write(package.join("old"), "a\n").unwrap();
    fs::write(package.join("mine"), "b\n").unwrap();
    succeed(&package, &["update"]);
    assert!(!package.join("old").exists() && package.join("mine").exists());
}

#[test]
fn what_follows_from_a_crd_follows_its_changes() {
    let (_directory, package) = scaffold(&[]);
    replace(
        &package,
        "deploy/crd.yaml",
        "maximum: 10",
        "maximum: 20\n                  default: 15",
    );
    let output = run(&package, &["update", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    succeed(&package, &["update"]);
    assert!(files(&package)["deploy/sample.yaml"].contains("replicas: 15"));
    succeed(&package, &["generate", "--check"]);
    succeed(
        &package,
        &["validate", "deploy/sample.yaml", "-f", "deploy/crd.yaml"],
    );
}

#[test]
fn an_edited_sample_follows_a_change_of_its_crd_by_a_merge() {
    let (_directory, package) = scaffold(&[]);
    replace(
        &package,
        "deploy/sample.yaml",
        "apiVersion",
        "# Mine.\napiVersion",
    );
    let new = "maximum: 20\n                  default: 15";
    replace(&package, "deploy/crd.yaml", "maximum: 10", new);
    succeed(&package, &["update"]);
    let sample = &files(&package)["deploy/sample.yaml"];
    assert!(
        sample.contains("replicas: 15") && sample.contains("# Mine."),
        "{sample}"
    );
    succeed(&package, &["update", "--check"]);
}

#[test]
fn a_crate_without_a_record_is_an_error() {
    let (_directory, package) = scaffold(&[]);
    let path = package.join(".kube-codegen/scaffold.json");
    fs::write(&path, "{\n<<<<<<< ours").unwrap();
    let output = run(&package, &["update"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("scaffold.json:2:1: "),
        "{}",
        stderr(&output)
    );
    fs::remove_file(path).unwrap();
    let output = run(&package, &["update"]);
    assert!(stderr(&output).contains("not a crate that `kube-codegen new` has written"));
}

#[test]
fn a_kind_is_added_around_the_lines_of_the_user() {
    let (directory, package) = scaffold(&[]);
    fs::write(directory.path().join("foo.yaml"), FOO).unwrap();
    replace(
        &package,
        "src/controller.rs",
        "use std::sync::Arc;",
        "use std::sync::Arc;\n// Mine.",
    );
    replace(
        &package,
        "src/lib.rs",
        "//! The operator",
        "//! Mine.\n//! The operator",
    );
    replace(&package, "deploy/crd.yaml", "spec:\n", "# Mine.\nspec:\n");
    let before = without_generated(&package);
    let args = [
        "add",
        "-o",
        "test-operator",
        "-f",
        "foo.yaml",
        "--owns=v1/Secret",
    ];
    succeed(directory.path(), &args);
    let after = without_generated(&package);
    for file in [
        "src/controller.rs",
        "src/main.rs",
        "deploy/deployment.yaml",
        "Makefile",
    ] {
        let lost = before[file]
            .lines()
            .find(|line| !after[file].contains(line));
        assert!(
            lost.is_none() || file == "src/main.rs" || file == "Makefile",
            "{file}: {lost:?}"
        );
    }
    assert!(
        after["src/lib.rs"].contains("//! Mine.") && after["deploy/crd.yaml"].contains("# Mine.")
    );
    assert!(after["src/lib.rs"].contains("foos_controller::register(manager);"));
    assert!(after["src/foos_controller.rs"].contains("Children<Secret>"));
    assert!(!after["src/controller.rs"].contains("Secret"));
    assert!(after["tests/controller.rs"].contains("Foo::crd()"));
    for file in [
        "deploy/crd.yaml",
        "deploy/rbac.yaml",
        "deploy/roles.yaml",
        "deploy/sample.yaml",
    ] {
        assert!(after[file].contains("example.com"), "{file}");
    }
    succeed(&package, &["update", "--check"]);
    succeed(&package, &["generate", "--check"]);
    succeed(&package, &["deploy", "check"]);
    succeed(
        &package,
        &["validate", "deploy/sample.yaml", "-f", "deploy/crd.yaml"],
    );

    let output = run(directory.path(), &args[..5]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the operator already has all kinds in --file"));
}

#[test]
fn kinds_of_kubernetes_and_children_are_added() {
    let (directory, package) = scaffold(&[]);
    succeed(&package, &["add", "--watch=v1/Node", "--owns=v1/Service"]);
    succeed(&package, &["add", "--owns=CrdKind=v1/Secret"]);
    let files = files(&package);
    assert!(files["src/controller.rs"].contains("services: controller.children(),"));
    assert!(files["src/controller.rs"].contains("secrets: controller.children(),"));
    assert!(files["deploy/rbac.yaml"].contains("resources: [nodes]"));
    assert!(files.contains_key("src/nodes_controller.rs"));
    succeed(&package, &["update", "--check"]);

    // An operator without CRDs gets its first one.
    let name = "pod-watcher";
    succeed(directory.path(), &["new", name, "--watch=v1/Pod"]);
    let watcher = directory.path().join(name);
    succeed(&watcher, &["add", "-f", "../crd.yaml"]);
    succeed(&watcher, &["update", "--check"]);
    succeed(&watcher, &["generate", "--check"]);
    let output = run(&package, &["add"]);
    assert!(stderr(&output).contains("nothing to add"));
    let init = [
        "crd",
        "init",
        "--group=a.example.com",
        "--kind=A",
        "-o=a.yaml",
    ];
    let next = succeed(&package, &init);
    assert!(next.ends_with("kube-codegen add -f a.yaml\n"), "{next}");
}

#[test]
fn the_templates_of_the_user_are_found_again() {
    for (output, command) in [
        ("test-operator", &["update", "test-operator", "--check"][..]),
        (".", &["update", "--check"]),
    ] {
        let directory = super::directory(super::CRDKIND);
        let templates = directory.path().join("templates");
        fs::create_dir(&templates).unwrap();
        fs::write(templates.join("README.md.j2"), "# {{ name }}\n").unwrap();
        let args = [
            "new",
            "test-operator",
            "-f=crd.yaml",
            "--templates=templates",
            "-o",
            output,
        ];
        succeed(directory.path(), &args);
        succeed(directory.path(), command);
        fs::write(templates.join("README.md.j2"), "# The {{ name }}\n").unwrap();
        succeed(directory.path(), &command[..command.len() - 1]);
        let readme = fs::read_to_string(directory.path().join(output).join("README.md")).unwrap();
        assert_eq!(readme, "# The test-operator\n");
    }
}

/// An operator of one kind with children, in which `line` has taken the place of a message of the user's.
fn of_website(line: &str) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let init = [
        "crd",
        "init",
        "--group=apps.example.com",
        "--kind=Website",
        "-o=crd.yaml",
    ];
    succeed(directory.path(), &init);
    let new = ["new", "web", "-qf", "crd.yaml", "--owns=v1/Service"];
    succeed(directory.path(), &new);
    let package = directory.path().join("web");
    replace(&package, "src/controller.rs", "\"reconciling\"", line);
    (directory, package)
}

/// What `update` says on standard output and standard error, and its exit code.
fn updated(package: &Path) -> (String, String, Option<i32>) {
    let output = run(package, &["update"]);
    (stdout(&output), stderr(&output), output.status.code())
}

#[test]
fn a_renamed_kind_is_noticed_and_its_old_names_are_found() {
    for (line, expected) in [
        (
            "\"a WebsiteSpec\"",
            Some("src/controller.rs:72:12 `WebsiteSpec`"),
        ),
        ("\"äh, Website\"", Some("src/controller.rs:72:14 `Website`")),
        ("\"MyWebsite, Websites, website\"", None),
    ] {
        let (_directory, package) = of_website(line);
        for (old, new) in [
            ("kind: Website", "kind: Site"),
            ("listKind: WebsiteList", "listKind: SiteList"),
        ] {
            replace(&package, "deploy/crd.yaml", old, new);
        }
        let check = run(&package, &["update", "--check"]);
        assert_eq!(check.status.code(), Some(1));
        let (out, message, code) = updated(&package);
        let notice = "the CRD `websites.apps.example.com` changed its kind from `Website` to `Site`, listKind from `WebsiteList` to `SiteList`";
        assert!(message.contains(notice), "{message}");
        assert!(stderr(&check).contains(notice));
        let text = files(&package)["src/controller.rs"].clone();
        assert!(text.contains(line) && text.contains("Arc<Site>"), "{text}");
        match expected {
            Some(place) => {
                assert!(
                    message.contains("1 line still has an old name") && message.contains(place),
                    "{message}"
                );
                assert!(!out.contains("next:"), "{out}");
                assert_eq!(code, Some(1));
            }
            None => assert_eq!(code, Some(0), "{message}"),
        }
        succeed(&package, &["update", "--check"]);
    }
}

#[test]
fn a_renamed_crd_keeps_its_controller_and_its_children() {
    // The plural alone, both names, both names in another group.
    for (renames, place) in [
        (&[("websites", "sites")][..], "13 `websites`"),
        (
            &[
                ("websites", "sites"),
                ("Website", "Site"),
                ("website", "site"),
            ],
            "13 `websites`",
        ),
        (
            &[("apps.example.com", "web.example.org")],
            "25 `apps_example_com`",
        ),
    ] {
        let (_directory, package) = of_website("\"in websites of apps_example_com\"");
        let before = files(&package);
        let path = package.join("deploy/crd.yaml");
        let mut crd = fs::read_to_string(&path).unwrap();
        for (old, new) in renames {
            crd = crd.replace(old, new);
        }
        fs::write(&path, crd).unwrap();
        let (_, message, code) = updated(&package);
        assert!(
            message.contains("the CRD `websites.apps.example.com` changed its "),
            "{message}"
        );
        assert!(
            message.contains("in clusters this is another CRD"),
            "{message}"
        );
        assert_eq!(code, Some(1), "{message}");
        let place = format!(
            "1 line still has an old name; change it, and run cargo test:\n  src/controller.rs:72:{place}\n"
        );
        assert!(message.ends_with(&place), "{message}");
        let after = files(&package);
        let paths = |all: &BTreeMap<String, String>| -> Vec<String> {
            let own = all.keys().filter(|path| !path.contains("generated"));
            own.cloned().collect()
        };
        assert_eq!(paths(&before), paths(&after));
        let text = &after["src/controller.rs"];
        assert!(
            text.contains("Children<Service>") && text.contains("in websites of"),
            "{text}"
        );
        succeed(&package, &["update", "--check"]);
        succeed(&package, &["deploy", "check"]);
    }
}

#[test]
fn a_removed_kind_is_noticed_and_code_of_the_user_stays() {
    let (directory, package) = of_website("\"mine\"");
    fs::write(directory.path().join("foo.yaml"), FOO).unwrap();
    succeed(&package, &["add", "-f", "../foo.yaml"]);
    fs::write(package.join("deploy/crd.yaml"), FOO).unwrap();
    let (_, message, code) = updated(&package);
    assert!(
        message.contains("the CRD `websites.apps.example.com` is gone"),
        "{message}"
    );
    assert!(message.contains("src/controller.rs:"), "{message}");
    assert_eq!(code, Some(1));
    assert!(files(&package)["src/controller.rs"].contains("\"mine\""));
    // Programs read the same.
    let (_directory, package) = of_website("\"Website\"");
    replace(&package, "deploy/crd.yaml", "kind: Website", "kind: Site");
    let output = run(&package, &["update", "--message-format=json"]);
    let out = stdout(&output);
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(summary["outcome"], "renamed");
    assert_eq!(summary["renamed"][0]["after"]["kind"], "Site");
    let place = serde_json::json!({ "path": "src/controller.rs", "line": 72, "column": 10, "name": "Website" });
    assert_eq!(summary["oldNames"], serde_json::json!([place]));
}

#[test]
fn add_and_update_name_what_they_wrote_and_the_next_step() {
    let (directory, package) = scaffold(&[]);
    replace(&package, "deploy/crd.yaml", "maximum: 10", "maximum: 20");
    let out = succeed(&package, &["update"]);
    assert!(out.contains("updated  ./src/generated ("), "{out}");
    assert!(
        out.ends_with("; next: read the changes, then run make test\n"),
        "{out}"
    );
    // Nothing to do, no next step.
    let out = succeed(&package, &["update"]);
    assert!(out.starts_with("updated: 0 files written, "), "{out}");
    assert!(!out.contains("next"), "{out}");
    fs::write(directory.path().join("foo.yaml"), FOO).unwrap();
    let add = ["add", "-o=test-operator", "-f=foo.yaml", "--owns=v1/Secret"];
    let out = succeed(directory.path(), &add);
    assert!(
        out.contains("created  test-operator/src/foos_controller.rs\n"),
        "{out}"
    );
    assert!(out.contains("updated  test-operator/src/lib.rs\n"), "{out}");
    let next = "next: cd test-operator, edit reconcile in src/foos_controller.rs, then run kube-codegen dev\n";
    assert!(out.ends_with(next), "{out}");
    let out = succeed(&package, &["add", "--owns=CrdKind=v1/Secret"]);
    let next = "next: keep the new children in reconcile of src/controller.rs, then run kube-codegen dev\n";
    assert!(out.ends_with(next), "{out}");
    let out = succeed(&package, &["add", "--webhooks=validating"]);
    let next = "next: edit the webhooks in src/webhooks.rs, src/foos_webhooks.rs, then run kube-codegen dev\n";
    assert!(out.ends_with(next), "{out}");
    let output = run(
        &package,
        &["add", "--watch=v1/Node", "--message-format=json"],
    );
    let out = stdout(&output);
    let created = r#"{"path":"./src/nodes_controller.rs","state":"created","type":"file"}"#;
    assert!(out.contains(created), "{out}");
}

#[test]
fn another_storage_version_is_said_in_one_line() {
    let (_directory, package) = of_website("\"mine\"");
    let path = package.join("deploy/crd.yaml");
    let crd = fs::read_to_string(&path).unwrap();
    let (head, first) = crd.split_once("\n  - name: v1alpha1\n").unwrap();
    let second = |first: &str, is_stored: bool| {
        format!(
            "{head}\n  - name: v1alpha1\n{first}  - name: v1\n{}",
            first.replace("storage: false", &format!("storage: {is_stored}"))
        )
    };
    assert!(first.contains("storage: true"));
    // A second version that nothing is stored as changes no controller.
    let served = second(first, true)
        .replacen("storage: true", "storage: x", 1)
        .replace("storage: true", "storage: false");
    fs::write(&path, served.replace("storage: x", "storage: true")).unwrap();
    let (_, message, code) = updated(&package);
    assert_eq!((message.as_str(), code), ("", Some(0)));
    assert!(files(&package)["src/controller.rs"].contains("v1alpha1::Website"));
    fs::write(
        &path,
        second(&first.replace("storage: true", "storage: false"), true),
    )
    .unwrap();
    let (out, message, code) = updated(&package);
    let line = "warning: the storage version of `websites.apps.example.com` is now `v1`, not `v1alpha1`: the controller, its test and the sample use `v1`, \
                and objects in clusters stay stored as `v1alpha1` until they are written again\n";
    assert_eq!((message.as_str(), code), (line, Some(0)));
    assert!(out.contains("updated  ./src/controller.rs"), "{out}");
    assert!(files(&package)["src/controller.rs"].contains("v1::Website"));
    // Once.
    let (_, message, _) = updated(&package);
    assert_eq!(message, "");
}
