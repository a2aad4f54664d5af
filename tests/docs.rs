//! Runs the commands of the README and compares their output, and rejects idioms that are not plain English.
//!
//! In a `console` block, `$ ` starts a command and `? N` gives its exit code; the other lines are its output, in which
//! `[..]` matches anything.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::{ffi::OsStr, fs, path::Path, process::Command};

struct Step {
    command: String,
    code: i32,
    output: Vec<String>,
}

fn steps(readme: &str) -> Vec<Step> {
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
fn is_like(line: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("[..]") else {
        return line == pattern;
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    (0..=line.len()).any(|at| line.is_char_boundary(at) && is_like(&line[at..], rest))
}

#[test]
fn readme_commands_print_what_it_shows() {
    let root = env!("CARGO_MANIFEST_DIR");
    let steps = steps(&read("README.md"));
    assert!(steps.len() >= 4, "the README shows too few commands");
    for step in steps {
        let output = Command::new("bash")
            .args(["-o", "pipefail", "-c", &format!("{} 2>&1", step.command)])
            .current_dir(root)
            .env("CARGO", env!("CARGO"))
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = printed.trim_end().lines().collect();
        let shown = step.output.join("\n");
        let shown: Vec<&str> = shown.trim_end().lines().collect();
        assert!(
            lines.len() == shown.len() && lines.iter().zip(&shown).all(|(l, s)| is_like(l, s)),
            "$ {}\nshown:\n{}\nprinted:\n{printed}",
            step.command,
            shown.join("\n"),
        );
        assert_eq!(output.status.code(), Some(step.code), "$ {}", step.command);
    }
}

#[test]
fn readme_lists_every_emitter() {
    let readme = read("README.md");
    for emitter in kube_codegen::Emitter::all() {
        let row = format!("| `{}` | {} |", emitter.name(), emitter.about());
        assert!(readme.contains(&row), "the README lacks: {row}");
    }
}

/// Words and phrases that this project does not use, in text and in identifiers.
const IDIOMS: &[&str] = &[
    "anew",
    "are meant",
    "come in",
    "comes in",
    "go out",
    "goes out",
    "grave",
    "house",
    "is meant",
    "is no",
    "lie beside",
    "lies",
    "mend",
    "mended",
    "mends",
    "nobody",
    "one may not",
    "ought",
    "room",
    "rooms",
    "so many",
    "somebody",
    "spared",
    "stands",
    "tells",
    "to be had",
    "told",
];

/// Phrases that contain one of these but are plain English.
const ALLOWED: &[&str] = &[
    "come in pairs",
    "goes out of",
    "is no longer",
    "stands for",
    "there is no",
];

#[test]
fn text_is_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let below = path.strip_prefix(root).unwrap().to_str().unwrap();
            let extension = path.extension().and_then(OsStr::to_str);
            if path.is_dir() {
                if !is_exempt(below) {
                    pending.push(path);
                }
            } else if matches!(extension, Some("rs" | "md" | "j2")) && below != "tests/docs.rs" {
                for (index, line) in read(below).lines().enumerate() {
                    if let Some(idiom) = idiom(line) {
                        found.push(format!("{below}:{}: \"{idiom}\"", index + 1));
                    }
                }
            }
        }
    }
    found.sort();
    assert!(found.is_empty(), "not plain English:\n{}", found.join("\n"));
}

/// Whether a directory contains inputs, output or text from elsewhere.
fn is_exempt(directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or_default();
    name.starts_with('.')
        || ["fixtures", "generated", "goldens", "target"].contains(&name)
        || directory == "fuzz/corpus"
        || directory == "src/pass/known/table"
}

/// The first idiom in a line.
fn idiom(line: &str) -> Option<&'static str> {
    let words = line
        .to_lowercase()
        .replace(|c: char| !c.is_alphanumeric(), " ");
    let mut text = format!(
        " {} ",
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    for allowed in ALLOWED {
        text = text.replace(&format!(" {allowed} "), " ");
    }
    (IDIOMS.iter().copied()).find(|idiom| text.contains(&format!(" {idiom} ")))
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}
