//! `kube-codegen rbac`: the rights of an operator are those of its requests.
use std::{fs, path::Path};

use super::{deploy::scaffold, run, stderr, succeed};

/// The requests of the tests of a new operator.
const REQUESTS: &str = r#"{"verb":"list","group":"iksoon.test.com","resource":"crdplural","subresource":"","namespace":"","name":"","status":200}
{"verb":"watch","group":"iksoon.test.com","resource":"crdplural","subresource":"","namespace":"","name":"","status":200}
{"verb":"create","group":"events.k8s.io","resource":"events","subresource":"","namespace":"default","name":"","status":201}
"#;

fn log(package: &Path, more: &str) {
    fs::write(package.join("requests.jsonl"), format!("{REQUESTS}{more}")).unwrap();
}

const ARGS: [&str; 2] = ["rbac", "--requests=requests.jsonl"];

fn check(package: &Path) -> Result<(), String> {
    let output = run(package, &[&ARGS[..], &["--check"]].concat());
    match output.status.code() {
        Some(0) => Ok(()),
        Some(1) => Err(stderr(&output)),
        _ => panic!("{}", stderr(&output)),
    }
}

/// Changes `deploy/rbac.yaml`.
fn edit(package: &Path, old: &str, new: &str) {
    let path = package.join("deploy/rbac.yaml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{text}");
    fs::write(&path, text.replacen(old, new, 1)).unwrap();
}

#[test]
fn a_new_operator_has_the_rights_that_it_uses() {
    for args in [&[][..], &["--scope=namespace"]] {
        let (_directory, package) = scaffold(args);
        log(&package, "");
        check(&package).unwrap();
        let before = fs::read_to_string(package.join("deploy/rbac.yaml")).unwrap();
        succeed(&package, &[&ARGS[..], &["--write"]].concat());
        let after = fs::read_to_string(package.join("deploy/rbac.yaml")).unwrap();
        assert_eq!(before, after);
    }
}

#[test]
fn a_missing_right_and_an_unused_one_are_reported() {
    let (_directory, package) = scaffold(&[]);
    log(
        &package,
        r#"{"verb":"patch","group":"iksoon.test.com","resource":"crdplural","subresource":"status","namespace":"default","name":"a","status":200}"#,
    );
    let message = check(&package).unwrap_err();
    let expected = "`test-operator` does not grant `patch` on `crdplural.iksoon.test.com/status`, which a recorded request for the object `a` uses";
    assert!(
        message.contains("error[KC0703]") && message.contains(expected),
        "{message}"
    );

    log(&package, "");
    for (old, new, expected) in [
        (
            r#"["get", "list", "watch"]"#,
            r#"["list"]"#,
            "does not grant `watch` on `crdplural",
        ),
        (
            r#"["create", "patch"]"#,
            r#"["create"]"#,
            "does not grant `patch` on `events.events.k8s.io`",
        ),
        (
            r#"["get", "create", "update"]"#,
            r#"["get", "create"]"#,
            "which the flag --leader-elect of the Deployment needs",
        ),
        (
            r#"["subjectaccessreviews"]"#,
            r#"["x"]"#,
            "which the flag --metrics-secure of the Deployment needs",
        ),
        (
            r#"["get", "list", "watch"]"#,
            r#"["list", "watch", "delete"]"#,
            "grants `delete` on `crdplural.iksoon.test.com`, which no recorded request uses",
        ),
        (
            r#"["get", "list", "watch"]"#,
            r#"["list", "watch", "*"]"#,
            "grants `*` on `crdplural",
        ),
        (
            r#"["get", "create", "update"]"#,
            r#"["get", "create", "update", "delete"]"#,
            "`test-operator` grants `delete` on `leases.coordination.k8s.io`",
        ),
    ] {
        let (_directory, package) = scaffold(&[]);
        log(&package, "");
        edit(&package, old, new);
        let message = check(&package).unwrap_err();
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("deploy/rbac.yaml:"), "{message}");
        succeed(&package, &[&ARGS[..], &["--write"]].concat());
        check(&package).unwrap();
    }
}

