//! Text from CRDs and objects reaches the terminal without the characters that would control it.
use std::{fs, ops::RangeInclusive, path::Path};

use kube_codegen_formats::printable::is_hidden;
use serde_json::{Value, json};

use super::{run, stderr, stdout};

/// Hides text, sets the clipboard, names the window, clears the screen with the one-byte form of an escape, and reorders what follows.
const HOSTILE: &str = "pay\u{1b}[8m\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://x\u{1b}\\\u{9b}2J\u{202e}\u{2066}\u{200b}\u{200f}\u{61c}\rload";

/// What is left of it on a terminal.
const SHOWN: &str = r"pay\u{1b}[8m\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://x\u{1b}\\u{9b}2J\u{202e}\u{2066}\u{200b}\u{200f}\u{61c}";

fn crd(longest: u32) -> Value {
    let name = format!("x{HOSTILE}");
    let spec = json!({
        "type": "object",
        "required": ["mode"],
        "description": HOSTILE,
        "properties": {
            "mode": {"type": "string", "enum": [HOSTILE, "other"], "default": HOSTILE, "description": format!("mode {HOSTILE}")},
            "text": {"type": "string", "maxLength": longest, "default": format!("two\nlines {HOSTILE}")},
            name: {"type": "integer", "description": HOSTILE, "maximum": longest},
        },
        "x-kubernetes-validations": [{"rule": "self.mode != 'a'", "message": HOSTILE}],
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "required": ["spec"],
                    "description": HOSTILE,
                    "properties": {"spec": spec},
                }},
            }],
        },
    })
}

fn write(directory: &Path) {
    let object = |name: &str, spec: Value| {
        let object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec});
        fs::write(directory.join(format!("{name}.json")), object.to_string()).unwrap();
    };
    fs::write(directory.join("old.json"), crd(100).to_string()).unwrap();
    fs::write(directory.join("new.json"), crd(90).to_string()).unwrap();
    object("enum", json!({"mode": format!("not {HOSTILE}")}));
    object("unknown", json!({"mode": "other", (HOSTILE): 1}));
    object(
        "name",
        json!({"mode": "other", (format!("x{HOSTILE}")): 101}),
    );
    let mut wrong = crd(1);
    wrong["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        [HOSTILE] = json!({"type": HOSTILE, "pattern": format!("({HOSTILE}")});
    fs::write(directory.join("wrong.json"), wrong.to_string()).unwrap();
}

/// Removes the styles of the program's own, none of which hides text.
fn without_styles(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (style, rest) = part.split_once('m').unwrap_or((part, ""));
        let numbers: Vec<&str> = style.split(';').collect();
        let is_own = numbers
            .iter()
            .all(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()));
        assert!(is_own && numbers != ["8"], "{style:?} in {text:?}");
        out.push_str(rest);
    }
    out
}

#[test]
fn no_text_of_a_crd_or_an_object_controls_the_terminal() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    for (args, shows) in [
        (&["explain", "-f", "old.json", "Widget.spec"][..], true),
        (
            &["explain", "-f", "old.json", "Widget", "--recursive"],
            true,
        ),
        (&["explain", "-f", "old.json", "Widget.spec.mode"], true),
        (&["diff", "old.json", "new.json"], true),
        (&["diff", "old.json", "new.json", "-v"], true),
        (&["diff", "old.json", "new.json", "--markdown"], true),
        (&["sample", "-f", "old.json"], true),
        (&["sample", "-f", "old.json", "--full"], true),
        (&["dump", "-f", "old.json"], false),
        (&["policy", "-f", "old.json"], false),
        (&["lint", "-f", "old.json", "-v"], false),
        (&["validate", "-f", "old.json", "enum.json"], true),
        (&["validate", "-f", "old.json", "unknown.json"], true),
        (&["validate", "-f", "old.json", "name.json"], true),
        (&["generate", "-f", "old.json", "-o", "out", "-v"], false),
        (&["generate", "-f", "wrong.json", "-o", "out"], true),
        (
            &["generate", "-f", "new.json", "-o", "out", "--check"],
            false,
        ),
        (&["lint", "-f", "wrong.json"], true),
        (&["schema", "-f", "old.json", "-o", "schemas"], false),
        (&["docs", "-f", "old.json", "-o", "docs"], false),
    ] {
        let args = [args, &["--color", "always"]].concat();
        let output = run(directory.path(), &args);
        let text = without_styles(&(stdout(&output) + &stderr(&output)));
        let raw = text
            .chars()
            .find(|c| is_hidden(*c) && !matches!(c, '\n' | '\t'));
        assert_eq!(raw, None, "{args:?}: {text:?}");
        assert!(
            !shows || text.contains(r"pay\u") || text.contains("pay\u{fffd}"),
            "{args:?}: {text}"
        );
    }
    let shown = stdout(&run(
        directory.path(),
        &["explain", "-f", "old.json", "Widget.spec.mode"],
    ));
    assert!(shown.contains(SHOWN), "{shown}");
}

