//! Runs the commands of the README and of the book, and compares their output.
//!
//! In a `console` block, `$ ` starts a command and `? N` gives its exit code; the other lines are its output, in which
//! `[..]` matches anything.
use std::{path::Path, process::Command};

use crate::{
    cargo,
    docs::{pages::pages, read},
};

/// Pages whose commands a test of their own runs.
const ELSEWHERE: &[&str] = &[
    "docs/from-kube-derive.md",
    "docs/kube-operators.md",
    "docs/second-tutorial.md",
    "docs/tutorial.md",
];

pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) code: i32,
    pub(crate) output: Vec<String>,
}

/// Returns the commands of a page.
pub(crate) fn steps(readme: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step {
                    command: command.to_owned(),
                    code: 0,
                    output: Vec::new(),
                }),
                (None, Some(step)) => match line.strip_prefix("? ") {
                    Some(code) => step.code = code.parse().unwrap(),
                    None => step.output.push(line.to_owned()),
                },
                (None, None) => panic!("a block that does not start with a command: {line}"),
            },
        }
    }
    steps
}

/// Whether a line matches a pattern with `[..]`.
pub(crate) fn is_like(line: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("[..]") else {
        return line == pattern;
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    (0..=line.len()).any(|at| line.is_char_boundary(at) && is_like(&line[at..], rest))
}

/// Programs of this workspace, which are built already, with the features of the tests.
const PROGRAMS: &str = r#"cargo() {
    case $1 in
        build) ;;
        run)
            local program=kube-codegen
            while shift; [ "$1" != -- ]; do
                [ "$1" != -p ] || program=$2
            done
            shift
            "$PROGRAMS/$program" "$@" ;;
        *) command cargo "$@" ;;
    esac
}
target/debug/kube-codegen-dev() { "$PROGRAMS/kube-codegen-dev" "${@/#target\/debug/$PROGRAMS}"; }"#;

/// Builds the programs that commands run, as the tests do, and returns their directory.
pub(crate) fn programs() -> &'static Path {
    let status = cargo()
        .args([
            "build",
            "--quiet",
            "--workspace",
            "--all-features",
            "--bin",
            "kube-codegen-dev",
            "--bin",
            "crdkind-operator",
            // With the features of dev-dependencies: otherwise half of all crates would be compiled again.
            "--test",
            "generator",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(status.is_ok_and(|status| status.success()));
    Path::new(env!("CARGO_BIN_EXE_kube-codegen"))
        .parent()
        .unwrap()
}

#[test]
fn commands_print_what_is_shown() {
    let (root, programs) = (env!("CARGO_MANIFEST_DIR"), programs());
    assert!(
        !steps(&read("README.md")).is_empty(),
        "the README shows no command"
    );
    for page in pages().into_iter().chain(["README.md".to_owned()]) {
        if ELSEWHERE.contains(&&*page) {
            continue;
        }
        for step in steps(&read(&page)) {
            let output = Command::new("bash")
                .args(["-o", "pipefail", "-c"])
                .arg(format!("{PROGRAMS}\n{} 2>&1", step.command))
                .current_dir(root)
                .env("PROGRAMS", programs)
                .output()
                .unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let lines: Vec<&str> = printed.trim_end().lines().collect();
            let shown = step.output.join("\n");
            let shown: Vec<&str> = shown.trim_end().lines().collect();
            assert!(
                lines.len() == shown.len() && lines.iter().zip(&shown).all(|(l, s)| is_like(l, s)),
                "{page}: $ {}\nshown:\n{}\nprinted:\n{printed}",
                step.command,
                shown.join("\n"),
            );
            assert_eq!(
                output.status.code(),
                Some(step.code),
                "{page}: $ {}",
                step.command
            );
        }
    }
}