#[test]
fn what_is_written_keeps_comments_and_other_rules() {
    let (_directory, package) = scaffold(&[]);
    edit(
        &package,
        "rules:\n- apiGroups",
        "rules:\n# Ours.\n- apiGroups: [\"\", \"apps\"]\n  resources: [\"secrets\", \"deployments\"]\n  verbs: [\"get\"]\n# Theirs.\n- apiGroups",
    );
    log(
        &package,
        r#"{"verb":"get","group":"apps","resource":"deployments","name":"a","status":200}
{"verb":"patch","group":"apps","resource":"deployments","name":"a","status":201}
{"verb":"list","group":"","resource":"pods","status":403}"#,
    );
    succeed(&package, &[&ARGS[..], &["--write"]].concat());
    check(&package).unwrap();
    let text = fs::read_to_string(package.join("deploy/rbac.yaml")).unwrap();
    let expected = r#"rules:
# Ours.
- apiGroups: ["apps"]
  resources: ["deployments"]
  verbs: ["get", "create", "patch"]
# Theirs.
- apiGroups: [iksoon.test.com]
  resources: [crdplural]
  verbs: ["get", "list", "watch"]
- apiGroups: ["events.k8s.io"]
  resources: ["events"]
  verbs: ["create", "patch"]
- apiGroups: [""]
  resources: ["pods"]
  verbs: ["list", "watch"]
---
"#;
    assert!(text.contains(expected), "{text}");
    assert!(
        text.contains("# The Lease of the leader election."),
        "{text}"
    );
}

#[test]
fn a_page_says_where_each_right_holds_and_why() {
    for (args, place) in [
        (&[][..], "the cluster"),
        (&["--scope=namespace"], "namespace `test-operator`"),
    ] {
        let (_directory, package) = scaffold(args);
        let more = r#"{"verb":"get","group":"","resource":"secrets","name":"a","status":200}
{"verb":"patch","group":"apps","resource":"deployments","name":"a","status":201}"#;
        log(&package, more);
        let page = ["--page", "docs/permissions.md"];
        // Without a page, there is nothing to compare.
        check(&package).unwrap_err();
        succeed(&package, &[&ARGS[..], &["--write"], &page].concat());
        let path = package.join("docs/permissions.md");
        let text = fs::read_to_string(&path).unwrap();
        for row in [
            format!("| `crdplural.iksoon.test.com` | {place} | `get`, `list`, `watch` | Caches all objects. |"),
            format!("| `secrets` | {place} | `get` | Reads single objects. **The operator can read the contents of Secrets.** |"),
            format!("| `deployments.apps` | {place} | `create`, `patch` | Creates and changes objects. |"),
            format!("| `events.events.k8s.io` | {place} | `create`, `patch` | Reports its actions as Events. |"),
            "| `leases.coordination.k8s.io` | namespace `test-operator` | `get`, `create`, `update` | The flag --leader-elect of the Deployment needs them. |".to_owned(),
            "| `tokenreviews.authentication.k8s.io` | the cluster | `create` | The flag --metrics-secure of the Deployment needs them. |".to_owned(),
        ] {
            assert!(text.contains(&row), "{row}\n{text}");
        }
        assert_eq!(
            text.lines().filter(|line| line.starts_with("| `")).count(),
            7,
            "{text}"
        );
        succeed(&package, &[&ARGS[..], &["--check"], &page].concat());
        fs::write(&path, text.replace("watch", "delete")).unwrap();
        let output = run(&package, &[&ARGS[..], &["--check"], &page].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(
            "is out of date; run `kube-codegen rbac --write --page docs/permissions.md`"
        ));
        fs::remove_file(&path).unwrap();
        succeed(&package, &[&ARGS[..], &["--check"], &page].concat());
    }
    let (_directory, package) = scaffold(&[]);
    log(&package, "");
    let output = run(&package, &[&ARGS[..], &["--page=x.md"]].concat());
    assert!(stderr(&output).contains("--page needs --write or --check"));
}

#[test]
fn without_requests_there_is_nothing_to_compare() {
    let (_directory, package) = scaffold(&[]);
    let output = run(&package, &["rbac", "--check"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output)
            .contains("`KUBE_CODEGEN_REQUESTS=target/requests.jsonl cargo test`, records")
    );
    fs::write(package.join("requests.jsonl"), "").unwrap();
    let output = run(&package, &ARGS);
    assert!(stderr(&output).contains("no requests were recorded"));
    fs::write(package.join("requests.jsonl"), "{}\n{").unwrap();
    let output = run(&package, &ARGS);
    assert!(
        stderr(&output).contains("requests.jsonl:2: "),
        "{}",
        stderr(&output)
    );
}

