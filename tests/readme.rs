//! The README's commands, run as they are written; what they print is what it shows.
//!
//! In a `console` block, `$ ` begins a command, `? N` its exit code, the rest is what it prints; `[..]` stands for anything in a line.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::process::Command;

struct Step {
    command: String,
    code: i32,
    printed: Vec<String>,
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
                    printed: Vec::new(),
                }),
                (None, Some(step)) => match line.strip_prefix("? ") {
                    Some(code) => step.code = code.parse().unwrap(),
                    None => step.printed.push(line.to_owned()),
                },
                (None, None) => panic!("a block that begins with no command: {line}"),
            },
        }
    }
    steps
}

/// Whether a line is as the README shows it.
fn is_like(line: &str, shown: &str) -> bool {
    let mut rest = line;
    let mut parts = shown.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    let mut open = false;
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        open = part.is_empty();
    }
    open || rest.is_empty()
}

#[test]
fn commands_print_what_is_shown() {
    let root = env!("CARGO_MANIFEST_DIR");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).unwrap();
    let steps = steps(&readme);
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
        let shown = step.printed.join("\n");
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

/// The emitters of the tool and the table of the README are the same.
#[test]
fn every_emitter_is_in_the_table() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    for emitter in kube_codegen::Emitter::all() {
        let row = format!("| `{}` | {} |", emitter.name(), emitter.about());
        assert!(readme.contains(&row), "the README lacks: {row}");
    }
}
