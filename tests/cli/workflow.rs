//! The scaffolded workflow that comments changes of the API, without GitHub: its scripts, and what they may do.
#![cfg(unix)]
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use serde_json::Value;
use tempfile::TempDir;

use super::{kube_codegen, stderr, succeed};

/// Returns the workflow of a new operator.
fn workflow(directory: &Path) -> Value {
    let crd = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/crdkind.yaml");
    let output = kube_codegen(directory)
        .args(["new", "operator", "-f"])
        .arg(crd)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    succeed(&directory.join("operator"), &["add", "api-changes"]);
    let file = directory.join("operator/.github/workflows/api-changes.yml");
    serde_yaml::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn script<'w>(workflow: &'w Value, job: &str, starts: &str) -> &'w str {
    let steps = workflow["jobs"][job]["steps"].as_array().unwrap();
    let mut scripts = steps.iter().filter_map(|step| step["run"].as_str());
    scripts.find(|it| it.starts_with(starts)).unwrap()
}

fn run(directory: &Path, script: &str, variables: &[(&str, &str)]) {
    let programs = Path::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .parent()
        .unwrap();
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        directory.display(),
        programs.display()
    );
    let output = Command::new("bash")
        .args(["-e", "-c", script])
        .current_dir(directory)
        .env("PATH", path)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{script}\n{}", stderr(&output));
}

#[test]
fn the_workflow_runs_nothing_of_a_pull_request_and_writes_only_its_comment() {
    let folder = TempDir::new().unwrap();
    let workflow = workflow(folder.path());
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    let jobs = workflow["jobs"].as_object().unwrap();
    let rights = |job: &str| &workflow["jobs"][job]["permissions"];
    assert_eq!(*rights("compare"), serde_json::json!({"contents": "read"}));
    assert_eq!(
        *rights("comment"),
        serde_json::json!({"pull-requests": "write"})
    );
    assert_eq!(jobs.len(), 2);
    for step in jobs
        .values()
        .flat_map(|job| job["steps"].as_array().unwrap())
    {
        // Texts of others reach a script by variables alone, and none but the base branch is checked out.
        assert!(
            !step["run"].as_str().unwrap_or_default().contains("${{"),
            "{step}"
        );
        assert!(step["with"]["ref"].is_null(), "{step}");
    }
}

#[test]
fn a_change_is_commented_once() {
    let folder = TempDir::new().unwrap();
    let workflow = workflow(folder.path());
    let operator = folder.path().join("operator");
    let crd = fs::read_to_string(operator.join("deploy/crd.yaml")).unwrap();
    fs::write(
        operator.join("proposed.yaml"),
        crd.replace("maximum: 10", "maximum: 5"),
    )
    .unwrap();
    let (output, summary) = (operator.join("output"), operator.join("summary"));
    let variables = [
        ("GITHUB_OUTPUT", output.to_str().unwrap()),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
    ];
    let compare = script(&workflow, "compare", "kube-codegen diff");
    run(&operator, compare, &variables);
    let text = fs::read_to_string(&output).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let end = first.strip_prefix("comment<<").unwrap();
    let comment = rest.strip_suffix(&format!("\n{end}\n")).unwrap();
    assert!(comment.starts_with("## Changes of the API"), "{comment}");
    assert!(
        comment.contains("narrowed") && !comment.contains(end),
        "{comment}"
    );
    assert_eq!(fs::read_to_string(&summary).unwrap().trim(), comment.trim());

    // A file that is not a CRD.
    fs::write(operator.join("proposed.yaml"), "kind: [").unwrap();
    fs::remove_file(&output).unwrap();
    run(&operator, compare, &variables);
    assert!(
        fs::read_to_string(&output)
            .unwrap()
            .contains("cannot be compared")
    );

    let gh = folder.path().join("gh");
    let answers = "#!/bin/sh\necho \"$*\" >> calls\ncase \"$*\" in *--jq*) cat known;; *) cat comment.md > sent;; esac\n";
    fs::write(&gh, answers).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let variables = [
        ("GH_REPO", "owner/name"),
        ("NUMBER", "7"),
        ("COMMENT", comment),
    ];
    for (known, call) in [
        ("", "--method POST repos/owner/name/issues/7/comments"),
        (
            "12\n13\n",
            "--method PATCH repos/owner/name/issues/comments/12",
        ),
    ] {
        fs::write(folder.path().join("known"), known).unwrap();
        run(
            folder.path(),
            script(&workflow, "comment", "mark="),
            &variables,
        );
        let calls = fs::read_to_string(folder.path().join("calls")).unwrap();
        assert!(calls.lines().last().unwrap().contains(call), "{calls}");
        let sent = fs::read_to_string(folder.path().join("sent")).unwrap();
        assert_eq!(sent, format!("<!-- kube-codegen diff -->\n{comment}\n"));
    }
}