/// The operator acts under its account; the steps of a test do not.
#[test]
fn only_requests_of_the_account_count_if_there_are_some() {
    let (_directory, package) = scaffold(&[]);
    let account = "system:serviceaccount:test-operator:test-operator";
    let own = REQUESTS.replace("\"status\"", &format!("\"user\":\"{account}\",\"status\""));
    let step = r#"{"verb":"delete","group":"iksoon.test.com","resource":"crdplural","name":"a","user":"kubernetes-admin","status":200}"#;
    let path = package.join("requests.jsonl");
    fs::write(&path, format!("{own}{step}\n")).unwrap();
    check(&package).unwrap();
    // The simulation records no users: all its requests are the operator's.
    let simulated = step.replace(r#""user":"kubernetes-admin","#, "");
    fs::write(&path, format!("{own}{simulated}\n")).unwrap();
    let message = check(&package).unwrap_err();
    assert!(
        message.contains("does not grant `delete` on `crdplural"),
        "{message}"
    );
}

#[test]
fn webhooks_need_rights_that_no_test_uses() {
    let crd = fs::read_to_string(
        Path::new(super::ROOT).join("generated-examples/virtualmachine-operator/deploy/crd.yaml"),
    );
    let directory = super::directory(&crd.unwrap());
    let args = ["new", "test-operator", "-qf", "crd.yaml"];
    let webhooks = "--webhooks=defaulting,validating,conversion";
    succeed(directory.path(), &[&args[..], &[webhooks]].concat());
    let package = directory.path().join("test-operator");
    let requests = REQUESTS
        .replace("iksoon.test.com", "infra.example.com")
        .replace("crdplural", "virtualmachines");
    fs::write(package.join("requests.jsonl"), requests).unwrap();
    check(&package).unwrap();
    for (old, new, expected) in [
        (
            "operator-webhook-cert",
            "operator-other",
            "`get` on `secrets`, which the certificates of the webhooks need",
        ),
        (
            "test-operator-mutating",
            "test-operator-x",
            "`patch` on `mutatingwebhookconfigurations",
        ),
        (
            "[virtualmachines.infra.example.com]",
            "[other]",
            "`get` on `customresourcedefinitions",
        ),
    ] {
        let before = fs::read_to_string(package.join("deploy/rbac.yaml")).unwrap();
        edit(&package, old, new);
        let message = check(&package).unwrap_err();
        assert!(message.contains(expected), "{message}");
        succeed(&package, &[&ARGS[..], &["--write"]].concat());
        check(&package).unwrap();
        fs::write(package.join("deploy/rbac.yaml"), before).unwrap();
    }
    // With certificates from files, the operator writes none.
    let path = package.join("deploy/deployment.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let flag = "- --webhook-port=9443\n        - --webhook-cert-path=/certificates";
    fs::write(&path, text.replacen("- --webhook-port=9443", flag, 1)).unwrap();
    let message = check(&package).unwrap_err();
    assert!(
        message.contains("grants `update` on `secrets`, which no recorded request uses"),
        "{message}"
    );
}

/// No request shows that an admission plug-in asks for a right on the owner.
#[test]
fn the_owners_of_children_are_needed() {
    let missing = "`test-operator` does not grant `update` on `crdplural.iksoon.test.com/finalizers`, which the owner references of its children need";
    let rule = "- apiGroups: [iksoon.test.com]\n  resources: [\"crdplural/finalizers\"]\n  verbs: [\"update\"]\n";
    // By the record of `--owns`, before the operator has created a child.
    let (_directory, package) = scaffold(&["--owns=apps/v1/Deployment"]);
    log(
        &package,
        r#"{"verb":"list","group":"apps","resource":"deployments","status":200}"#,
    );
    check(&package).unwrap();
    succeed(&package, &["deploy", "check"]);
    edit(&package, rule, "");
    assert!(check(&package).unwrap_err().contains(missing));
    let output = run(&package, &["deploy", "check"]);
    assert!(stderr(&output).contains(missing), "{}", stderr(&output));
    succeed(&package, &[&ARGS[..], &["--write"]].concat());
    check(&package).unwrap();
    succeed(&package, &["deploy", "check"]);

    // By what the tests have written.
    let owner = |api_version: &str, kind: &str, verb: &str, status: u16| {
        format!(
            r#"{{"verb":"{verb}","group":"apps","resource":"deployments","name":"a","status":{status},"blockedOwners":[{{"apiVersion":"{api_version}","kind":"{kind}"}}]}}"#
        )
    };
    let (_directory, package) = scaffold(&[]);
    let of_crd = |verb, status| owner("iksoon.test.com/v1", "CrdKind", verb, status);
    // References that were there before, a write that failed, and a kind of which nothing is known.
    for line in [
        of_crd("update", 200),
        of_crd("create", 403),
        owner("a.com/v1", "B", "create", 201),
    ] {
        log(&package, &line);
        assert!(!check(&package).unwrap_err().contains("finalizers"));
    }
    for (line, named) in [
        (of_crd("create", 201), "crdplural.iksoon.test.com"),
        (of_crd("patch", 200), "crdplural.iksoon.test.com"),
        (
            owner("apps/v1", "Deployment", "create", 201),
            "deployments.apps",
        ),
        (owner("v1", "Node", "create", 201), "nodes"),
    ] {
        let (_directory, package) = scaffold(&[]);
        log(&package, &line);
        let message = check(&package).unwrap_err();
        assert!(
            message.contains(&format!("`update` on `{named}/finalizers`")),
            "{message}"
        );
        succeed(&package, &[&ARGS[..], &["--write"]].concat());
        check(&package).unwrap();
    }
}

/// What a file has that a terminal does not show is in the file that is printed, too.
#[test]
fn the_printed_file_is_the_file() {
    let (_directory, package) = scaffold(&[]);
    log(&package, "");
    edit(&package, "rules:\n", "# A\u{200b}B\u{feff}C\nrules:\n");
    let text = fs::read_to_string(package.join("deploy/rbac.yaml")).unwrap();
    let printed = run(&package, &ARGS);
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), text);
}

