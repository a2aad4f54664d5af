//! Formats JSON values as YAML that every parser reads alike: any string that is not a plain word is quoted.
use std::fmt::Write;

use kube_codegen_formats::printable::is_hidden;
use serde_json::Value;

/// Formats a document in block style, with a final newline.
pub(crate) fn document(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    if out.is_empty() {
        out = scalar(value) + "\n";
    }
    out
}

/// Formats a string as a scalar.
pub(crate) fn string(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quote(text)
    }
}

/// Formats a string in double quotes, valid in YAML, TOML and Go. Escapes what a terminal or an editor would not show, such as the line
/// separators of YAML 1.1 and characters that reorder text.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if is_hidden(c) => {
                let _ = match u32::from(c) {
                    code @ ..=0xffff => write!(quoted, "\\u{code:04x}"),
                    code => write!(quoted, "\\U{code:08x}"),
                };
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn block(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                indent(depth, out);
                out.push_str(&string(key));
                out.push(':');
                child(value, depth, out);
            }
        }
        Value::Array(list) => {
            for value in list {
                indent(depth, out);
                out.push('-');
                item(value, depth, out);
            }
        }
        _ => {}
    }
}

/// Formats the value of a key, after it or nested below it.
fn child(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            block(value, depth + 1, out);
        }
        Value::Array(list) if !list.is_empty() => {
            out.push('\n');
            block(value, depth, out);
        }
        Value::String(text) if is_prose(text) => prose(text, depth + 1, out),
        _ => {
            out.push(' ');
            out.push_str(&scalar(value));
            out.push('\n');
        }
    }
}

/// Formats an item of a list. A map starts on the line of the dash.
fn item(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut nested = String::new();
            block(value, depth + 1, &mut nested);
            out.push(' ');
            out.push_str(nested.trim_start_matches(' '));
        }
        Value::Array(list) if !list.is_empty() => {
            out.push('\n');
            block(value, depth + 1, out);
        }
        _ => child(value, depth, out),
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        _ => value.to_string(),
    }
}

/// Returns whether a text is a plain string in both YAML 1.1 and 1.2.
fn is_plain(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
    ];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/'))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// Returns whether a text has several lines that a literal block preserves.
pub(crate) fn is_prose(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && text.lines().all(|line| !line.ends_with(' '))
        && text.chars().all(|c| c == '\n' || !is_hidden(c))
}

pub(crate) fn prose(text: &str, depth: usize, out: &mut String) {
    out.push_str(if text.ends_with('\n') {
        " |\n"
    } else {
        " |-\n"
    });
    for line in text.trim_end_matches('\n').split('\n') {
        if !line.is_empty() {
            indent(depth, out);
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_strings_and_nesting_are_readable() {
        let value = json!({
            "apiVersion": "apps/v1", "list": [{"name": "a", "on": "y"}, "plain", [1, 2], []],
            "text": "Two\n\n  lines", "empty": {}, "number": 1.5, "octal": "0777", "none": null,
        });
        assert_eq!(
            document(&value),
            "apiVersion: apps/v1\nempty: {}\nlist:\n- name: a\n  \"on\": \"y\"\n- plain\n-\n  - 1\n  - 2\n- []\nnone: null\nnumber: 1.5\noctal: \"0777\"\ntext: |-\n  Two\n\n    lines\n"
        );
    }

    #[test]
    fn every_string_survives_a_round_trip() {
        let texts = [
            "",
            "y",
            "on",
            "No",
            "1_000",
            "0x1f",
            "1e3",
            "~",
            "null",
            "-",
            "- a",
            "a: b",
            "a #b",
            "#",
            "'",
            "\"",
            "\\",
            "|",
            ">",
            "&a",
            "*a",
            "!t",
            "%",
            "@",
            "`",
            "{",
            "[",
            ",",
            "?",
            "=",
            "<<",
            "2024-01-01",
            "12:30:45",
            " a",
            "a ",
            "a\n",
            "a\n\n",
            "\na",
            " a\nb",
            "a \nb",
            "a\n b\n",
            "a\tb\n\tc",
            "a\r\nb",
            "\u{0}",
            "\u{1f}",
            "\u{85}",
            "\u{2028}",
            "\u{feff}",
            "\u{9b}2J",
            "a\u{202e}b\nc",
            "\u{200b}",
            "\u{ad}",
            "\u{e0041}",
            "a: \u{2066}b",
            "é",
            "🦀",
            "---",
            "...",
            "---\na: b",
            "a\n---\nb",
            "a\n...\nb",
            "{{ x }}",
            "${x}",
            ".inf",
            ".5",
            "a:",
            "nan",
        ];
        let mut map = serde_json::Map::new();
        for text in texts {
            map.insert(text.to_owned(), json!([text, {"k": text}]));
        }
        let value = Value::Object(map);
        let text = document(&value);
        let back: Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(back, value, "{text}");
    }
}
