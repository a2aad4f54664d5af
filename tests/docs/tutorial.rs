//! Follows pages as they are written: runs their commands in their order, and writes the files that they show.
//!
//! A block `rust,file=PATH` is a whole file, and `rust,file=PATH,replace=NAME` the function of that name in it. The shown lines of a command must
//! be in its output in their order; what is between them is not shown.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use tempfile::TempDir;

use crate::docs::{
    commands::{Step, is_like, programs, steps},
    read,
};

/// A code block: what follows the three back-quotes, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                found.push((info.into_string(), String::new()));
            }
            Event::Text(text) => {
                if let Some((_, code)) = found.last_mut().filter(|(_, code)| code.is_empty()) {
                    code.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the value of an attribute of a block, as in `rust,file=src/main.rs`.
fn attribute<'info>(info: &'info str, name: &str) -> Option<&'info str> {
    (info.split(',')).find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

/// Replaces a function in a file, with its documentation.
fn replace_function(text: &str, name: &str, code: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let start = format!("fn {name}(");
    let is_start = |line: &&str| !line.starts_with(' ') && line.contains(&start);
    let at = lines
        .iter()
        .position(is_start)
        .unwrap_or_else(|| panic!("no function {name}"));
    let first = lines[..at]
        .iter()
        .rposition(|line| !line.starts_with("///") && !line.starts_with("#["));
    let first = first.map_or(0, |before| before + 1);
    let last = at + lines[at..].iter().position(|line| *line == "}").unwrap();
    [&lines[..first], &[code.trim_end()], &lines[last + 1..]]
        .concat()
        .join("\n")
        + "\n"
}

struct Reader {
    directory: PathBuf,
    environment: Vec<(String, String)>,
}

impl Reader {
    fn run(&mut self, step: &Step) {
        let command = &step.command;
        if let Some(directory) = command.strip_prefix("cd ") {
            self.directory.push(directory);
            return;
        }
        if let Some((name, value)) = command
            .strip_prefix("export ")
            .and_then(|it| it.split_once('='))
        {
            self.environment.push((name.to_owned(), value.to_owned()));
            return;
        }
        // With the versions of this repository, whose compiled dependencies the tests share.
        let [manifest, lock] = ["Cargo.toml", "Cargo.lock"].map(|name| self.directory.join(name));
        if manifest.exists() && !lock.exists() {
            fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"), lock).unwrap();
        }
        let output = Command::new("bash")
            .args(["-o", "pipefail", "-c", &format!("({command}) 2>&1")])
            .current_dir(&self.directory)
            .envs(self.environment.iter().cloned())
            .env_remove("K8S_OPENAPI_ENABLED_VERSION")
            // As a reader does, wherever the test runs: with it, make insists on a lock file that names the package.
            .env_remove("CI")
            .env_remove("SIMULATE_REQUIRE")
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        println!("$ {command}\n{printed}");
        assert_eq!(
            output.status.code(),
            Some(step.code),
            "$ {command}\n{printed}"
        );
        let mut lines = printed.lines().map(str::trim_end);
        for shown in step.output.iter().filter(|line| !line.is_empty()) {
            assert!(
                lines.any(|line| is_like(line, shown.trim_end())),
                "$ {command}\nnot printed, or not in this order: {shown}\n{printed}"
            );
        }
    }
}

#[test]
#[ignore = "builds an operator, which takes minutes"]
fn the_tutorial_works_as_written() {
    follow("docs/tutorial.md");
}

#[test]
#[ignore = "builds an operator, which takes minutes"]
fn the_second_tutorial_works_as_written() {
    follow("docs/second-tutorial.md");
}

#[test]
#[ignore = "builds operators, which takes minutes"]
fn derived_types_are_replaced_or_kept_as_written() {
    follow("docs/from-kube-derive.md");
}

#[test]
#[ignore = "builds an operator with two versions of kube, which takes minutes"]
fn an_existing_operator_is_tested_as_written() {
    follow("docs/kube-operators.md");
}

/// Starts in an empty directory.
fn follow(page: &str) {
    let directory = TempDir::new().unwrap();
    let path = format!("{}:{}", programs().display(), env::var("PATH").unwrap());
    let packages = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let mut reader = Reader {
        directory: directory.path().to_owned(),
        environment: vec![
            ("PATH".to_owned(), path),
            (
                "CARGO_TARGET_DIR".to_owned(),
                packages.display().to_string(),
            ),
            ("CARGO_TERM_COLOR".to_owned(), "never".to_owned()),
            // As in the tests of scaffolded packages, which share the compiled dependencies.
            ("CARGO_PROFILE_DEV_DEBUG".to_owned(), "false".to_owned()),
            ("CARGO_INCREMENTAL".to_owned(), "0".to_owned()),
            (
                "KUBE_CODEGEN_SOURCE".to_owned(),
                env!("CARGO_MANIFEST_DIR").to_owned(),
            ),
        ],
    };
    for (info, code) in blocks(&read(page)) {
        let Some(file) = attribute(&info, "file") else {
            if info == "console" {
                for step in steps(&format!("```console\n{code}```\n")) {
                    reader.run(&step);
                }
            }
            continue;
        };
        let file = reader.directory.join(file);
        let text = match attribute(&info, "replace") {
            Some(name) => replace_function(&fs::read_to_string(&file).unwrap(), name, &code),
            None => code,
        };
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
}