/// Rules in another layout are written anew; nothing that is granted or needed is lost.
#[test]
fn a_role_without_rules_gets_all_that_are_needed() {
    let (_directory, package) = scaffold(&[]);
    log(&package, "");
    let path = package.join("deploy/rbac.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let documents: Vec<String> = text
        .split("---\n")
        .map(|document| {
            let mut value: serde_json::Value = serde_yaml::from_str(document).unwrap();
            if let Some(fields) = value.as_object_mut() {
                fields.remove("rules");
            }
            value.to_string()
        })
        .collect();
    fs::write(&path, documents.join("\n---\n---\n")).unwrap();
    check(&package).unwrap_err();
    succeed(&package, &[&ARGS[..], &["--write"]].concat());
    check(&package).unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(
        written.matches("kind: ").count(),
        text.matches("kind: ").count()
    );
}

#[test]
fn a_missing_right_has_a_place_without_a_role_for_it() {
    let (_directory, package) = scaffold(&[]);
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: web\n";
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: leases\nrules:\n- apiGroups: [coordination.k8s.io]\n  resources: [leases]\n  verbs: [get, create, update]\n";
    log(
        &package,
        r#"{"verb":"patch","group":"example.com","resource":"sites","name":"7","status":200}"#,
    );
    for (text, place) in [
        (account.to_owned(), "deploy/rbac.yaml:1:1"),
        (format!("{account}---\n{role}"), "deploy/rbac.yaml:6:1"),
        ("# Nothing yet.\n".to_owned(), "deploy/rbac.yaml"),
    ] {
        fs::write(package.join("deploy/rbac.yaml"), text).unwrap();
        let message = check(&package).unwrap_err();
        let expected = "no role for the operator grants `patch` on `sites.example.com`, which a recorded request for the object `7` uses";
        assert!(message.contains(expected), "{message}");
        assert!(message.contains(&format!("--> {place}")), "{message}");
        assert!(
            message.contains("add a ClusterRole with `rules: []`"),
            "{message}"
        );
    }
}
