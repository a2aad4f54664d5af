//! Writes CEL expressions over `object` and `oldObject`.
use std::fmt::Write as _;

use serde_json::Value;

use super::Step;

/// Returns the expression for a field of `base`.
pub(super) fn select(base: &str, name: &str) -> String {
    if is_plain(name) {
        format!("{base}.{name}")
    } else {
        format!("{base}[{}]", quote(name))
    }
}

/// Returns the expression for whether `base` has a field.
pub(super) fn has(base: &str, name: &str) -> String {
    if is_plain(name) {
        format!("has({base}.{name})")
    } else {
        format!("{} in {base}", quote(name))
    }
}

/// Returns the expression for whether a field is absent, or null where null is a value without meaning.
pub(super) fn lacks(base: &str, name: &str, nullable: bool) -> String {
    let has = has(base, name);
    let absent = if is_plain(name) {
        format!("!{has}")
    } else {
        format!("!({has})")
    };
    if nullable {
        format!("{absent} || {} == null", select(base, name))
    } else {
        absent
    }
}

/// Returns an expression that is true if `inner` is true for every value at a path.
pub(super) fn for_all(base: &str, steps: &[Step<'_>], inner: &dyn Fn(&str) -> String) -> String {
    let Some((step, rest)) = steps.split_first() else {
        return inner(base);
    };
    let variable = format!("v{}", rest.len());
    match step {
        Step::Field { name, nullable } => {
            let rest = for_all(&select(base, name), rest, inner);
            format!("{} || {rest}", lacks(base, name, *nullable))
        }
        Step::Items => {
            let rest = for_all(&variable, rest, inner);
            format!("{base}.all({variable}, {rest})")
        }
        Step::Values => {
            let rest = for_all(&format!("{base}[{variable}]"), rest, inner);
            format!("{base}.all({variable}, {rest})")
        }
    }
}

/// Returns the expression of the value at a path of fields only.
pub(super) fn value_at(base: &str, steps: &[Step<'_>]) -> Option<String> {
    steps
        .iter()
        .try_fold(base.to_owned(), |base, step| match step {
            Step::Field { name, .. } => Some(select(&base, name)),
            _ => None,
        })
}

/// Returns a JSON value as CEL.
pub(super) fn literal(value: &Value) -> String {
    // Lists and maps have values of one type unless they are `dyn`.
    let part = |value: &Value| match value {
        Value::Object(_) | Value::Array(_) => literal(value),
        value => format!("dyn({})", literal(value)),
    };
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(part).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| format!("{}: {}", quote(name), part(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::String(text) => quote(text),
        value => value.to_string(),
    }
}

/// Returns a string in single quotes, which YAML's double quotes leave readable.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// Whether a name can follow a dot.
fn is_plain(name: &str) -> bool {
    // CEL's keywords and reserved words.
    const RESERVED: &[&str] = &[
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "namespace",
        "null",
        "package",
        "return",
        "true",
        "var",
        "void",
        "while",
    ];
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.contains(&name)
}
