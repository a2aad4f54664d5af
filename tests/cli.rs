//! The command line as its user sees it: transcripts in `tests/cli/*.md`, and what a transcript cannot show.
//!
//! `TRYCMD=overwrite cargo test --test cli` accepts what the commands print now.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;
use tempfile::TempDir;

const CRDKIND: &str = include_str!("../fixtures/crdkind.yaml");

fn kube_codegen(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-codegen"));
    command.current_dir(directory);
    command
}

fn run(directory: &Path, args: &[&str]) -> Output {
    kube_codegen(directory).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Paths and time stamps of all files below a directory, sorted.
fn files(root: &Path) -> Vec<(String, SystemTime)> {
    let mut all = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                all.push((name, fs::metadata(&path).unwrap().modified().unwrap()));
            }
        }
    }
    all.sort();
    all
}

fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("crdkind.yaml"), CRDKIND).unwrap();
    directory
}

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cli/*.md");
}

#[test]
fn a_second_run_keeps_every_time_stamp() {
    let directory = directory();
    let args = ["generate", "-f", "crdkind.yaml", "-o", "out"];
    assert!(run(directory.path(), &args).status.success());
    let before = files(directory.path());
    assert!(before.iter().any(|(path, _)| path.ends_with("types.rs")));
    let second = run(directory.path(), &args);
    assert!(
        stdout(&second).contains(" 0 files written, "),
        "{}",
        stdout(&second)
    );
    assert_eq!(files(directory.path()), before);
}

#[test]
fn standard_input_is_an_input() {
    let directory = TempDir::new().unwrap();
    let mut child = kube_codegen(directory.path())
        .args(["generate", "-f", "-", "-o", "out"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(CRDKIND.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(
        directory
            .path()
            .join("out/iksoon_test_com/v1/types.rs")
            .exists()
    );
}

#[test]
fn the_config_file_starts_at_its_folder() {
    let directory = directory();
    let config = "file = ['../crdkind.yaml']\noutput = 'src'\nemit = ['types']\n";
    fs::create_dir_all(directory.path().join("a/b")).unwrap();
    fs::write(directory.path().join("a/kube-codegen.toml"), config).unwrap();
    let here = run(&directory.path().join("a"), &["generate"]);
    assert!(here.status.success(), "{}", stderr(&here));
    let types = directory.path().join("a/src/iksoon_test_com/v1/types.rs");
    assert!(types.exists());
    let named = run(
        &directory.path().join("a/b"),
        &["generate", "--config", "../kube-codegen.toml", "--check"],
    );
    assert!(named.status.success(), "{}", stdout(&named));
    let flag = run(
        &directory.path().join("a/b"),
        &["generate", "--config", "../kube-codegen.toml", "-o", "flag"],
    );
    assert!(flag.status.success());
    assert!(directory.path().join("a/b/flag/mod.rs").exists());
}

#[test]
fn json_messages_are_one_object_a_line_and_end_with_a_summary() {
    let directory = directory();
    let bad = CRDKIND.replace("type: integer", "type: integre");
    fs::write(directory.path().join("bad.yaml"), bad).unwrap();
    for (file, code, outcome) in [("crdkind.yaml", 0, "generated"), ("bad.yaml", 1, "invalid")] {
        let args = [
            "generate",
            "-f",
            file,
            "-o",
            "out",
            "--message-format",
            "json",
        ];
        let output = run(directory.path(), &args);
        let objects: Vec<serde_json::Value> = stdout(&output)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(output.status.code(), Some(code), "{file}");
        let summary = objects.last().unwrap();
        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["outcome"], outcome);
        assert_eq!(summary["findings"], objects.len() - 1);
        if code == 1 {
            assert_eq!(objects[0]["type"], "finding");
            assert_eq!(objects[0]["severity"], "error");
            assert_eq!(objects[0]["file"], "bad.yaml");
            assert!(objects[0]["line"].as_u64() > Some(20), "{}", objects[0]);
        }
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn invalid_input_writes_not_one_byte() {
    let directory = directory();
    let args = ["generate", "-f", "bad.yaml", "-o", "out"];
    assert!(
        run(
            directory.path(),
            &["generate", "-f", "crdkind.yaml", "-o", "out"]
        )
        .status
        .success()
    );
    for (what, bad) in [
        ("a tab", CRDKIND.replace("  group:", "\tgroup:")),
        ("a duplicate key", CRDKIND.replace("  scope:", "  group: other\n  scope:")),
        ("no names", CRDKIND.replace("    plural: crdplural\n", "")),
        ("a name that is a path", CRDKIND.replace("crdplural", "../../x")),
        ("a version twice", CRDKIND.replace("  versions:\n", "  versions:\n    - { name: v1, served: true, storage: false, schema: { openAPIV3Schema: { type: object } } }\n")),
        ("not a definition", "a: 1\n".to_owned()),
        ("not UTF-8", String::new()),
    ] {
        let bytes = if bad.is_empty() { b"\xff\xfe\xfa".to_vec() } else { bad.into_bytes() };
        fs::write(directory.path().join("bad.yaml"), bytes).unwrap();
        let before = files(directory.path());
        let output = run(directory.path(), &args);
        let code = if what == "not UTF-8" { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{what}: {}", stderr(&output));
        assert!(stderr(&output).contains("bad.yaml"), "{what}: {}", stderr(&output));
        assert_eq!(files(directory.path()), before, "{what}");
    }
}

#[test]
fn warnings_can_be_denied() {
    let directory = directory();
    let root = directory.path();
    let warned = CRDKIND.replace(
        "type: integer",
        "type: integer\n                  x-vendor: 1",
    );
    fs::write(root.join("warned.yaml"), warned).unwrap();
    let generate = |more: &[&str]| {
        run(
            root,
            &[&["generate", "-f", "warned.yaml", "-o", "out"], more].concat(),
        )
    };
    for denied in ["warnings", "KC0402", "KC0101,kc0402"] {
        let output = generate(&["--deny", denied]);
        assert_eq!(output.status.code(), Some(1), "{denied}");
        assert!(stderr(&output).contains("warning[KC0402]"), "{denied}");
        assert!(stderr(&output).contains("nothing was written"), "{denied}");
        assert!(!root.join("out").exists(), "{denied}");
    }
    let output = generate(&["--deny", "warnings", "--message-format", "json"]);
    let last = stdout(&output).lines().last().unwrap().to_owned();
    let summary: serde_json::Value = serde_json::from_str(&last).unwrap();
    assert_eq!(summary["outcome"], "denied");
    assert_eq!(summary["denied"], 1);
    for (denied, code) in [("KC0401", 0), ("KC0000", 2)] {
        let output = generate(&["--deny", denied]);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{denied}: {}",
            stderr(&output)
        );
    }
    let config = "file = ['warned.yaml']\noutput = 'by-config'\ndeny = ['warnings']\n";
    fs::write(root.join("kube-codegen.toml"), config).unwrap();
    assert_eq!(run(root, &["generate"]).status.code(), Some(1));
    assert!(!root.join("by-config").exists());
}

#[test]
fn quiet_shows_errors_alone() {
    let directory = directory();
    let both = format!("{CRDKIND}---\napiVersion: v1\nkind: ConfigMap\n---\n{CRDKIND}").replacen(
        "type: integer",
        "type: integre",
        1,
    );
    fs::write(directory.path().join("both.yaml"), both).unwrap();
    let shown = |more: &[&str]| {
        stderr(&run(
            directory.path(),
            &[&["generate", "-f", "both.yaml"], more].concat(),
        ))
    };
    assert!(shown(&[]).contains("warning["));
    assert!(!shown(&["--quiet"]).contains("warning["));
    assert!(shown(&["--quiet"]).contains("error["));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let directory = directory();
    let mut child = kube_codegen(directory.path())
        .args(["generate", "-f", "crdkind.yaml", "-o", "out"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
    assert!(directory.path().join("out/mod.rs").exists());
}

#[test]
fn colour_is_for_terminals_or_by_demand() {
    let directory = directory();
    fs::write(directory.path().join("bad.yaml"), "a: [\n").unwrap();
    let args = ["generate", "-f", "bad.yaml"];
    assert!(!stderr(&run(directory.path(), &args)).contains('\x1b'));
    let always = run(
        directory.path(),
        &["generate", "-f", "bad.yaml", "--color=always"],
    );
    assert!(stderr(&always).contains("\x1b["));
}

#[test]
fn every_code_is_explained_and_every_shell_completed() {
    let here = TempDir::new().unwrap();
    let listed = stdout(&run(here.path(), &["explain"]));
    assert!(listed.lines().count() > 20, "{listed}");
    for line in listed.lines() {
        let (code, _) = line.split_once(' ').unwrap();
        let explained = stdout(&run(here.path(), &["explain", &code.to_lowercase()]));
        assert!(
            explained.starts_with(code) && explained.lines().count() > 2,
            "{explained}"
        );
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&run(here.path(), &["completions", shell]));
        assert!(script.contains("deny"), "{shell}");
    }
}
