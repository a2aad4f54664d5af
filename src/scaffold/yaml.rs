//! JSON comes in, YAML goes out that every reader takes for the same: what could be more than a plain word is quoted as in JSON.
use serde_json::Value;
use std::fmt::Write;

/// A document in block style, with its line end.
pub(super) fn document(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => block(value, 0, &mut out),
        Value::Array(list) if !list.is_empty() => block(value, 0, &mut out),
        _ => {
            out.push_str(&scalar(value));
            out.push('\n');
        }
    }
    out
}

/// A string as a scalar.
pub(super) fn string(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quote(text)
    }
}

/// A string in double quotes, as JSON, YAML and TOML take it alike. Separators of lines in YAML 1.1 are escaped too.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
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

/// The value of a key: nested below it, or behind it.
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

/// An item of a list: a map begins beside its dash.
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

/// Whether a text is a plain word in YAML 1.1 and 1.2 alike: letters first, and nothing that reads as another type.
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

/// Whether a text is best shown line by line: several lines, none of which a block would change.
fn is_prose(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && text.lines().all(|line| !line.ends_with(' '))
        && text.chars().all(|c| {
            c == '\n' || !(c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'))
        })
}

fn prose(text: &str, depth: usize, out: &mut String) {
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
    fn reads_as_a_person_would_write_it() {
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
    fn whatever_is_in_it_comes_back() {
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