#[test]
fn formats_for_programs_are_escaped_and_keep_their_values() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let is_safe = |text: &str| !text.contains(|c| is_hidden(c) && c != '\n');
    for args in [
        &["sample", "-f", "old.json", "--full", "--color", "always"][..],
        &["sample", "-f", "old.json", "--full"],
    ] {
        let sample = stdout(&run(directory.path(), args));
        assert!(is_safe(&sample), "{sample:?}");
        let sample: Value = serde_yaml::from_str(&sample).unwrap();
        assert_eq!(sample["spec"]["mode"], HOSTILE);
        assert_eq!(sample["spec"]["text"], format!("two\nlines {HOSTILE}"));
        assert!(sample["spec"][format!("x{HOSTILE}")].is_i64(), "{sample}");
    }
    let policy = stdout(&run(
        directory.path(),
        &["policy", "-f", "old.json", "--color", "always"],
    ));
    assert!(is_safe(&policy), "{policy:?}");
    let mut messages = policy.split("---\n").map(|document| {
        let document: Value = serde_yaml::from_str(document).unwrap();
        document["spec"]["validations"][0]["message"].clone()
    });
    // One line, after the path of the field.
    let message = HOSTILE.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = format!("spec: {message}");
    assert!(messages.any(|it| it == message), "{message:?} in {policy}");

    let args = [
        "validate",
        "-f",
        "old.json",
        "enum.json",
        "--message-format",
        "json",
        "--color",
        "always",
    ];
    let findings = stdout(&run(directory.path(), &args));
    assert!(is_safe(&findings), "{findings:?}");
    let mut findings = findings
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let names_it = |it: &Value| it["message"].as_str().is_some_and(|it| it.contains("pay"));
    assert!(findings.any(|it| names_it(&it)));
}

#[test]
fn pages_escape_what_a_terminal_does_not_show() {
    let script = hidden_in_script();
    for c in
        (char::MIN..=char::MAX).filter(|c| !matches!(c, '\n' | '\t' | '<' | '>' | '&' | '"' | '\''))
    {
        let text = c.to_string();
        let is_escaped = kube_codegen_look::Escaped(&text).to_string() != text;
        assert_eq!(is_escaped, is_hidden(c), "{:x}", u32::from(c));
        let is_escaped = script.iter().any(|range| range.contains(&u32::from(c)));
        assert_eq!(is_escaped, is_hidden(c), "{:x} in state.js", u32::from(c));
    }
}

/// The ranges of characters that the script of `kube-codegen dev`'s page escapes, from its regular expression.
fn hidden_in_script() -> Vec<RangeInclusive<u32>> {
    const SCRIPT: &str = include_str!("../../crates/dev/src/page/state.js");
    let (_, rest) = SCRIPT.split_once("replace(/[").unwrap();
    let (class, _) = rest.split_once("]/gu").unwrap();
    let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
    let mut goes_on = false;
    for code in class.split("\\u").skip(1) {
        let (code, then) = code
            .strip_suffix('-')
            .map_or((code, false), |it| (it, true));
        let code = code.trim_matches(['{', '}']);
        let code = u32::from_str_radix(code, 16).unwrap();
        match ranges.last_mut() {
            Some(last) if goes_on => *last = *last.start()..=code,
            _ => ranges.push(code..=code),
        }
        goes_on = then;
    }
    ranges
}
